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
  ['other addresses', {}, { args: ['10.96.0.100', '110.96.0.1', '10.96.0.1.2'] }],
])('%s is not', (_, podSpec, container) => {
  const others = told({}, {});
  expect(told(podSpec, container).filter((each) => !others.includes(each))).toEqual([]);
});

/** A rule about what nobody means is there for a manifest that somebody wrote; a rule without one goes. */
it.each<[from: string, podSpec: object, container: object, said: string]>([
  ['projectatomic/nulecule#170', {}, { resources: { limits: { cpu: 100 } } }, "write '100m' for thousandths"],
  ['kubernetes/kubernetes#49442', {}, memory('5000000m'), "write '5000000Mi'"],
  ['istio/old_pilot_repo#1161', {}, capability('CAP_NET_ADMIN'), 'write "NET_ADMIN"'],
  [
    'taosdata/TDengine docs/en/08-operation/03-deployment/03-kubernetes.md',
    {},
    { readinessProbe: { exec: { command: ['taos-check'] }, initialDelaySeconds: 5, timeoutSeconds: 5000 } },
    'write timeoutSeconds: 5',
  ],
  [
    'gitlab.geo.psql.ssl.volume of the chart gitlab',
    { volumes: [{ name: 'geo', projected: { defaultMode: 400, sources: [] } }] },
    {},
    'write 256, which is 0o400',
  ],
  [
    'kubernetes/kompose#1070',
    { hostNetwork: false },
    { ports: [{ containerPort: 80 }, { containerPort: 80 }] },
    'remove one of them, or write its own number',
  ],
  [
    'equinor/sdp-flux#114',
    {},
    { command: ['/bin/echo', '$VAR_NAME'], env: [{ name: 'VAR_NAME', value: 'a concrete string' }] },
    'write "$(VAR_NAME)"',
  ],
  [
    'kubernetes/kubernetes#22631',
    {},
    { command: ['bundle exec unicorn -c config/unicorn/production.rb -E production'] },
    'write command: ["bundle","exec","unicorn","-c"',
  ],
  ['containers/podman#15983', {}, { command: ['/bin/sh', '-c', 'echo', '$(FOO)'] }, '-c","echo $(FOO)"]'],
  [
    'agentspan-ai/agentspan#15 deployment/k8s/server.yaml',
    {},
    {
      env: [
        { name: 'SPRING_DATASOURCE_URL', value: 'jdbc:postgresql://$(POSTGRES_HOST):5432/agentspan' },
        { name: 'POSTGRES_HOST', value: 'postgres' },
      ],
    },
    'move POSTGRES_HOST to the start of env',
  ],
])('%s has such a setting', (_, podSpec, container, said) => {
  expect(told(podSpec, container)).toContainEqual(expect.stringContaining(said));
});
