/** Mistakes of newcomers that the API server accepts: kubelet starts no container with them, another cluster gets them, or nothing reads them. */
import { describe, expect, it } from '@jest/globals';
import { Chart, Testing as Cdk8sTesting } from 'cdk8s';
import type { EdgeError } from 'edge-nodepools';
import {
  Corefile,
  EdgeCluster,
  EdgeWarnings,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
  JoinToken,
  NodeReservation,
} from 'edge-nodepools';
import { ProblemList } from '../../src/base/errors.js';
import { postRender } from '../../src/workloads/post-render.js';
import { deployment as made } from '../bad-inputs/case.js';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });

const deployment = made();

/** Codes, paths and hints of what is refused; empty if nothing is. */
function refused(run: () => unknown): string[] {
  try {
    run();
    return [];
  } catch (error) {
    return (error as EdgeError).problems.map(({ code, path, hint }) => `${code} ${path} -> ${hint}`);
  }
}

const excluded = (workload: object): string[] =>
  refused(() => new ExcludedWorkload(Cdk8sTesting.chart(), 'web', { cluster, workload: workload as never }));

const pod = (podSpec: object, container: object = {}, kind = 'Deployment', spec: object = {}): object => ({
  ...deployment,
  kind,
  spec: {
    selector: { matchLabels: { app: 'web' } },
    ...spec,
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web:1', ...container }], ...podSpec },
    },
  },
});
const PODS = 'workload.spec.template.spec';

describe('what kubelet does not start', () => {
  it.each<[what: string, workload: object, told: string]>([
    ['a repository in capitals', pod({}, { image: 'Nginx:latest' }), `EDGE_VALUE ${PODS}.containers[0].image`],
    ['an empty tag', pod({}, { image: 'nginx:' }), `EDGE_VALUE ${PODS}.containers[0].image`],
    [
      'an image with a scheme',
      pod({}, { image: 'https://registry.example/web' }),
      `EDGE_VALUE ${PODS}.containers[0].image`,
    ],
    [
      'half a byte of memory',
      pod({}, { resources: { limits: { memory: '512m' } } }),
      `EDGE_QUANTITY ${PODS}.containers[0].resources.limits.memory -> write '512Mi'`,
    ],
    [
      'root where it may not be',
      pod({ securityContext: { runAsNonRoot: true } }, { securityContext: { runAsUser: 0 } }),
      `EDGE_CONTRADICTION ${PODS}.containers[0].securityContext.runAsUser`,
    ],
    [
      'root of the Pod where it may not be',
      pod({ securityContext: { runAsNonRoot: true, runAsUser: 0 } }),
      `EDGE_CONTRADICTION ${PODS}.securityContext.runAsUser`,
    ],
    [
      'a probe of the port of another container',
      pod({
        containers: [
          { name: 'web', image: 'web', ports: [{ name: 'http', containerPort: 80 }] },
          {
            name: 'side',
            image: 'side',
            ports: [{ name: 'metrics', containerPort: 81 }],
            livenessProbe: { httpGet: { port: 'http' } },
          },
        ],
      }),
      `EDGE_PORT ${PODS}.containers[1].livenessProbe.httpGet.port -> write one of its own: metrics`,
    ],
  ])('refuses %s', (_, workload, told) => {
    expect(excluded(workload)).toEqual([expect.stringContaining(told)]);
  });

  it.each([
    ...['nginx', 'Registry.example:5000/team/app_x/web--1:v1.0_x', '[2001:db8::1]:5000/web', 'localhost/web'],
    ...['docker.io/library/nginx:1.27@sha256:' + 'a'.repeat(64), 'web@sha256:' + '0'.repeat(64)],
  ])('takes the image %s', (image) => {
    expect(excluded(pod({}, { image }))).toEqual([]);
  });

  it('takes whole bytes, another user, and a port of its own', () => {
    const container = {
      resources: { requests: { cpu: '512m', memory: '1000m' }, limits: { memory: '0.5Gi' } },
      securityContext: { runAsUser: 1000 },
      ports: [{ name: 'http', containerPort: 80 }],
      lifecycle: { preStop: { httpGet: { port: 'http' } } },
    };
    expect(excluded(pod({ securityContext: { runAsNonRoot: true, runAsUser: 0 } }, container))).toEqual([]);
  });
});

