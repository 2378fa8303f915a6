import { App, Chart, Testing } from 'cdk8s';
import { artifactsOf, EdgeCluster, HostNetworkNodePool, KubeadmConfigTemplate } from 'edge-nodepools';
import { KuryrKubernetes, OpenStackMachines } from 'edge-nodepools/control-plane';
import { KURYR } from '../bad-inputs/kuryr.js';

const PASSWORD = { userName: 'kuryr', domainName: 'Default', projectName: 'k8s', password: 'canary' };
const login = (password: string): any => ({
  keystone: { authUrl: 'https://keystone.example/v3', password: { ...PASSWORD, password } },
});

/** The objects, by kind and name, and the files. */
function made(more: object = {}): { readonly [name: string]: any } {
  const chart = new Chart(new App(), 'chart');
  new KuryrKubernetes(chart, 'kuryr', { ...KURYR, ...more });
  const objects = Testing.synth(chart);
  return {
    ...Object.fromEntries(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object])),
    objects,
    files: artifactsOf(chart),
  };
}

const conf = (more?: object): string => made(more)['ConfigMap kuryr-config'].data['kuryr.conf'];

describe('kuryr-kubernetes', () => {
  it('only allocates addresses: no handler of Services, namespaces or network policies is on', () => {
    expect(conf().match(/^enabled_handlers.*$/gm)).toEqual(['enabled_handlers = "vif,kuryrport"']);
    expect(conf()).not.toMatch(/service_subnet|octavia|namespace/i);
  });

  it('says on every object that it is retired, and what to use instead', () => {
    for (const { metadata } of made({ ...login('canary'), inManifest: true }).objects) {
      expect(metadata.annotations['edge-nodepools/retired']).toMatch(/retired in 2024.*OVN-Kubernetes/);
    }
    expect(JSON.stringify(made(login('canary')).files)).toContain('edge-nodepools/retired');
  });

  it('puts hostPort after itself, unless that is done elsewhere', () => {
    const list = (more?: object): any =>
      JSON.parse(made(more)['ConfigMap kuryr-config'].data['kuryr.conflist.template']).plugins;
    expect(list()).toEqual([
      { type: 'kuryr-cni', kuryr_conf: '/etc/kuryr/kuryr.conf' },
      { type: 'portmap', capabilities: { portMappings: true } },
    ]);
    expect(list({ portmap: false })).toHaveLength(1);
  });

  it('keeps credentials in a Secret, in no manifest, and from the nodes', () => {
    const { objects, files, ...all } = made(login('canary'));
    expect(JSON.stringify(objects)).not.toMatch(/canary|keystone/);
    const [file, ...others] = files;
    expect([file.path, file.isSecret, others]).toEqual(['secrets/kube-system-kuryr-credentials.json', true, []]);
    expect(JSON.parse(file.content).stringData['credentials.conf']).toContain('password = "canary"');
    const secrets = (object: any): unknown[] => JSON.stringify(object).match(/kuryr-credentials/g) ?? [];
    expect(secrets(all['Deployment kuryr-controller'])).toHaveLength(1);
    expect(secrets(all['DaemonSet kuryr-cni-ds'])).toEqual([]);
  });

  it('has the Secret among its manifests if that is asked for, or only its name', () => {
    const { files, ...all } = made({ ...login('canary'), inManifest: true });
    expect([all['Secret kuryr-credentials'].stringData['credentials.conf'], files]).toEqual([
      expect.stringContaining('canary'),
      [],
    ]);
    const own = made({ keystone: undefined, secretName: 'mine' });
    expect(own.files).toEqual([]);
    const [, { secret }] = own['Deployment kuryr-controller'].spec.template.spec.volumes[0].projected.sources;
    expect(secret.name).toBe('mine');
  });

  it.each([
    ['a$b${c}$$', String.raw`"a\$b\${c}\$\$"`],
    [String.raw`a\$b`, String.raw`"a\\$b"`],
    ['"quoted"', '""quoted""'],
    [' blank ', '" blank "'],
  ])('writes %j as oslo.config reads it', (given, written) => {
    const { files } = made(login(given));
    expect(JSON.parse(files[0].content).stringData['credentials.conf']).toContain(`\npassword = ${written}\n`);
  });

  it('is excluded from host-network nodes, by the label that they have', () => {
    const key = 'eks.amazonaws.com/compute-type';
    const hybrid = { hostNetworkLabel: { key, value: 'hybrid' }, apiServer: '10.0.0.1:6443' };
    const other = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36', ...hybrid });
    for (const [cluster, label] of [
      [KURYR.cluster, { key: 'nodepool.openyurt.io/hostnetwork', operator: 'NotIn', values: ['true'] }],
      [other, { key, operator: 'NotIn', values: ['hybrid'] }],
    ] as const) {
      for (const name of ['Deployment kuryr-controller', 'DaemonSet kuryr-cni-ds']) {
        const { affinity } = made({ cluster })[name].spec.template.spec;
        const [term] = affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;
        expect(term.matchExpressions).toEqual([label]);
      }
    }
  });

  it('is excluded once, also in a chart from which every workload is', () => {
    const chart = new Chart(new App(), 'chart');
    new HostNetworkNodePool(chart, 'pool', { cluster: KURYR.cluster, poolName: 'shops' });
    new KuryrKubernetes(chart, 'kuryr', KURYR);
    expect(Testing.synth(chart).filter(({ kind }) => kind === 'DaemonSet')).toEqual([made()['DaemonSet kuryr-cni-ds']]);
  });

  it('starts again when its configuration changes, and only then', () => {
    const hash = (more?: object): string =>
      made(more)['DaemonSet kuryr-cni-ds'].spec.template.metadata.annotations['checksum/config'];
    expect(hash()).toBe(hash(login('other')));
    expect(new Set([hash(), hash({ portmap: false }), hash({ ovsBridge: 'br-ex' })]).size).toBe(3);
  });

  it('lets its CustomResourceDefinition keep the status that it writes with the object', () => {
    const [{ schema, ...version }] = made()['CustomResourceDefinition kuryrports.openstack.org'].spec.versions;
    expect(version).not.toHaveProperty('subresources');
    expect(schema.openAPIV3Schema.properties.status['x-kubernetes-preserve-unknown-fields']).toBe(true);
    expect(made({ definition: 'external' })).not.toHaveProperty(['CustomResourceDefinition kuryrports.openstack.org']);
  });

  it('has ports in trunks, from a pool', () => {
    const id = '0c5e2b1e-0000-4000-8000-000000000009';
    const nested = { vifDriver: 'nested-vlan', workerSubnets: [id], linkInterface: 'eth1', pool: { max: 20 } };
    expect(conf(nested)).toContain(
      `\n[pod_vif_nested]\nworker_nodes_subnets = "${id}"\n\n[binding]\nlink_iface = "eth1"\n`,
    );
    expect(conf(nested)).toContain('vif_pool_driver = "nested"');
    expect(conf({ pool: {} })).toContain('vif_pool_driver = "neutron"');
    expect(conf()).toContain('vif_pool_driver = "noop"');
  });
});

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });

