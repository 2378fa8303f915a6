/** Workloads that the API server refuses, beside their scheduling, and their neighbours that it accepts. */
import { deployment } from '../bad-inputs/case.js';

/** Path of the Pod spec in most kinds. */
export const SPEC = 'spec.template.spec';
export const container = { name: 'web', image: 'web', ports: [{ containerPort: 8080 }] };
const withContainer = (fields: object): object => ({ containers: [{ ...container, ...fields }] });
const data = { name: 'data', emptyDir: {} };
const mounts = (...volumeMounts: object[]): object => withContainer({ volumeMounts });

/** Values that the API server cannot decode. */
export const undecodable: [what: string, podSpec: object, path: string, hint: string][] = [
  [
    'a number for a variable',
    withContainer({ env: [{ name: 'PORT', value: 8080 }] }),
    'containers[0].env[0].value',
    "write '8080', in quotes",
  ],
  [
    'true for a variable',
    withContainer({ env: [{ name: 'DEBUG', value: true }] }),
    'containers[0].env[0].value',
    "write 'true', in quotes",
  ],
  [
    'a number among words',
    withContainer({ args: ['--port', 8080] }),
    'containers[0].args[1]',
    "write '8080', in quotes",
  ],
  [
    'text for true',
    withContainer({ securityContext: { privileged: 'true' } }),
    'containers[0].securityContext.privileged',
    'write true, without quotes',
  ],
  [
    'text for a number',
    { terminationGracePeriodSeconds: '30' },
    'terminationGracePeriodSeconds',
    'write 30, without quotes',
  ],
  [
    'text for a map',
    { volumes: [{ name: 'data', hostPath: '/data' }] },
    'volumes[0].hostPath',
    'write a map, or leave it out',
  ],
  ['a map for a list', { hostAliases: { ip: '192.0.2.1' } }, 'hostAliases', 'write a list, or leave it out'],
];

const job = (podSpec: object): object => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'job' },
  spec: { template: { spec: { containers: [container], ...podSpec } } },
});

/** What core and batch validation require. */
export const incomplete: [what: string, workload: object, path: string, code: string][] = [
  [
    'a mount of no volume',
    deployment(mounts({ name: 'data', mountPath: '/data' })),
    `${SPEC}.containers[0].volumeMounts[0].name`,
    'EDGE_MISSING',
  ],
  [
    'a mount without path',
    deployment({ volumes: [data], ...mounts({ name: 'data' }) }),
    `${SPEC}.containers[0].volumeMounts[0].mountPath`,
    'EDGE_MISSING',
  ],
  ['a volume without name', deployment({ volumes: [{ emptyDir: {} }] }), `${SPEC}.volumes[0].name`, 'EDGE_MISSING'],
  ['two volumes of a name', deployment({ volumes: [data, data] }), `${SPEC}.volumes[1].name`, 'EDGE_DUPLICATE'],
  [
    'a variable without name',
    deployment(withContainer({ env: [{ value: 'x' }] })),
    `${SPEC}.containers[0].env[0].name`,
    'EDGE_MISSING',
  ],
  [
    'a variable with two values',
    deployment(
      withContainer({ env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }] }),
    ),
    `${SPEC}.containers[0].env[0]`,
    'EDGE_CONTRADICTION',
  ],
  [
    'a probe that does nothing',
    deployment(withContainer({ livenessProbe: { periodSeconds: 5 } })),
    `${SPEC}.containers[0].livenessProbe`,
    'EDGE_MISSING',
  ],
  ['a Job without restartPolicy', job({}), `${SPEC}.restartPolicy`, 'EDGE_MISSING'],
  ['a Job that restarts always', job({ restartPolicy: 'Always' }), `${SPEC}.restartPolicy`, 'EDGE_VALUE'],
];

export const complete: [what: string, workload: object][] = [
  ['a mount of a volume', deployment({ volumes: [data], ...mounts({ name: 'data', mountPath: '/data' }) })],
  [
    'a mount of a claim',
    {
      ...deployment(mounts({ name: 'data', mountPath: '/data' }), {
        volumeClaimTemplates: [{ metadata: { name: 'data' } }],
      }),
      kind: 'StatefulSet',
    },
  ],
  ['a Job with restartPolicy', job({ restartPolicy: 'Never' })],
  ['an amount that is a number', deployment(withContainer({ resources: { limits: { cpu: 1 } } }))],
  ['null everywhere', deployment(withContainer({ env: null, args: [null], livenessProbe: null, stdin: null }))],
];

/** A workload of a kind, with the fields that every object has. */
export function topLevel(kind: string): object {
  const apiVersion = { Rollout: 'argoproj.io/v1alpha1', Prometheus: 'monitoring.coreos.com/v1' }[kind] ?? 'apps/v1';
  return { ...deployment(), apiVersion, kind };
}
