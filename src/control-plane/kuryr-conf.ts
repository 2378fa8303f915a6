import { wayOf } from './openstack-credentials.js';
import type { KuryrKeystone, KuryrKubernetesProps } from './kuryr-props.js';

/** Folders in the containers. The controller reads every `*.conf` in the first (`--config-dir`, controller.Dockerfile), the daemon only `kuryr.conf` (cni_ds_init). */
export const CONF_FOLDER = '/etc/kuryr';
/** What cni_ds_init copies to the node, unless the node has a template of its own. */
export const CONFLIST_FOLDER = '/etc/kuryr-cni';
export const CONF_FILE = 'kuryr.conf';
export const CREDENTIALS_FILE = 'credentials.conf';
export const CONFLIST_FILE = 'kuryr.conflist.template';
export const CA_FILE = 'ca-bundle.crt';

/** What kuryr.conf is made of. */
export type ConfInput = Pick<
  KuryrKubernetesProps,
  'project' | 'podSubnet' | 'podSecurityGroups' | 'vifDriver' | 'ovsBridge' | 'workerSubnets' | 'linkInterface' | 'pool'
> & { readonly apiServer: string; readonly hasCertificates: boolean };

type Sections = Readonly<Record<string, Readonly<Record<string, string | number | undefined>>>>;

/** Sections in the format of oslo.config. Values are in quotes, of which it removes one pair, and `\$` is a dollar, which else begins a reference. */
function iniOf(sections: Sections): string {
  return Object.entries(sections)
    .map(([name, options]) => ({ name, lines: Object.entries(options).filter(([, value]) => value !== undefined) }))
    .filter(({ lines }) => lines.length > 0)
    .map(({ name, lines }) =>
      [
        `[${name}]`,
        ...lines.map(([option, value]) => `${option} = "${String(value).replaceAll('$', '\\$')}"`),
        '',
      ].join('\n'),
    )
    .join('\n');
}

/**
 * The settings of controller and daemon, without credentials. Kuryr only allocates addresses: of its handlers those of Services are off, which kube-proxy
 * serves. Names of options: kuryr_kubernetes/config.py and controller/drivers/vif_pool.py of release 10.0.0.
 */
export function kuryrConf(input: ConfInput): string {
  const account = '/var/run/secrets/kubernetes.io/serviceaccount';
  const { pool, vifDriver = 'neutron-vif' } = input;
  const poolDriver = vifDriver === 'neutron-vif' ? 'neutron' : 'nested';
  const helper = { helper_command: 'privsep-helper' };
  return iniOf({
    // without it oslo.log writes nowhere
    DEFAULT: { use_stderr: 'true' },
    kubernetes: {
      api_root: `https://${input.apiServer}`,
      token_file: `${account}/token`,
      ssl_ca_crt_file: `${account}/ca.crt`,
      ssl_verify_server_crt: 'true',
      enabled_handlers: 'vif,kuryrport',
      pod_vif_driver: vifDriver,
      vif_pool_driver: pool === undefined ? 'noop' : poolDriver,
    },
    neutron: { cafile: input.hasCertificates ? `${CONF_FOLDER}/${CA_FILE}` : undefined },
    neutron_defaults: {
      project: input.project,
      pod_subnet: input.podSubnet,
      pod_security_groups: input.podSecurityGroups.join(','),
      ovs_bridge: input.ovsBridge ?? 'br-int',
    },
    pod_vif_nested: { worker_nodes_subnets: input.workerSubnets?.join(',') },
    binding: { link_iface: input.linkInterface },
    vif_pool: { ports_pool_min: pool?.min, ports_pool_max: pool?.max, ports_pool_batch: pool?.batch },
    // network namespaces of processes are below the /proc of the node
    cni_daemon: { docker_mode: 'true', netns_proc_dir: '/host_proc' },
    // the container is privileged, and has no sudo
    vif_plug_ovs_privileged: helper,
    vif_plug_linux_bridge_privileged: helper,
  });
}

/** The credentials, for the controller only: the daemon never calls Keystone or Neutron (cni/daemon/service.py sets up the client of Kubernetes only). */
export function credentialsConf(keystone: KuryrKeystone): string {
  const { authUrl, region, applicationCredential, password } = keystone;
  return iniOf({
    neutron: {
      auth_type: wayOf(keystone) === 'password' ? 'password' : 'v3applicationcredential',
      auth_url: authUrl,
      region_name: region,
      application_credential_id: applicationCredential?.id,
      application_credential_secret: applicationCredential?.secret,
      username: password?.userName,
      password: password?.password,
      user_domain_name: password?.domainName,
      project_domain_name: password?.domainName,
      project_name: password?.projectName,
    },
  });
}

/** The list of CNI plugins. Kuryr's answers in version 0.3.1 whatever it is asked (kuryr_cni/pkg/main.go), so the list is of that version. */
export function conflist(hasPortmap: boolean): string {
  const plugins = [
    { type: 'kuryr-cni', kuryr_conf: `${CONF_FOLDER}/${CONF_FILE}` },
    ...(hasPortmap ? [{ type: 'portmap', capabilities: { portMappings: true } }] : []),
  ];
  return `${JSON.stringify({ name: 'kuryr', cniVersion: '0.3.1', plugins }, undefined, 2)}\n`;
}
