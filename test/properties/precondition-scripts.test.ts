import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { main } from '../../src/cli/main.js';
import { shellCommand } from '../../src/base/shell.js';
import {
  corednsConfigMap,
  COREFILE,
  corednsDeployment,
  kubeDns,
  kubeProxyConfigMap,
  kubeProxyDaemonSet,
  CONFIG_CONF,
  on,
  staticPod,
} from '../corpus/kube-system.js';
import { hostileText } from './hostile-text.js';
import { runs } from '../depth.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-scripts-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A kubectl that records its arguments, and always prints `2`. */
function fakeKubectl(): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const file = join(bin, 'kubectl');
  writeFileSync(file, `#!/bin/sh\nprintf '%s\\0' "$@" END >> ${folder}/words\n[ "$3" != get ] || echo 2\n`);
  chmodSync(file, 0o755);
  return bin;
}

/** Runs a script; returns the arguments of each call of kubectl. */
function callsOf(script: string): { status: number | null; stderr: string; calls: string[][] } {
  rmSync(join(folder, 'words'), { force: true });
  const env = { PATH: `${fakeKubectl()}:${process.env.PATH}` };
  const { status, stderr } = spawnSync('sh', [script], { cwd: folder, env, encoding: 'utf8' });
  const words = existsSync(join(folder, 'words')) ? readFileSync(join(folder, 'words'), 'utf8').split('\0') : [];
  const calls: string[][] = [[]];
  for (const word of words.slice(0, -1)) {
    if (word === 'END') {
      calls.push([]);
    } else {
      (calls[calls.length - 1] as string[]).push(word);
    }
  }
  return { status, stderr, calls: calls.slice(0, -1) };
}

const CANARY = 'canary-was-here';
const INJECTIONS = [
  `x; touch ${CANARY}`,
  `$(touch ${CANARY})`,
  `\`touch ${CANARY}\``,
  `' ; touch ${CANARY} ; '`,
  `" ; touch ${CANARY} ; "`,
  `x\ntouch ${CANARY}\n`,
  `x\r\ntouch ${CANARY}`,
  `x & touch ${CANARY} #`,
];
const hostile = fc.oneof(fc.constantFrom(...INJECTIONS), hostileText);

function cluster(text: string, byKubectl: boolean): object[] {
  const lastApplied = byKubectl ? { 'kubectl.kubernetes.io/last-applied-configuration': text } : {};
  const marked = (object: any, annotations: object = {}): object => ({
    ...object,
    metadata: { ...object.metadata, annotations: { ...annotations, ...lastApplied, 'a/b': text } },
  });
  const comment = text.replace(/[\r\n]/g, ' ');
  return [
    marked(corednsConfigMap(`# ${comment}\n${COREFILE}`)),
    marked(kubeDns(), { 'openyurt.io/topologyKeys': text }),
    marked(corednsDeployment(on('1.5'))),
    marked(kubeProxyConfigMap(`# ${comment.replace(/[^ -~]/g, '')}\n${CONFIG_CONF}`)),
    marked(kubeProxyDaemonSet([`--${text}`])),
  ];
}

/** The scripts that the command writes for a cluster with such texts. */
function scriptsFor(text: string, byKubectl: boolean, guide: readonly string[], openYurt: string): string[] {
  const out = join(folder, 'out');
  rmSync(out, { recursive: true, force: true });
  const items = [...cluster(text, byKubectl)];
  const args = ['--dump=-', `--openyurt=${openYurt}`, '--kubernetes=1.23', `--out=${out}`, ...guide];
  let said = '';
  const code = main(['preconditions', ...args], {
    stdin: () => `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items })}\n---\n${staticPod()}`,
    stdout: () => undefined,
    stderr: (message) => (said += message),
  });
  expect([said, code === 0]).toEqual(['', false]);
  return ['apply.sh', 'revert.sh', 'keep-off/apply.sh'].map((name) => join(out, name)).filter(existsSync);
}

describe('every script for a cluster', () => {
  it('runs only its own commands, not texts of the cluster', () => {
    fc.assert(
      fc.property(
        hostile,
        fc.boolean(),
        fc.constantFrom<[readonly string[], string]>([['--guide=tunnel'], '1.4'], [[], 'none']),
        (text, byKubectl, [guide, openYurt]) => {
          const scripts = scriptsFor(text, byKubectl, guide, openYurt);
          expect(scripts.length).toBeGreaterThan(0);
          for (const script of scripts) {
            const { status, stderr, calls } = callsOf(script);
            expect([status, stderr]).toEqual([0, '']);
            const verbs = calls.map((words) =>
              words.find((word) => /^(get|apply|patch|rollout|annotate|delete)$/.test(word)),
            );
            expect(verbs).not.toContain(undefined);
            expect(existsSync(join(folder, CANARY)) || existsSync(join(folder, 'out', CANARY))).toBe(false);
            for (const words of calls.filter((each) => each.includes('annotate') && each.includes('--overwrite'))) {
              expect(words[words.length - 1]).toBe(`openyurt.io/topologyKeys=${text}`);
            }
            for (const words of calls.filter((each) => each.includes('patch'))) {
              expect(typeof JSON.parse(words[words.indexOf('--patch') + 1] as string)).toBe('object');
            }
          }
        },
      ),
      runs(24),
    );
  });

  it('quotes each word exactly', () => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 6 }), (words) => {
        const script = join(folder, 'words.sh');
        writeFileSync(script, `${shellCommand('kubectl', ...words)}\n`);
        expect(callsOf(script).calls).toEqual([words]);
      }),
      runs(60),
    );
  });
});
