// npm run test:mutations: breaks the library in ways that the proposal's documents would, and sees that an end-to-end group turns red.
// Each mutation is made in a copy of the checkout, never in the checkout itself.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { binOf, ensureInstalled, root } from './install.mjs';

const MUTATIONS = [
  {
    what: 'the exclusion is not added to the terms',
    file: 'src/kubernetes/node-affinity.ts',
    from: 'return requireInEveryTerm(terms, EXCLUSION, termExcludes);',
    to: "return [...(terms ?? [{ matchExpressions: [{ key: 'kubernetes.io/os', operator: 'Exists' }] }])];",
    group: 'excluded',
  },
  {
    what: 'pools of OpenYurt 1.7 are written as v1beta1',
    file: 'src/cluster/releases.ts',
    from: "nodePoolVersion: 'v1beta2'",
    to: "nodePoolVersion: 'v1beta1'",
    group: 'stored',
  },
  {
    what: 'the label is spelled as in the proposal',
    file: 'src/kubernetes/labels.ts',
    from: "'nodepool.openyurt.io/hostnetwork'",
    to: "'nodepool.openyurt.io/host-network'",
    group: 'excluded',
  },
  {
    what: 'a node does not bring the host-network label',
    file: 'src/pools/pool.ts',
    from: "...(mode === 'host-network' ? { [HOST_NETWORK_LABEL]: TRUE } : {}),",
    to: '',
    group: 'joins',
  },
  {
    what: 'the template of yurt-manager is not written',
    file: 'src/admission/openyurt-webhooks/configurations.ts',
    from: 'input.template === false ? {}',
    to: 'input.template !== false ? {}',
    group: 'webhooks',
  },
  {
    what: 'the Node webhook is written with failurePolicy Fail',
    file: 'src/cluster/shipped-webhooks.ts',
    from: "failurePolicy: 'Ignore'",
    to: "failurePolicy: 'Fail'",
    group: 'webhooks',
  },
  {
    what: 'a status write may take the host-network label away',
    file: 'src/admission/pool-policies.ts',
    from: "resources: ['nodes', 'nodes/status']",
    to: "resources: ['nodes']",
    group: 'admission',
  },
  {
    what: 'modes of files are numbers, as YAML 1.1 would read them',
    file: 'src/join/cloud-config.ts',
    from: 'permissions: fourDigits(permissions)',
    to: 'permissions: Number.parseInt(fourDigits(permissions), 8)',
    group: 'cloud-init',
  },
  {
    what: 'a failed join leaves the kubeconfig with the token',
    file: 'src/join/join-command.ts',
    from: 'leftovers: [BOOTSTRAP_KUBELET_CONF]',
    to: 'leftovers: []',
    group: 'join',
    what: 'objects that came by kubectl apply are applied server-side',
    file: 'src/preconditions/write-step.ts',
    from: 'return isByKubectl\n',
    to: 'return isByKubectl && false\n',
    group: 'preconditions',
  },
  {
    what: 'the Deployment of CoreDNS goes before the DaemonSet answers',
    file: 'src/preconditions/coredns-daemon-set.ts',
    from: 'commands: [`${KUBECTL} rollout status daemonset/coredns --timeout=5m`, SOMEBODY_ANSWERS],',
    to: 'commands: [],',
    group: 'preconditions',
  },
  {
    what: 'comments of a Corefile are lost',
    file: 'src/preconditions/corefile/tree.ts',
    from: 'return leading + raw;',
    to: "return leading.replace(/#.*/g, '') + raw;",
    group: 'corefile',
  },
  {
    what: 'post-render leaves the affinity out',
    file: 'src/workloads/post-render.ts',
    from: "[...path, 'spec', ...REQUIRED_PATH, 'nodeSelectorTerms'],",
    to: '',
    group: 'delivery',
  },
];

function copyOfCheckout() {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const copy = mkdtempSync(join(root, '.cache', 'mutation-'));
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const file of files.split('\n').filter((name) => name !== '')) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

function survives({ file, from, to, group }) {
  const copy = copyOfCheckout();
  try {
    const text = readFileSync(join(copy, file), 'utf8');
    if (!text.includes(from)) {
      throw new Error(`${file} does not hold what the mutation replaces: ${from}`);
    }
    writeFileSync(join(copy, file), text.replace(from, to));
    const { status, stdout } = spawnSync(process.execPath, [binOf('tsx'), 'test/e2e/run.ts', '--only', group], {
      cwd: copy,
      encoding: 'utf8',
    });
    const isRed = status === 1 && /[1-9]\d* failed/.test(stdout);
    if (!isRed) {
      console.log(stdout.split('\n').slice(-15).join('\n'));
    }
    return !isRed;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

ensureInstalled();
const survivors = MUTATIONS.filter((mutation) => {
  process.stdout.write(`${mutation.what}: `);
  const survived = survives(mutation);
  console.log(survived ? `NOT seen by ${mutation.group}` : `${mutation.group} turns red`);
  return survived;
});
process.exitCode = survivors.length === 0 ? 0 : 1;
