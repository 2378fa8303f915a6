/** What runs on machines, as it is rendered: valid for shellcheck, and readable on a screen. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { App, Chart } from 'cdk8s';
import {
  artifactsOf,
  EdgeCluster,
  EdgePreconditions,
  EdgeWarnings,
  JoinToken,
  type NodeJoin,
  type NodeJoinProps,
} from 'edge-nodepools';
import { EtcdCluster } from 'edge-nodepools/control-plane';
import { parse } from 'yaml';
import { ProblemList } from '../../src/base/errors.js';
import { readState } from '../../src/preconditions/cluster-state.js';
import { reportPreconditions } from '../../src/preconditions/report.js';
import { MEMBERS } from '../bad-inputs/etcd.js';
import { corednsConfigMap, corednsDeployment, kubeDns, kubeProxyConfigMap, staticPod } from '../corpus/kube-system.js';
import { isFullDepth } from '../depth.js';
import { dumpOf } from '../adopt/dump.js';
import { planned } from '../adopt/planned.js';
import { declareJoin } from '../properties/join-arbitraries.js';

const KUBEADM = { openYurt: '1.7', kubernetes: '1.34', via: undefined } as const;
const YURTADM = { openYurt: '1.6', kubernetes: '1.30', via: 'yurtadm' } as const;
const FILE = JoinToken.fromFile('/var/lib/edge/join-token');
const TIMED = JoinToken.fromCommand('cat /var/lib/edge/token', { timeoutSeconds: 5 });

const join = (props: Partial<NodeJoinProps> = {}, token = FILE, way: Parameters<typeof declareJoin>[0] = KUBEADM) =>
  declareJoin(way, token, props).join;
const packages = (
  manager: 'apt' | 'dnf',
  name?: 'containerd' | 'containerd.io' | 'cri-o',
  folder?: string,
): NonNullable<NodeJoinProps['packages']> => ({
  manager,
  version: '1.34.2',
  ...(name === undefined ? {} : { runtime: { name } }),
  ...(folder === undefined ? {} : { folder }),
});
const FOLDER = '/var/lib/edge/packages';

const SITES = ['berlin', 'hamburg', 'munich', 'cologne', 'frankfurt'];

/** Lists of which each is longer than a line. */
const LISTS: Partial<NodeJoinProps> = {
  labels: Object.fromEntries(SITES.map((site) => [`shops.example/${site}`, `rack-of-${site}`])),
  taints: SITES.map((site) => ({ key: `shops.example/${site}`, value: 'true', effect: 'NoSchedule' as const })),
  kubeletExtraArgs: { 'feature-gates': SITES.map((site) => `Gate${site}=true`).join(','), 'node-ip': '192.0.2.11' },
  ignorePreflightErrors: ['Swap', 'NumCPU', 'Mem', 'Port-10250', 'FileAvailable--etc-kubernetes-pki-ca.crt'],
  proxy: {
    httpsProxy: 'http://proxy.example:3128',
    noProxy: SITES.map((site) => `registry.${site}.shops.example`),
  },
  ntpServers: SITES.map((site) => `ntp.${site}.shops.example`),
};

/** Every `.sh` file of joins is in one of these. */
const JOINS: Readonly<Record<string, () => NodeJoin>> = {
  plain: () => join(),
  'with a command for the token, and a service': () => join({ service: {} }, JoinToken.fromCommand('cat /run/token')),
  'with a timed command for the token': () => join({}, TIMED),
  'with an inline token': () => join({ ntpServers: ['ntp.example'] }, JoinToken.inline('k3x9q2.7v1m0c8z4b6n5j2h')),
  'with commands and settings': () =>
    join({
      preJoinCommands: ['true', ['echo', "it's"]],
      postJoinCommands: ['true'],
      sandboxImage: 'registry.example/pause:3.10',
      kubeletConfiguration: { maxPods: 30 },
      proxy: { httpsProxy: 'http://proxy.example:3128', credentialsFile: '/var/lib/edge/proxy' },
      machineSettings: {
        swap: 'off',
        modules: ['br_netfilter'],
        sysctl: { 'vm.overcommit_memory': '1' },
        diskSize: '16Gi',
        watchdogSeconds: 30,
        imageFolder: '/var/lib/edge/images',
        images: ['registry.example/agent:1'],
      },
      staticPods: [agent()],
    }),
  'of several machines, with the token removed': () =>
    join(
      { machines: [{ name: 'till-1' }, { name: 'till-2' }], ntpServers: ['ntp.example'] },
      JoinToken.fromFile('/var/lib/edge/join-token', { removeAfterJoin: true }),
    ),
  'with long lists': () => join({ ...LISTS, nodeName: 'till-1' }),
  'with long lists, by yurtadm': () => join({ ...LISTS }, FILE, YURTADM),
  'by yurtadm': () => join({}, FILE, YURTADM),
  'of several machines by yurtadm': () => join({ machines: [{ name: 'till-1' }] }, FILE, YURTADM),
  'with apt and the containerd of Docker': () => join({ packages: packages('apt', 'containerd.io') }),
  'with apt and CRI-O': () =>
    join({
      packages: packages('apt', 'cri-o'),
      runtime: 'cri-o',
      machineSettings: { imageFolder: '/var/lib/edge/images' },
    }),
  'with apt and a folder': () => join({ packages: packages('apt', 'containerd', FOLDER) }),
  'with dnf and the containerd of Docker': () => join({ packages: packages('dnf', 'containerd.io') }),
  'with dnf and CRI-O': () => join({ packages: packages('dnf', 'cri-o'), runtime: 'cri-o' }),
  'with dnf and a folder': () => join({ packages: packages('dnf', 'containerd', FOLDER) }),
};

