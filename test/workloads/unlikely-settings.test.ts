/** Settings that the API server accepts and nobody means: units that were forgotten, and names of other tools. */
import { checkManifests } from '../../src/checks.js';
import { deployment } from '../bad-inputs/case.js';

const CONTAINER = 'spec.template.spec.containers[0]';

const withPod = (podSpec: object, container: object = {}): any => ({
  ...deployment({ hostNetwork: true, ...podSpec, containers: [{ name: 'web', image: 'web:1', ...container }] }),
  metadata: { name: 'web', namespace: 'shop' },
});

const POOL = {
  apiVersion: 'apps.openyurt.io/v1beta2',
  kind: 'NodePool',
  metadata: { name: 'hangzhou' },
  spec: { type: 'Edge', hostNetwork: true },
};

/** `code path -> hint`, of what is new beside the same workload without the setting. */
const told = (podSpec: object, container: object): string[] =>
  checkManifests([POOL, withPod(podSpec, container)]).findings.map(
    ({ code, path, hint }) => `${code} ${path} -> ${hint}`,
  );

const memory = (amount: unknown): object => ({ resources: { limits: { memory: amount } } });
const probe = (fields: object): object => ({ livenessProbe: { exec: { command: ['true'] }, ...fields } });
const capability = (name: string): object => ({ securityContext: { capabilities: { add: [name] } } });
const secret = (defaultMode: number): object => ({
  volumes: [{ name: 'a', secret: { secretName: 'a', defaultMode } }],
});
const required = (key: string, values: string[]): object => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values }] }],
      },
    },
  },
});

it.each<[what: string, podSpec: object, container: object, said: string]>([
  ['memory without unit', {}, memory('128'), `EDGE_QUANTITY ${CONTAINER}.resources.limits.memory -> write '128Mi'`],
  ['memory as a number', {}, memory(256), `EDGE_QUANTITY ${CONTAINER}.resources.limits.memory -> write '256Mi'`],
  ['memory in thousandths', {}, memory('400m'), `EDGE_QUANTITY ${CONTAINER}.resources.limits.memory -> write '400Mi'`],
  [
    'cores that are thousandths',
    {},
    { resources: { requests: { cpu: 500 } } },
    `EDGE_QUANTITY ${CONTAINER}.resources.requests.cpu -> write '500m' for thousandths of a core`,
  ],
  [
    'a capability with its prefix',
    {},
    capability('CAP_NET_ADMIN'),
    `EDGE_VALUE ${CONTAINER}.securityContext.capabilities.add[0] -> write "NET_ADMIN"`,
  ],
  [
    'milliseconds',
    {},
    probe({ timeoutSeconds: 5000 }),
    `EDGE_VALUE ${CONTAINER}.livenessProbe.timeoutSeconds -> write timeoutSeconds: 5`,
  ],
  [
    'a mode in octal digits',
    secret(400),
    {},
    'EDGE_VALUE spec.template.spec.volumes[0].secret.defaultMode -> write 256, which is 0o400 in TypeScript',
  ],
  [
    'an architecture of uname',
    { nodeSelector: { 'kubernetes.io/arch': 'x86_64' } },
    {},
    'EDGE_VALUE spec.template.spec.nodeSelector["kubernetes.io/arch"] -> write "amd64"',
  ],
  [
    'a system in upper case',
    required('kubernetes.io/os', ['Linux']),
    {},
    'EDGE_VALUE spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values[0] -> write "linux"',
  ],
  [
    'a Service in a probe',
    {},
    { livenessProbe: { httpGet: { host: 'web.shop.svc', port: 80 } } },
    `EDGE_CLUSTER_SERVICE ${CONTAINER}.livenessProbe.httpGet.host -> use a host that the node itself can reach`,
  ],
  [
    'the address of the Service of the API server',
    {},
    { env: [{ name: 'KUBERNETES_SERVICE_HOST', value: '10.96.0.1' }] },
    `EDGE_CLUSTER_SERVICE ${CONTAINER}.env[0].value -> use a host`,
  ],
  [
    'the address of the cluster DNS',
    { dnsPolicy: 'None', dnsConfig: { nameservers: ['10.96.0.10'] } },
    {},
    'EDGE_CLUSTER_SERVICE spec.template.spec.dnsConfig.nameservers[0] -> use a host',
  ],
  [
    'a line for a shell',
    {},
    { command: ["sh -c 'sleep 1; date'"] },
    `EDGE_VALUE ${CONTAINER}.command -> write command: ["sh","-c","sleep 1; date"]`,
  ],
  [
    'labels in a term',
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchLabels: { a: 'b' } }] },
        },
      },
    },
    {},
    "did you mean matchExpressions: [{ key: '…', operator: 'In', values: ['…'] }]?",
  ],
  [
    'a command of a probe',
    {},
    { livenessProbe: { exec: { command: ['true'] }, command: ['true'] } },
    "did you mean exec: { command: ['…'] }?",
  ],
  [
    'a path of a probe',
    {},
    { livenessProbe: { exec: { command: ['true'] }, path: '/healthz' } },
    "did you mean httpGet: { path: '…', port: … }?",
  ],
  [
    'a number that is text',
    { topologySpreadConstraints: [{ maxSkew: '1', topologyKey: 'a', whenUnsatisfiable: 'DoNotSchedule' }] },
    {},
    'maxSkew -> write 1, without quotes',
  ],
  [
    'a constraint without its number',
    { topologySpreadConstraints: [{ topologyKey: 'a', whenUnsatisfiable: 'DoNotSchedule' }] },
    {},
    'EDGE_MISSING spec.template.spec.topologySpreadConstraints[0].maxSkew -> write maxSkew: 1',
  ],
])('%s is told, with what to write', (_, podSpec, container, said) => {
  const others = told({}, {});
  expect(told(podSpec, container).filter((each) => !others.includes(each))).toEqual([expect.stringContaining(said)]);
});

it.each<[what: string, podSpec: object, container: object]>([
  ['memory of a small program', {}, memory('4Mi')],
  ['no memory', {}, memory('0')],
  ['cores with their unit', {}, { resources: { requests: { cpu: '64000m' } } }],
  ['many cores, with memory', {}, { resources: { requests: { cpu: 220, memory: '900Gi' } } }],
  ['a device', {}, { resources: { limits: { 'a.example/gpu': 500 } } }],
  ['a capability', {}, capability('NET_ADMIN')],
  ['a long probe', {}, probe({ initialDelaySeconds: 900 })],
  ['modes', { ...secret(420) }, {}],
  ['an architecture', { nodeSelector: { 'kubernetes.io/arch': 'amd64' } }, {}],
  ['a label of others', { nodeSelector: { 'a.example/arch': 'x86_64' } }, {}],
  ['other addresses', {}, { args: ['10.96.0.100', '110.96.0.1', '10.96.0.1.2'] }],
])('%s is not', (_, podSpec, container) => {
  const others = told({}, {});
  expect(told(podSpec, container).filter((each) => !others.includes(each))).toEqual([]);
});
