// The program of bench/pulumi.ts: pools and workloads, as components of this library or as bare components with the same arguments, objects, options of
// the NodePool, dependencies (of a workload on its pool) and outputs.
// With mocks it prints what it took.
const pulumi = require('@pulumi/pulumi');
const kubernetes = require('@pulumi/kubernetes');

const { readFileSync, writeFileSync } = require('node:fs');

const {
  BENCH_KIND,
  BENCH_COUNT,
  BENCH_LATE,
  BENCH_MOCKS,
  BENCH_OPTIONS,
  BENCH_RECORDING: recording,
  BENCH_RESULT,
} = process.env;
const count = Number(BENCH_COUNT);
const programs = { ours, bare };

/** A value of a label: plain, or an Output. */
const label = (value) => (BENCH_LATE === 'true' ? pulumi.output(Promise.resolve(value)) : value);

const poolArgs = (number) => ({
  poolName: `pool-${number}`,
  labels: { site: label(`site-${number}`), region: 'east' },
  taints: [{ key: 'site', value: `site-${number}`, effect: 'NoSchedule' }],
});

const workload = (number) => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: {
    name: `collector-${number}`,
    namespace: 'edge',
    labels: { app: 'collector', site: label(`site-${number}`) },
  },
  spec: {
    selector: { matchLabels: { app: `collector-${number}` } },
    template: {
      metadata: { labels: { app: `collector-${number}` } },
      spec: {
        automountServiceAccountToken: false,
        containers: [
          {
            name: 'collector',
            image: 'registry.example/collector:1',
            ports: [{ containerPort: 8000 + number }],
            args: ['--site', `site-${number}`],
            resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '64Mi' } },
          },
        ],
      },
    },
  },
});

function ours() {
  const { EdgeCluster, HostNetworkNodePool, HostNetworkWorkload } = require('edge-nodepools/pulumi');
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
  return () => {
    for (let number = 0; number < count; number++) {
      const pool = new HostNetworkNodePool(`pool-${number}`, { cluster, ...poolArgs(number) });
      new HostNetworkWorkload(`collector-${number}`, { pool, workload: workload(number) });
    }
  };
}

class Bare extends pulumi.ComponentResource {
  constructor(type, name, args, make) {
    super(`bench:index:${type}`, name, args);
    this.registerOutputs(make(this));
  }
}

/** The objects and outputs that the components have made for number 0, for another number. */
function numbered({ object, outputs }, number) {
  return JSON.parse(JSON.stringify({ object, outputs }).replaceAll('-0"', `-${number}"`));
}

function bare() {
  const made = JSON.parse(readFileSync(recording, 'utf8'));
  if (BENCH_OPTIONS === 'false') {
    made.NodePool.options = {};
  }
  const all = Array.from({ length: count }, (_, number) => [
    numbered(made.NodePool, number),
    numbered(made.DaemonSet, number),
  ]);
  return () =>
    all.forEach(([pool, collector], number) => {
      const component = new Bare('Pool', `pool-${number}`, { cluster: 'cluster', ...poolArgs(number) }, (parent) => {
        pool.object.spec.labels = { site: label(`site-${number}`), region: 'east' };
        const args = { apiVersion: made.NodePool.apiVersion, kind: 'NodePool', ...pool.object };
        new kubernetes.apiextensions.CustomResource(`pool-${number}`, args, {
          parent,
          ...made.NodePool.options,
        });
        return pool.outputs;
      });
      new Bare('Workload', `collector-${number}`, { pool: component.urn, workload: workload(number) }, (parent) => {
        collector.object.metadata.labels.site = label(`site-${number}`);
        new kubernetes.apps.v1.DaemonSet(`collector-${number}`, collector.object, { parent, dependsOn: [component] });
        return collector.outputs;
      });
    });
}

/** Writes what each kind of object is made of, and the outputs of its component. */
function record() {
  const found = {};
  const outputs = new Map();
  const monitor = pulumi.runtime.getMonitor();
  const { registerResource, registerResourceOutputs } = monitor;
  monitor.registerResource = (request, done) => {
    const [, version, kind] = request.getType().split(':');
    if (request.getCustom()) {
      const { apiVersion, kind: _, ...object } = request.getObject().toJavaScript();
      const options = {
        aliases: request.getAliasesList().map((alias) => ({ type: alias.getSpec().getType() })),
        replaceOnChanges: request.getReplaceonchangesList(),
        deleteBeforeReplace: request.getDeletebeforereplace(),
      };
      found[kind] = { apiVersion: apiVersion ?? version, object, parent: request.getParent(), options };
    }
    registerResource.call(monitor, request, done);
  };
  monitor.registerResourceOutputs = (request, done) => {
    outputs.set(request.getUrn(), request.getOutputs().toJavaScript());
    registerResourceOutputs.call(monitor, request, done);
  };
  process.on('exit', () => {
    Object.values(found).forEach((one) => Object.assign(one, { outputs: outputs.get(one.parent) }));
    writeFileSync(recording, JSON.stringify(found));
  });
}

async function main() {
  if (BENCH_MOCKS === 'true') {
    const newResource = ({ name, inputs }) => ({ id: name, state: inputs });
    await pulumi.runtime.setMocks({ newResource, call: () => ({}) });
  }
  if (!BENCH_RESULT) {
    record();
  }
  const run = programs[BENCH_KIND]();
  const before = process.cpuUsage();
  if (BENCH_RESULT) {
    process.on('exit', () => {
      const { user, system } = process.cpuUsage(before);
      const result = { milliseconds: (user + system) / 1000, megabytes: process.resourceUsage().maxRSS / 1024 };
      writeFileSync(BENCH_RESULT, JSON.stringify(result));
    });
  }
  run();
  if (BENCH_MOCKS === 'true') {
    await pulumi.runtime.disconnect();
  }
}

void main();
