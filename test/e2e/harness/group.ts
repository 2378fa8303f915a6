import { isDeepStrictEqual } from 'node:util';
import type { Tool } from './tool.js';

/** What a machine must have for a group, in addition to Go. */
export type Need =
  | 'linux'
  | 'root'
  | 'containerd'
  | 'runc'
  | 'cni-plugins'
  | 'iproute2'
  | 'namespaces'
  | 'cloud-init'
  | 'ignition'
  | 'openssl'
  | 'apt'
  | 'swtpm'
  | 'systemd'
  | 'dnf'
  | 'curl'
  | 'registry'
  | 'chromium'
  | 'kuryr'
  | 'pulumi'
  | 'pulumi-languages'
  | 'all-minors'
  | 'delivery'
  | 'git'
  | 'redis';

/** A set of claims that are proved by running real programs. */
export interface Group {
  readonly name: string;
  /** What is proved, in one sentence; it is in docs/proof.md. */
  readonly claim: string;
  /** The real programs and their versions; it is in docs/proof.md. */
  readonly programs: string;
  /** Programs that are built first. */
  readonly tools: readonly Tool[];
  readonly needs?: readonly Need[];
  readonly run: (proof: Proof) => Promise<void>;
}

/** Collects the checks of a group. */
export class Proof {
  public passed = 0;
  public readonly failures: string[] = [];

  constructor(private readonly say: (line: string) => void) {}

  /** Prints progress. */
  public note(line: string): void {
    this.say(`  ${line}`);
  }

  /** One claim that must hold. */
  public that(claim: string, holds: boolean, seen: unknown = ''): void {
    if (holds) {
      this.passed += 1;
      return;
    }
    const detail = typeof seen === 'string' ? seen : JSON.stringify(seen, undefined, 2);
    this.failures.push(detail === '' ? claim : `${claim}\n${detail}`);
    this.say(`  FAILED: ${claim}`);
  }

  /** Two values that must be the same. */
  public same(claim: string, seen: unknown, expected: unknown): void {
    this.that(
      claim,
      isDeepStrictEqual(seen, expected),
      `seen ${JSON.stringify(seen)}\nexpected ${JSON.stringify(expected)}`,
    );
  }

  /** Waits until something holds; it is a failure if it does not in time. */
  public async eventually(claim: string, look: () => Promise<boolean>, seconds = 30): Promise<void> {
    const deadline = Date.now() + seconds * 1000;
    for (;;) {
      if (await look()) {
        this.that(claim, true);
        return;
      }
      if (Date.now() > deadline) {
        this.that(claim, false, `not within ${seconds} s`);
        return;
      }
      await new Promise((done) => setTimeout(done, 200));
    }
  }
}