describe('what is for another cluster, or from one', () => {
  it('refuses what an API server has written', () => {
    const metadata = { ...deployment.metadata, uid: 'a', resourceVersion: '7', creationTimestamp: null };
    expect(excluded({ ...deployment, metadata })).toEqual([expect.stringContaining('EDGE_VALUE workload -> remove')]);
    expect(
      excluded({ ...deployment, metadata: { ...deployment.metadata, creationTimestamp: null }, status: {} }),
    ).toEqual([]);
    const pool = new HostNetworkNodePool(Cdk8sTesting.chart(), 'pool', { cluster, poolName: 'edge' });
    const props = { pool, workload: { ...deployment, metadata } as never };
    expect(refused(() => new HostNetworkWorkload(Cdk8sTesting.chart(), 'web', props))).toEqual([
      expect.stringContaining('EDGE_VALUE workload -> remove'),
    ]);
  });

  it.each([
    ['1.24', 'batch/v1beta1', []],
    ['1.25', 'batch/v1beta1', ["EDGE_VALUE workload.apiVersion -> write apiVersion: 'batch/v1'"]],
    ['1.24', 'batch/v1', []],
    ['1.34', 'batch/v1', []],
  ])('takes on Kubernetes %s a CronJob of %s, if it is served', (kubernetes, apiVersion, told) => {
    const jobTemplate = {
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } } },
    };
    const workload = {
      apiVersion,
      kind: 'CronJob',
      metadata: { name: 'job' },
      spec: { schedule: '@daily', jobTemplate },
    };
    const old = EdgeCluster.of({ openYurt: 'none', kubernetes });
    const props = { cluster: old, workload };
    expect(refused(() => new ExcludedWorkload(Cdk8sTesting.chart(), 'job', props))).toEqual(told);
  });

  it('warns of two clusters in one chart, once for each, and not of a description that is repeated', () => {
    const chart = new Chart(Cdk8sTesting.app(), 'site');
    const add = (id: string, of: EdgeCluster): ExcludedWorkload =>
      new ExcludedWorkload(chart, id, { cluster: of, workload: { ...deployment, metadata: { name: id } } as never });
    add('a', cluster);
    add('b', EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' }));
    const plain = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.34' });
    add('c', plain);
    add('d', plain);
    const told = EdgeWarnings.of(chart).filter(({ code }) => code === 'EDGE_WRONG_CLUSTER');
    expect(told.map(({ message }) => message)).toEqual([
      'the chart has objects for OpenYurt 1.7 on Kubernetes 1.34 (site/a), and this is for Kubernetes 1.34 without OpenYurt: a chart is applied to one cluster',
    ]);
  });
});