/** A static Pod. */
function agent() {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'agent', namespace: 'edge' },
    spec: { containers: [{ name: 'agent', image: 'registry.example/agent:1' }] },
  };
}

/** Every script of a join; one that is in another one as a text is looked at as it runs. */
function scriptsOf({ files, script, updateScript = '', preflightScript, leaveScript }: NodeJoin): string[] {
  const ofUpdate = /(?<=<<'(END_OF_UPDATE_*)'\n)[^]*(?=^\1$)/m.exec(updateScript)?.[0] ?? '';
  const onMachine = files.filter(({ path }) => path.endsWith('.sh')).map(({ content }) => content);
  return [...onMachine, preflightScript, leaveScript, ofUpdate, updateScript, script].filter((text) => text !== '');
}

/** The configuration of yurt-manager, which has lost its webhooks. */
const WEBHOOKS = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
  metadata: { name: 'yurt-manager-mutating-webhook-configuration' },
};

/** What other nouns write for machines and for people, `#!/bin/sh` at its beginning. */
const OTHERS: Readonly<Record<string, () => string[]>> = {
  'of preconditions': () => {
    const app = new App();
    EdgeWarnings.setMode(app, 'silent');
    new EdgePreconditions(new Chart(app, 'chart'), 'all', {
      cluster: EdgeCluster.of({ openYurt: '1.5', kubernetes: '1.28' }),
      guide: 'tunnel',
      kubeControllerManager: { staticPod: staticPod() },
      corefile: { configMap: corednsConfigMap() },
      coreDnsService: { service: kubeDns() },
      coreDnsDaemonSet: { deployment: corednsDeployment() },
      kubeProxy: { configMap: kubeProxyConfigMap() },
    });
    return shellIn(artifactsOf(app));
  },
  'of what preconditions finds': () => {
    const problems = new ProblemList();
    const items = [
      ...dumpOf('1.5', '1.28'),
      corednsConfigMap(),
      kubeDns(),
      corednsDeployment(),
      { ...WEBHOOKS, webhooks: [] },
    ];
    const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    const cluster = EdgeCluster.of({ openYurt: '1.5', kubernetes: '1.28' });
    const { files } = reportPreconditions(
      cluster,
      undefined,
      readState([{ name: 'dump.json', text } as never], problems),
      problems,
    );
    return shellIn(files);
  },
  'of an upgrade': () => shellIn(planned(['1.5', '1.7'], ['1.34', '1.35']).files),
  'of an etcd cluster': () =>
    (['kubeadm', 'cert-manager'] as const).flatMap((source) => {
      const { members, certificatesScript = '' } = new EtcdCluster(new Chart(new App(), 'chart'), source, {
        cluster: EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' }),
        name: 'edge',
        members: MEMBERS,
        certificates: { source },
      });
      // the members differ in their values only, and not by the source of their certificates
      const ofMember = source === 'kubeadm' ? members.slice(0, 1) : [];
      const files = ofMember.flatMap(({ files: own, script }) => [...own, { content: script }]);
      return shellIn([...files, { content: certificatesScript }]);
    }),
  'of a seed': () =>
    join({ machines: [{ name: 'till-1', labels: { 'a.example/b': 'c' } }] }).seeds.flatMap(({ vendorData }) =>
      (parse(vendorData, { version: '1.1' }) as { content: string }[])
        .map(({ content }) => content.replace(/^#cloud-boothook\n/, ''))
        .filter((content) => content.startsWith('#!')),
    ),
};

const shellIn = (files: readonly { readonly content: string }[]): string[] =>
  files.map(({ content }) => content).filter((content) => content.startsWith('#!/bin/sh\n'));

const version = /version: (\d+)[.](\d+)/.exec(
  spawnSync('shellcheck', ['--version'], { encoding: 'utf8' }).stdout ?? '',
);
// busybox is a dialect from 0.10 on
const DIALECTS = ['sh', 'dash', ...(Number(version?.[2]) >= 10 ? ['busybox'] : [])];
// steps are called by name; words of paths and names are split on purpose; && || is no if; what only some joins read is set in all, or by a name
// with a number; echo makes one line of words; os-release is of the machine; awk and sed have $ and quotes of their own; ls shows what the runtime sorts
const EXCLUDED =
  'SC1003,SC1091,SC2005,SC2010,SC2015,SC2016,SC2030,SC2031,SC2034,SC2046,SC2086,SC2116,SC2154,SC2317,SC2329';

/** What shellcheck reports in any dialect. */
function reportedIn(scripts: readonly string[]): string[] {
  return (isFullDepth ? DIALECTS : ['dash']).flatMap((dialect) => {
    const options = [`--shell=${dialect}`, '--norc', '--severity=style', `--exclude=${EXCLUDED}`, '-'];
    return scripts
      .map((input) => spawnSync('shellcheck', options, { input, encoding: 'utf8' }).stdout)
      .filter((reported) => reported !== '');
  });
}

(version === null ? describe.skip : describe)('for shellcheck', () => {
  // each script takes up to two seconds of CPU in each dialect
  it.each(Object.keys(JOINS).slice(0, isFullDepth ? undefined : 1))(
    'every script of a join %s is valid in each dialect',
    (name) => {
      const scripts = scriptsOf(JOINS[name]?.() as NodeJoin);
      expect(scripts.length).toBeGreaterThan(3);
      expect(reportedIn(scripts)).toEqual([]);
    },
  );

  it.each(Object.keys(OTHERS).slice(0, isFullDepth ? undefined : 1))('every script %s is valid, too', (name) => {
    const scripts = OTHERS[name]?.() ?? [];
    expect(scripts.length).toBeGreaterThan(0);
    expect(reportedIn(scripts)).toEqual([]);
  });
});

const FILES = resolve(__dirname, '../../src/join');
const ofFile = (name: string): string => readFileSync(resolve(FILES, name), 'utf8');

describe('on a screen', () => {
  it('no line of a shell file is longer than 120 characters, also with the indentation of a cloud-config', () => {
    const long = readdirSync(FILES)
      .filter((name) => name.endsWith('.sh'))
      .flatMap((name) => ofFile(name).split('\n'))
      .filter((line) => line.length > 117);
    expect(long).toEqual([]);
  });

  it('every section of a shell file is a part of a join above, as it is', () => {
    const texts = Object.values(JOINS).flatMap((make) => {
      const { userData, seeds, ...made } = make();
      const indented = [userData, ...seeds.map(({ vendorData }) => vendorData)];
      return [...scriptsOf(made as NodeJoin), ...indented.map((text) => text.replace(/^ {1,4}/gm, ''))];
    });
    const sections = readdirSync(FILES)
      .filter((name) => name.endsWith('.sh'))
      .flatMap((name) => ofFile(name).split(/^(?=#: )/m));
    expect(sections.length).toBeGreaterThan(50);
    const unused = sections.filter((section) => {
      const text = section.replace(/^#: .*\n/, '').trimEnd();
      return !texts.some((made) => made.includes(text));
    });
    expect(unused).toEqual([]);
  });

  it('a plain join is short, and keeps its comments and its indentation', () => {
    const { userData, files } = join();
    const script = files.find(({ path }) => path.endsWith('/join.sh'))?.content ?? '';
    const lines = script.trimEnd().split('\n');
    // of 9 KiB before a record that a power cut has torn was read, and yurthub was started with kubelet
    expect(Buffer.byteLength(userData)).toBeLessThanOrEqual(9.75 * 1024);
    expect(lines.length).toBeLessThanOrEqual(150);
    expect(userData.split('\n').filter((line) => line.length > 120)).toEqual([]);
    expect(lines.filter((line) => line.trimStart().startsWith('# ')).length).toBeGreaterThan(12);
    expect(lines.filter((line) => line.startsWith('    ')).length).toBeGreaterThan(15);
    // rare cases are in the joins that have them
    expect(script).not.toMatch(/proxy|yurtadm|read_identity|install_packages|run_commands|containerd_settings|swapoff/);
  });

  // a variable that systemd reads from a file is one line
  const isLong = (line: string): boolean => line.length > 120 && !/^ *(Environment|KUBELET_EXTRA_ARGS)=/.test(line);

  it.each(Object.keys(JOINS))('no line of a join %s is longer than 120 characters, in any of its forms', (name) => {
    const { files, seeds, ...made } = JOINS[name]?.() as NodeJoin;
    const { userData, script, updateScript = '', preflightScript, leaveScript } = made;
    const forms = {
      ...{ userData, script, updateScript, preflightScript, leaveScript },
      ...Object.fromEntries(files.map(({ path, content }) => [path, content])),
      ...Object.fromEntries(seeds.flatMap((seed) => Object.entries(seed).map(([file, text]) => [file, String(text)]))),
    };
    const long = Object.entries(forms).flatMap(([form, text]) =>
      text
        .split('\n')
        .filter(isLong)
        .map((line) => `${form}: ${line}`),
    );
    expect(long).toEqual([]);
  });
});
