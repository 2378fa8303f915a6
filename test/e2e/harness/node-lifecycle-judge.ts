import { spawn } from 'node:child_process';
import type { NodeLifecycle } from '../../../src/fleet/node-lifecycle.js';
import { pathOf, type Tool } from './tool.js';

/** The node-lifecycle-controller and the taint-eviction-controller of a minor, unchanged, on Nodes in memory. */
export function nodeLifecycleJudge(minor: '1.30' | '1.36'): Tool {
  return { name: 'node-lifecycle-judge', module: `node-lifecycle-judge-${minor}`, package: '.' };
}

/** A Node. */
export interface JudgedNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Whether it never renews its Lease. */
  readonly silent: boolean;
  /** After how many seconds it is there again.
   * @default - never */
  readonly back?: number;
  /** Tolerations of a Pod on it.
   * @default - no Pod */
  readonly tolerations?: readonly object[];
}

/** Flags of kube-controller-manager, by which time is compressed. */
export type JudgedFlags = Pick<
  NodeLifecycle,
  | 'nodeMonitorPeriod'
  | 'nodeMonitorGracePeriod'
  | 'nodeEvictionRate'
  | 'secondaryNodeEvictionRate'
  | 'unhealthyZoneThreshold'
  | 'largeClusterSizeThreshold'
>;

/** What the controllers did with a Node, in seconds after their start. */
export interface SeenNode {
  readonly name: string;
  readonly unknown?: number;
  readonly noSchedule?: number;
  readonly tainted?: number;
  readonly takenBack?: number;
  readonly evicted?: number;
}

/**
 * Runs the controllers.
 *
 * @param seconds how long they go on after the last silent Node is found
 */
export async function runNodeLifecycle(
  tool: Tool,
  nodes: readonly JudgedNode[],
  flags: JudgedFlags,
  seconds: number,
): Promise<{ readonly nodes: readonly SeenNode[]; readonly end: number }> {
  const program = spawn(pathOf(tool), { stdio: ['pipe', 'pipe', 'pipe'] });
  let [answer, log] = ['', ''];
  program.stdout.on('data', (data: Buffer) => (answer += data.toString()));
  program.stderr.on('data', (data: Buffer) => (log = `${log}${data.toString()}`.slice(-20_000)));
  program.stdin.end(JSON.stringify({ nodes, ...flags, seconds }));
  const status = await new Promise((done) => program.on('close', done));
  if (status !== 0) {
    throw new Error(`${tool.module} ended with ${String(status)}: ${log}`);
  }
  return JSON.parse(answer) as { nodes: SeenNode[]; end: number };
}