describe('what stands elsewhere', () => {
  it.each<[what: string, workload: object, told: string]>([
    ['a strategy', pod({}, {}, 'DaemonSet', { strategy: {} }), 'spec.strategy -> did you mean updateStrategy?'],
    [
      'a strategy of another kind',
      pod({}, {}, 'StatefulSet', { updateStrategy: 'Recreate' }),
      "-> write { type: 'RollingUpdate' }",
    ],
    ['text as strategy', pod({}, {}, 'Deployment', { strategy: 'Recreate' }), "-> write { type: 'Recreate' }"],
    [
      'the text of a taint',
      pod({ tolerations: ['a=b:NoSchedule'] }),
      "-> write { key: 'a', value: 'b', effect: 'NoSchedule' }",
    ],
    [
      'it, without a list',
      pod({ tolerations: 'a:NoExecute' }),
      "-> write [{ key: 'a', operator: 'Exists', effect: 'NoExecute' }]",
    ],
    ['the port of a container', pod({}, { ports: [{ port: 80 }] }), 'ports[0].port -> did you mean containerPort?'],
    [
      'an amount without its list',
      pod({}, { resources: { cpu: '100m' } }),
      "resources.cpu -> did you mean requests: { cpu: '…' }?",
    ],
    [
      'the name of a Secret',
      pod({}, { env: [{ name: 'A', valueFrom: { secretKeyRef: { secret: 'a', key: 'b' } } }] }),
      'secretKeyRef.secret -> did you mean name?',
    ],
    ['a ConfigMap', pod({ volumes: [{ name: 'a', configMapName: 'b' }] }), "did you mean configMap: { name: '…' }?"],
    ['a Secret', pod({ volumes: [{ name: 'a', secret: { name: 'b' } }] }), 'did you mean secretName?'],
    ['a claim', pod({ volumes: [{ name: 'a', claimName: 'b' }] }), "persistentVolumeClaim: { claimName: '…' }?"],
  ])('says where %s belongs', (_, workload, told) => {
    expect(excluded(workload)).toEqual([expect.stringContaining(told)]);
  });

  it('refuses a ConfigMap as a Corefile', () => {
    const told = refused(() =>
      Corefile.parse('apiVersion: v1\nkind: ConfigMap\ndata:\n  Corefile: |\n    .:53 {\n    }\n'),
    );
    expect(told).toEqual(['EDGE_COREFILE  -> give the text of data.Corefile']);
  });

  it.each<[amount: string | number, hint: string]>([
    [256, "write '256Mi'"],
    ['256', "write '256Mi'"],
    ['512m', "write '512Mi'"],
    ['10k', "write '10Mi'"],
  ])('refuses to reserve %p of memory', (memory, hint) => {
    expect(refused(() => NodeReservation.of({ systemReserved: { memory } }))).toEqual([
      `EDGE_QUANTITY systemReserved.memory -> ${hint}`,
    ]);
    expect(refused(() => NodeReservation.of({ systemReserved: { memory: '1Mi', cpu: '100m', pid: 100 } }))).toEqual([]);
  });

  it.each<[command: string[], hint: string]>([
    [['swapoff -a'], 'write ["swapoff","-a"], or one text, which sh reads: "swapoff -a"'],
    [['cat', '/token', '|', 'head'], 'write one text, which sh reads: "cat /token | head"'],
  ])('refuses %j, which no shell reads', (command, hint) => {
    expect(refused(() => JoinToken.fromCommand(command))).toEqual([`EDGE_VALUE command -> ${hint}`]);
    expect(refused(() => JoinToken.fromCommand(command.join(' ')))).toEqual([]);
    expect(refused(() => JoinToken.fromCommand(['/opt/my tools/token', 'a b']))).toEqual([]);
  });

  it.each([
    ['null', '  template: null'],
    ['text', '  template: web'],
    ['no template', '  replicas: 1'],
    ['a no-break space in the indentation', ' \u00a0template:\n \u00a0  spec: {containers: []}'],
  ])('warns once of a workload without a Pod spec: %s', (_, spec) => {
    const text = `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n${spec}\n`;
    const { text: written, warnings } = postRender(text, { cluster }, new ProblemList());
    expect(written).toBe(text);
    expect(warnings).toEqual([expect.objectContaining({ code: 'EDGE_NOT_EXCLUDED', path: 'Deployment web: spec' })]);
  });

  it.each<[what: string, text: string, path: string]>([
    ['the values of a chart', 'replicaCount: 1\nimage:\n  tag: a\n', 'the document with replicaCount, image'],
    [
      'what kustomize reads',
      'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\n',
      'Kustomization',
    ],
  ])('warns of %s in a stream, and passes it on', (_, text, path) => {
    const { text: written, warnings } = postRender(text, { cluster }, new ProblemList());
    expect(written).toBe(text);
    expect(warnings).toEqual([
      expect.objectContaining({ code: 'EDGE_NOT_AN_OBJECT', path: expect.stringContaining(path) }),
    ]);
  });
});
