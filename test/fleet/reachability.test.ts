/** Who can talk to whom: Services, NetworkPolicies and addresses of Pods on host-network nodes. */
import { checkManifests } from 'edge-nodepools/checks';
import { MEMBER, pool, run } from '../cli/fleet-objects.js';

const labels = { app: 'agent' };
const agent = (spec: object, more: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'shop' },
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        hostNetwork: true,
        nodeSelector: { [MEMBER]: 'hz' },
        containers: [{ name: 'agent', image: 'agent', ports: [{ name: 'metrics', containerPort: 9110 }], ...more }],
        ...spec,
      },
    },
  },
});
const service = (spec: object, name = 'db', namespace = 'shop'): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace },
  spec: { selector: labels, ports: [{ port: 5432 }], ...spec },
});
const policy = (podSelector: object, namespace = 'shop'): object => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'deny', namespace },
  spec: { podSelector, policyTypes: ['Ingress'] },
});
const POOLS = [pool('hz', true), pool('office', false)];
const found = (...objects: object[]): string[] =>
  checkManifests([...POOLS, ...objects]).findings.map(({ level, code, path }) => `${level} ${code} ${path}`);

describe('check of who can talk to whom', () => {
  const web = { ...agent({ hostNetwork: false, nodeSelector: { [MEMBER]: 'office' } }), kind: 'Deployment' };

  it.each([
    ['its labels', agent({}), policy({ matchLabels: labels }), true],
    ['all Pods of its namespace', agent({}), policy({}), true],
    ['other labels', agent({}), policy({ matchLabels: { app: 'other' } }), false],
    ['another namespace', agent({}), policy({}, 'bank'), false],
    ['a Pod with a network of its own', web, policy({}), false],
  ])('warns of a NetworkPolicy that selects only Pods with hostNetwork: %s', (_, workload, made, isFound) => {
    expect(found(workload, made)).toEqual(isFound ? ['warning EDGE_POLICY_UNENFORCED spec.podSelector'] : []);
    // one Pod that it protects is enough
    expect(found(agent({}), web, policy({ matchLabels: labels }))).toEqual([]);
  });

  it.each<[what: string, more: object, path: string | undefined]>([
    ['a URL', { args: ['--db', 'http://db:5432/x'] }, 'args[1]'],
    ['a URL with a password, of a list', { env: [{ name: 'X', value: 'amqp://u:p@mq:1,db:2' }] }, 'env[0].value'],
    ['a URL in a script', { command: ['sh', '-c', "curl 'http://db'"] }, 'command[2]'],
    ['a variable of a host', { env: [{ name: 'DB_HOST', value: 'db' }] }, 'env[0].value'],
    ['a variable of hosts', { env: [{ name: 'brokers', value: 'mq:9092, db:9092' }] }, 'env[0].value'],
    ['a variable with its port', { env: [{ name: 'DB', value: 'db:5432' }] }, 'env[0].value'],
    ['a flag with its port', { args: ['--upstream=db.shop:5432'] }, 'args[0]'],
    ['a headless Service', { args: ['--upstream=peers:7000'] }, 'args[0]'],
    ['another port', { args: ['--image=db:16'] }, undefined],
    ['a variable of no host', { env: [{ name: 'ROLE', value: 'db' }] }, undefined],
    ['a variable of a host, by another name', { env: [{ name: 'DB_HOST', value: 'db.example.com' }] }, undefined],
    ['a path', { args: ['--out=http://files.example.com/db:5432'] }, undefined],
    ['the namespace of another', { args: ['--upstream=db.bank:5432'] }, undefined],
    ['a Service of another namespace', { env: [{ name: 'DB_HOST', value: 'cache' }] }, undefined],
  ])('warns of the name of a Service that is there: %s', (_, more, path) => {
    const services = [service({}), service({ clusterIP: 'None' }, 'peers'), service({}, 'cache', 'bank')];
    const expected =
      path === undefined ? [] : [`warning EDGE_CLUSTER_SERVICE spec.template.spec.containers[0].${path}`];
    expect(found(agent({}, more), ...services)).toEqual(expected);
    expect(found(agent({}, more))).toEqual([]);
    // the file hosts of its Pods has it, and regular nodes have a kube-proxy
    const hostAliases = [{ ip: '192.0.2.1', hostnames: ['db', 'db.shop', 'peers'] }];
    expect(found(agent({ hostAliases }, more), ...services)).toEqual([]);
    expect(found(agent({ nodeSelector: { [MEMBER]: 'office' } }, more), ...services)).toEqual([]);
  });

  it('says the name without the password of a URL', () => {
    const findings = checkManifests([...POOLS, service({}), agent({}, { args: ['amqp://u:secret@db'] })]).findings;
    expect(findings.map(({ message }) => message)).toEqual([expect.stringContaining('"amqp://…@db" names Service')]);
  });

  const local = { type: 'NodePort', externalTrafficPolicy: 'Local' };
  const onBoth = agent({ nodeSelector: {} });
  const ports = [{ containerPort: 10256 }];
  const proxy = {
    ...agent({ nodeSelector: {} }, { ports }),
    metadata: { name: 'kube-proxy', namespace: 'kube-system' },
  };
  it.each<[what: string, objects: object[], field: string | undefined]>([
    ['a NodePort', [service(local), agent({})], 'externalTrafficPolicy'],
    ['a LoadBalancer', [service({ ...local, type: 'LoadBalancer' }), agent({})], 'externalTrafficPolicy'],
    ['a ClusterIP', [service({ internalTrafficPolicy: 'Local' }), agent({})], 'internalTrafficPolicy'],
    [
      'a ClusterIP with a field that it does not read',
      [service({ ...local, type: 'ClusterIP' }), agent({})],
      undefined,
    ],
    ['Cluster', [service({ type: 'NodePort' }), agent({})], undefined],
    ['Pods on regular nodes, too', [service(local), onBoth], undefined],
    ['no Pods', [service(local)], undefined],
    ['no selector', [service({ ...local, selector: undefined }), agent({})], undefined],
    ['a kube-proxy on the nodes', [service(local), agent({}), proxy], undefined],
  ])('warns of a Service that no node answers: %s', (_, objects, field) => {
    const of = found(...objects).filter((each) => each.includes('SERVICE'));
    expect(of).toEqual(field === undefined ? [] : [`warning EDGE_SERVICE_UNREACHABLE spec.${field}`]);
  });

  it('explain says from where a workload is reachable', () => {
    const joined = { ...pool('hz', true), spec: { hostNetwork: true, interConnectivity: true } };
    const reach = (...objects: object[]): string[] =>
      run(objects, 'explain', 'agent', '-').out.match(/(?:not )?reachable .*(?:\n {4}\w.*)*/g) ?? [];
    const others = 'reachable from other nodes of the pool: by the address of its node';
    expect(reach(pool('hz', true), agent({}))).toEqual([
      'reachable from Pods with hostNetwork on the same node: 127.0.0.1, port 9110',
      expect.stringContaining(`${others}, if they reach each other`),
      'reachable from regular nodes: by the address of its node, if they reach it',
    ]);
    expect(reach(joined, agent({}), service({}))).toEqual([
      expect.anything(),
      others,
      'reachable from regular nodes: by the address of its node, if they reach it, or by Service shop/db',
      'not reachable from host-network nodes by Service shop/db: they have no kube-proxy',
    ]);
    expect(reach(joined, agent({}), service({ internalTrafficPolicy: 'Local' }))).toHaveLength(3);
    expect(reach(pool('office', false), web, service({}))).toEqual([
      'reachable from regular nodes: by the address of the Pod, port 9110, or by Service shop/db',
      'not reachable from host-network nodes, which have no Pod network and no kube-proxy',
    ]);
    expect(reach(pool('hz', true), agent({}, { ports: [] }))).toEqual([]);
    expect(reach(pool('hz', true), web)).toEqual([]);
  });

  it('reads Services and NetworkPolicies of a cluster', () => {
    expect(run([], 'dump', 'check', '--print').out).toContain('networkpolicies');
  });
});
