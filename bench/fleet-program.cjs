// The program of bench/fleet.ts, as a user writes it: <tool> <shape> <number of sites> <folder>.
// `objects.cjs` in the folder, which the bench has written, gives the objects of a site by its name, as literals; `plain.yaml` has the objects of a chart of
// others, and `excluded.yaml` the same as this library writes them.
const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const [tool, shape, count, folder] = process.argv.slice(2);
const names = Array.from({ length: Number(count) }, (_, index) => `site-${String(index).padStart(6, '0')}`);
const outdir = join(folder, `${tool}-dist`);

/** 100 objects of a site: its pool, nine workloads on it, and what is not ours. */
const WORKLOADS = 9;
const CONFIGS = 90;

function workload(name, number) {
  const app = `agent-${number}`;
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: `${name}-${app}`, namespace: 'edge', labels: { app, site: name } },
    spec: {
      selector: { matchLabels: { app, site: name } },
      template: {
        metadata: { labels: { app, site: name } },
        spec: {
          automountServiceAccountToken: false,
          containers: [
            {
              name: 'agent',
              image: `registry.example/agent:${number}`,
              args: ['--site', name],
              ports: [{ containerPort: 8000 + number }],
              resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '64Mi' } },
            },
          ],
        },
      },
    },
  };
}

const config = (name, number) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: `${name}-config-${number}`, namespace: 'edge', labels: { site: name } },
  data: { site: name, number: String(number), url: `https://${name}.example/${number}`, mode: 'on' },
});

/** Charts of others, and what keeps them off the edge nodes. */
function included(exclude) {
  const { App, Chart, Include } = require('cdk8s');
  const { EdgeApp, EdgeCluster, ExcludedWorkload } = require('edge-nodepools');
  const app = exclude ? new EdgeApp({ outdir }) : new App({ outdir });
  for (const name of names) {
    const chart = new Chart(app, name, { namespace: name });
    new Include(chart, 'them', { url: join(folder, exclude ? 'plain.yaml' : 'excluded.yaml') });
    if (exclude) {
      chart.with(ExcludedWorkload.mixin({ cluster: EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' }) }));
    }
  }
  app.synth();
}

function library() {
  if (shape === 'included') {
    included(true);
    return;
  }
  const { ApiObject, Chart } = require('cdk8s');
  const { EdgeApp, EdgeCluster, HostNetworkNodePool, HostNetworkWorkload } = require('edge-nodepools');
  const app = new EdgeApp({ outdir });
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
  const fleet = shape === 'flat' ? new Chart(app, 'fleet') : undefined;
  for (const name of names) {
    const chart = fleet ?? new Chart(app, name);
    const pool = new HostNetworkNodePool(chart, `${name}-pool`, {
      cluster,
      poolName: name,
      labels: { site: name, region: 'east' },
      taints: [{ key: 'site', value: name, effect: 'NoSchedule' }],
    });
    if (shape === 'warned') {
      const { ports, ...container } = workload(name, 0).spec.template.spec.containers[0];
      const silent = workload(name, 0);
      // without ports, which is a warning
      silent.spec.template.spec.containers = [container];
      new HostNetworkWorkload(chart, 'agent', { pool, workload: silent });
    }
    if (shape === 'sites') {
      for (let number = 0; number < WORKLOADS; number += 1) {
        new HostNetworkWorkload(chart, `agent-${number}`, { pool, workload: workload(name, number) });
      }
      for (let number = 0; number < CONFIGS; number += 1) {
        new ApiObject(chart, `config-${number}`, config(name, number));
      }
    }
  }
  app.synth();
}

function cdk8s() {
  if (shape === 'included') {
    included(false);
    return;
  }
  const { ApiObject, App, Chart } = require('cdk8s');
  const { objectsOf } = require(join(folder, 'objects.cjs'));
  const app = new App({ outdir });
  const fleet = shape === 'flat' ? new Chart(app, 'fleet') : undefined;
  for (const name of names) {
    const chart = fleet ?? new Chart(app, name);
    objectsOf(name).forEach((object, index) => new ApiObject(chart, `${name}-${index}`, object));
  }
  app.synth();
}

/** As cdk8s writes them. */
function yaml() {
  const { stringify } = require('yaml');
  const { objectsOf } = require(join(folder, 'objects.cjs'));
  const text = (objects) =>
    objects.map((object) => stringify(object, { keepUndefined: true, lineWidth: 0, version: '1.1' })).join('---\n');
  mkdirSync(outdir, { recursive: true });
  if (shape === 'flat') {
    writeFileSync(join(outdir, 'fleet.k8s.yaml'), text(names.flatMap(objectsOf)));
    return;
  }
  for (const name of names) {
    writeFileSync(join(outdir, `${name}.k8s.yaml`), text(objectsOf(name)));
  }
}

({ 'edge-nodepools': library, cdk8s, yaml })[tool]();