/** The objects of the machines of one pool. */
function machines(more: object = {}): any[] {
  const chart = new Chart(new App(), 'chart', { namespace: 'clusters' });
  const pool = HostNetworkNodePool.fromPoolName(chart, 'pool', { cluster, poolName: 'shops' });
  const bootstrapTemplate = new KubeadmConfigTemplate(chart, 'join', { pool, name: 'shops-join' }).templateName;
  const image = { version: 'v1.34.2', flavor: 'm1.small', image: 'ubuntu' };
  new OpenStackMachines(chart, 'machines', { pool, clusterName: 'edge', bootstrapTemplate, ...image, ...more });
  return Testing.synth(chart).filter(({ kind }: any) => kind !== 'KubeadmConfigTemplate');
}

describe('machines of OpenStack', () => {
  it('are a MachineDeployment for each failure domain, of one template', () => {
    const [template, ...deployments] = machines({ failureDomains: ['az1', 'AZ_2'], replicas: 3 });
    expect(deployments.map(({ metadata }) => metadata.name)).toEqual(['shops-az1', 'shops-az-2']);
    for (const { spec } of deployments) {
      expect(spec.selector.matchLabels).toEqual(spec.template.metadata.labels);
      expect(spec.template.spec.infrastructureRef.name).toBe(template.metadata.name);
      expect(spec.template.spec.bootstrap.configRef.name).toBe('shops-join');
      expect(spec.replicas).toBe(3);
    }
    expect(deployments.map(({ spec }) => spec.template.spec.failureDomain)).toEqual(['az1', 'AZ_2']);
  });

  it('say the same in the fields of both versions', () => {
    const ports = [{ network: 'edge', portSecurity: false }];
    const spec = (providerVersion: string): any => machines({ ports, providerVersion })[0].spec.template.spec;
    expect(spec('v1beta1')).toMatchObject({ flavor: 'm1.small', ports: [{ disablePortSecurity: true }] });
    expect(spec('v1beta2')).toMatchObject({
      flavor: { filter: { name: 'm1.small' } },
      ports: [{ enablePortSecurity: false }],
    });
  });

  it('are referenced as the version of Cluster API does', () => {
    const reference = (clusterApiVersion: string): any =>
      machines({ clusterApiVersion })[1].spec.template.spec.infrastructureRef;
    expect(reference('v1beta1').apiVersion).toBe('infrastructure.cluster.x-k8s.io/v1beta1');
    expect(reference('v1beta2').apiGroup).toBe('infrastructure.cluster.x-k8s.io');
  });

  it('are another template when they change, and the same when they do not', () => {
    const name = (more?: object): string => machines(more)[0].metadata.name;
    expect(name()).toBe(name({ replicas: 5 }));
    expect(name()).not.toBe(name({ flavor: 'm1.large' }));
    expect(name()).toMatch(/^shops-machine-[0-9a-f]{10}$/);
  });
});
