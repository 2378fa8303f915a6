/** A node that has joined, as a folder with fake programs, for the scripts that update it. */
import { JoinToken, type NodeJoin, type NodeJoinProps } from 'edge-nodepools';
import { declareJoin, type WAYS } from '../properties/join-arbitraries.js';
import { Folder, PEM, TOKEN } from './machine-folder.js';

const KUBEADM = { openYurt: 'none', kubernetes: '1.36', via: 'kubeadm' } as const;
export const CONFIG = '/var/lib/kubelet/config.yaml';
export const FLAGS = '/var/lib/kubelet/kubeadm-flags.env';
export const PATCH = '/etc/kubernetes/patches/kubeletconfiguration0+strategic.json';
const KUBELET_CONF = `current-context: default\nkind: Config\nusers:\n- name: default-auth\n  user:\n    client-certificate: ${PEM}\n    client-key: ${PEM}\n`;
export const APPLIED = '/var/lib/edge-nodepools/applied';

export const declared = (props: Partial<NodeJoinProps> = {}, way: (typeof WAYS)[number] = KUBEADM): NodeJoin =>
  declareJoin(way, JoinToken.inline(TOKEN), {
    nodeName: 'till-1',
    labels: { site: 'a' },
    timeouts: { kubeletHealthCheck: '5s' },
    ...props,
  }).join;

export const updateOf = (props: Partial<NodeJoinProps> = {}, way: (typeof WAYS)[number] = KUBEADM): string =>
  declared(props, way).updateScript ?? '';

/** A node that has joined, whose kubeadm writes the patch into the configuration, and whose kubelet refuses `maxPods: 13`. */
export class UpdatedNode extends Folder {
  constructor(joined: Partial<NodeJoinProps> = {}, shell = 'sh') {
    super(shell);
    this.write('/etc/apt/sources.list.d/other.list', '');
    this.program('sleep', 'exit 0');
    this.program('openssl', 'exit 1');
    // what is on the disk while the update counts as unfinished
    this.program('sync', `[ ! -e /var/lib/edge-nodepools/update/changing ] || cp ${CONFIG} /run/on-disk`);
    this.program(
      'kubeadm',
      `mkdir -p /etc/kubernetes/tmp/kubeadm-kubelet-config-2026; [ ! -e /run/offline ] || exit 1
       echo "$*" >> /run/upgrades; { echo 'kind: KubeletConfiguration'; cat ${PATCH} 2>/dev/null; } > ${CONFIG}; exit 0`,
    );
    this.program(
      'systemctl',
      `echo "$*" >> /run/systemctl; case $* in 'restart containerd') [ ! -e /run/no-runtime ] ;; 'restart kubelet') cp ${CONFIG} /run/running ;; esac`,
    );
    this.program('kubelet', 'echo Kubernetes v$(cat /run/version 2>/dev/null || echo 1.36.2)');
    this.program('curl', `! grep -q '"maxPods": 13' /run/running`);
    this.program(
      'kubectl',
      `case $* in *patch*) [ ! -e /run/forbidden ] && for word; do case $word in '{'*) echo "$word" >> /run/patches ;; esac; done ;;
       */version) echo '{ "gitVersion": "v'$(cat /run/server)'" }' ;;
       */nodes/*) cat /run/node ;; esac`,
    );
    // what its join has left; test/e2e/groups/join has a real one
    const { files, script, joinConfiguration } = declared(joined);
    files
      .filter(({ path }) => !path.startsWith('/run/'))
      .forEach(({ path, content }) => this.write(path, this.moved(content)));
    this.write('/etc/kubernetes/kubelet.conf', this.moved(KUBELET_CONF));
    this.write(PEM, '-----END CERTIFICATE-----\n-----END EC PRIVATE KEY-----\n');
    this.write(
      '/var/lib/kubelet/instance-config.yaml',
      'containerRuntimeEndpoint: "unix:///run/containerd/containerd.sock"\n',
    );
    this.write(CONFIG, `kind: KubeletConfiguration\n${this.read(PATCH)}`);
    this.write(APPLIED, `${[...new Set(script.match(/(?<=^|')[0-9a-f]{8} [^'\n]*/gm))].join('\n')}\n`);
    const { kubeletExtraArgs, taints } = joinConfiguration.nodeRegistration as any;
    const words = (kubeletExtraArgs as { name: string; value: string }[]).map(
      ({ name, value }) => `--${name}=${value}`,
    );
    const registered = (taints as any[]).map(({ key, value, effect }) => `${key}=${value}:${effect}`).join(',');
    this.write(
      FLAGS,
      `KUBELET_KUBEADM_ARGS="${[...(registered === '' ? [] : [`--register-with-taints=${registered}`]), '--hostname-override=till-1', ...words].join(' ')}"\n`,
    );
    this.write('/run/systemctl', '');
    this.write('/run/running', this.read(CONFIG));
  }

  /** Everything that an update may change. */
  public get settings(): readonly string[] {
    return [
      PATCH,
      CONFIG,
      FLAGS,
      APPLIED,
      '/var/lib/kubelet/instance-config.yaml',
      '/etc/motd',
      '/etc/containerd/config.toml',
    ].map((path) => this.read(path));
  }

  public get restarts(): string[] {
    return this.read('/run/systemctl')
      .split('\n')
      .filter((line) => line.startsWith('restart'));
  }
}
