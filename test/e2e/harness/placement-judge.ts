import { spawnSync } from 'node:child_process';
import { pathOf, type Tool } from './tool.js';

/** The packages of kube-scheduler, of the DaemonSet controller and of kubelet's admission, on a cluster that is given as JSON. */
export const PLACEMENT_JUDGE: Tool = { name: 'placement-judge', module: 'placement-judge', package: '.' };

/** The judge of another minor, `1.37=<path>`: main.go of the module, built with the modules of that minor. */
const [otherMinor, otherPath] = process.env.EDGE_NODEPOOLS_PLACEMENT_JUDGE?.split('=') ?? [];
/** The minor of the judge, if it is another one than the module has. */
export const OTHER_JUDGED_MINOR = otherMinor;

/** A cluster, and the Pods that are asked about. */
export interface Question {
  readonly nodes: readonly object[];
  /** Pods that are bound to nodes. */
  readonly pods: readonly object[];
  readonly namespaces: readonly object[];
  readonly claims: readonly object[];
  readonly volumes: readonly object[];
  readonly storageClasses: readonly object[];
  readonly asked: readonly { readonly pod: object; readonly daemon: boolean }[];
}

/** For each node who refuses a Pod, and why; without `by` it is accepted. */
export type Answer = Readonly<Record<string, { readonly by?: string; readonly reasons?: readonly string[] }>>;

/** The answers for each question, one for each Pod. */
export function askPlacementJudge(questions: readonly Question[]): Answer[][] {
  const { status, stdout, stderr } = spawnSync(otherPath ?? pathOf(PLACEMENT_JUDGE), {
    input: questions.map((question) => JSON.stringify(question)).join('\n'),
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  });
  const lines = stdout.split('\n').slice(0, -1);
  if (status !== 0 || lines.length !== questions.length) {
    throw new Error(`placement-judge answered ${lines.length} of ${questions.length} questions: ${stderr}`);
  }
  return lines.map((line) => JSON.parse(line) as Answer[]);
}
