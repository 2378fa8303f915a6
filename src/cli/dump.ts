import { spawnSync } from 'node:child_process';
import { Argument, type Command } from 'commander';
import { shellCommand } from '../base/shell.js';
import { type Action, type CommandLine, EXIT, UsageError } from './command-line.js';
import { text } from './options.js';

/** One call of kubectl. */
interface KubectlCall {
  readonly kinds: string;
  /** Only this namespace.
   * @default - all */
  readonly namespace?: string;
  /** Whether a cluster need not have the kind.
   * @default false */
  readonly isOptional?: boolean;
  /** Whether only OpenYurt needs it.
   * @default false */
  readonly isOfOpenYurt?: boolean;
  /** Further arguments.
   * @default - none */
  readonly more?: readonly string[];
}

const POOLS = 'nodepools.apps.openyurt.io';
const optional = (...kinds: readonly string[]): KubectlCall[] =>
  kinds.map((each) => ({ kinds: each, isOptional: true }));

const MAKERS = 'deployments,replicasets,replicationcontrollers,daemonsets,statefulsets,jobs,cronjobs';
const VOLUMES = 'persistentvolumeclaims,persistentvolumes,storageclasses';
const POLICIES = [
  ...optional('validatingadmissionpolicies,validatingadmissionpolicybindings'),
  ...optional('mutatingadmissionpolicies,mutatingadmissionpolicybindings'),
];

/** How far the conversions of nodes are: their Jobs, the yurt-manager that makes them, and what nodes may do. */
const CONVERSIONS: readonly KubectlCall[] = [
  { kinds: 'jobs', more: ['--selector=openyurt.io/conversion-node'] },
  { kinds: 'deployments', more: ['--selector=app.kubernetes.io/name=yurt-manager'] },
  { kinds: 'clusterroles,clusterrolebindings' },
  { kinds: 'roles,rolebindings', namespace: 'kube-system' },
].map((call) => ({ ...call, isOptional: true, isOfOpenYurt: true }));

/** Everything that makes Pods, or decides where they run. */
const WORKLOADS: readonly KubectlCall[] = [
  { kinds: `nodes,namespaces,pods,${POOLS},${MAKERS},${VOLUMES}` },
  ...optional('runtimeclasses.node.k8s.io', 'priorityclasses.scheduling.k8s.io'),
  ...optional('yurtappsets.apps.openyurt.io', 'yurtappdaemons.apps.openyurt.io'),
  ...POLICIES,
];

/** The same, with what decides who reaches the Pods. */
const REACHED: readonly KubectlCall[] = [...WORKLOADS, ...optional('services,networkpolicies.networking.k8s.io')];

/** The same, with who wrote each field. */
function withOwners(calls: readonly KubectlCall[]): KubectlCall[] {
  return calls.map((call) => ({ ...call, more: ['--show-managed-fields'] }));
}

/** What each command reads of a cluster. */
const CALLS: Readonly<Record<string, readonly KubectlCall[]>> = {
  show: WORKLOADS,
  check: REACHED,
  diff: withOwners(WORKLOADS),
  explain: REACHED,
  simulate: WORKLOADS,
  nodes: [
    { kinds: `nodes,${POOLS},pods` },
    { kinds: 'configmaps', more: ['--selector=edge-nodepools/pool'] },
    ...CONVERSIONS,
  ],
  import: withOwners([
    { kinds: `nodes,${POOLS}` },
    { kinds: 'deployments,daemonsets,statefulsets,configmaps,services' },
    ...POLICIES,
  ]),
  preconditions: [
    { kinds: `namespaces,nodes,${POOLS},deployments,daemonsets` },
    { kinds: 'configmaps,services,pods', namespace: 'kube-system' },
    { kinds: 'mutatingwebhookconfigurations,validatingwebhookconfigurations' },
    ...CONVERSIONS.filter(({ kinds }) => kinds !== 'deployments'),
    ...POLICIES,
  ],
  upgrade: [
    { kinds: 'namespaces,nodes,pods,configmaps,deployments,clusterroles,customresourcedefinitions' },
    { kinds: 'mutatingwebhookconfigurations,validatingwebhookconfigurations' },
    ...optional(POOLS, 'yurtappdaemons.apps.openyurt.io', 'yurtappoverriders.apps.openyurt.io'),
  ],
};

interface Options {
  readonly print?: boolean;
  readonly openyurt?: string;
  readonly context?: string;
}

/** The output of kubectl, or undefined if it failed. */
function runKubectl(args: readonly string[]): string | undefined {
  const { status, stdout, error }: { status: number | null; stdout: string; error?: NodeJS.ErrnoException } = spawnSync(
    'kubectl',
    args,
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      maxBuffer: 2 ** 30,
    },
  );
  if (error?.code === 'ENOENT') {
    throw new UsageError('there is no kubectl on PATH; add --print, and run what it prints where kubectl is');
  }
  return status === 0 ? stdout : undefined;
}

/** `edge-nodepools dump`: writes what a command reads of a cluster to stdout. */
function runDump(command: string, { print, openyurt, context }: Options, line: CommandLine): number {
  const calls = (CALLS[command] ?? []).flatMap((call) => callOf(call, openyurt));
  const argsOf = (call: KubectlCall): string[] => [
    ...(context === undefined ? [] : ['--context', context]),
    'get',
    call.kinds,
    ...(call.namespace === undefined ? ['--all-namespaces'] : ['--namespace', call.namespace]),
    ...(call.more ?? []),
    '--output=yaml',
  ];
  if (print === true) {
    const lines = calls.map((call) => shellCommand('kubectl', ...argsOf(call)) + (call.isOptional ? ' || true' : ''));
    line.stdout(`${lines.join('\necho ---\n')}\n`);
    return EXIT.ok;
  }
  const run = line.kubectl ?? runKubectl;
  const texts = calls.map((call) => {
    const output = run(argsOf(call));
    if (output === undefined && call.isOptional !== true) {
      throw new UsageError(`kubectl could not read ${call.kinds}; in a cluster without OpenYurt, add --openyurt none`);
    }
    return output ?? '';
  });
  (line.manifests ?? line.stdout)(texts.filter((each) => each !== '').join('---\n'));
  return EXIT.ok;
}

/** A call without the kinds that a cluster without OpenYurt does not have. */
function callOf(call: KubectlCall, openYurt: string | undefined): KubectlCall[] {
  const kinds = call.kinds.split(',').filter((kind) => openYurt !== 'none' || !kind.endsWith('.openyurt.io'));
  return kinds.length === 0 || (openYurt === 'none' && call.isOfOpenYurt === true)
    ? []
    : [{ ...call, kinds: kinds.join(',') }];
}

/** The options of `edge-nodepools dump`. */
export function addDump(program: Command, action: Action): void {
  program
    .command('dump')
    .description('runs kubectl, and writes what a command reads of a cluster to stdout')
    .addArgument(new Argument('<command>', 'the command that reads it').choices(Object.keys(CALLS)))
    .option('--print', 'print the lines of kubectl, and run nothing')
    .option('--openyurt <release>', 'none: a cluster without OpenYurt', text)
    .option('--context <name>', 'context of the kubeconfig', text)
    .addHelpText(
      'after',
      '\nIt is the only command that runs another program: kubectl get, and nothing that\nchanges a cluster. No Secret is read.\n\nExit code 0: written. 2: kubectl failed.',
    )
    .action(action(runDump));
}
