import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { NodeJoin, NodeJoinProps } from 'edge-nodepools';
import { readIgnition } from '../../../join/ignition-files.js';
import { declareJoin, joinOptions, tokenKind, tokenOf, tokenText, WAYS } from '../../../properties/join-arbitraries.js';
import type { Group, Proof } from '../../harness/group.js';
import { BUTANE, IGNITION_VALIDATE } from '../../harness/ignition.js';
import { pathOf } from '../../harness/tool.js';

const TOKEN = 'k3x9q2.7v1m0c8z4b6n5j2h';
const KINDS = ['inline', 'file', 'command', 'secret'] as const;

/** Number of joins with random options, in addition to the matrix. */
const RANDOM = 30;

/** A join by Ignition and its description. */
export interface IgnitionSample {
  readonly about: string;
  readonly join: NodeJoin;
}

const KUBEADM_WAYS = WAYS.filter(({ via }) => via !== 'yurtadm');

/** Joins of every pair of releases with every kind of token, and some with hostile text wherever any text is allowed. */
export function ignitionSamples(): IgnitionSample[] {
  const options = fc.record({
    way: fc.constantFrom(...KUBEADM_WAYS),
    kind: tokenKind,
    text: tokenText,
    props: joinOptions,
    hasService: fc.boolean(),
  });
  return [
    ...KUBEADM_WAYS.flatMap((way) =>
      KINDS.map((kind) => ({
        about: `OpenYurt ${way.openYurt}, Kubernetes ${way.kubernetes}, token by ${kind}`,
        join: declareJoin(way, tokenOf(kind, TOKEN), { format: 'ignition' }).join,
      })),
    ),
    ...fc
      .sample(options, { numRuns: RANDOM, seed: 7 })
      .map(({ way, kind, text, props: { service: _, ...props }, hasService }, index) => {
        const given: Partial<NodeJoinProps> = { ...props, ...(hasService ? { service: {} } : {}), format: 'ignition' };
        return { about: `options of chance, ${index}`, join: declareJoin(way, tokenOf(kind, text), given).join };
      }),
  ];
}

/** What ignition-validate says; empty if it has neither an error nor a warning. */
function refusal(config: string): string {
  const { status, stdout, stderr } = spawnSync(pathOf(IGNITION_VALIDATE), ['-'], { input: config, encoding: 'utf8' });
  return status === 0 ? `${stdout}${stderr}` : `status ${status}: ${stdout}${stderr}`;
}

/** A config of Butane that merges a file, as Ignition reads it. */
export function byButane(folder: string, file: string, variant: string): string {
  const input = `${variant}
ignition:
  config:
    merge:
      - local: ${file}
storage:
  files:
    - path: /etc/other
      contents:
        inline: other
`;
  const { status, stdout, stderr } = spawnSync(pathOf(BUTANE), ['--strict', '--files-dir', folder], {
    input,
    encoding: 'utf8',
  });
  return status === 0 ? stdout : stderr;
}

/** Variants of Butane, and the version of Ignition that each is for. */
export const VARIANTS: readonly (readonly [variant: string, version: string])[] = [
  ['variant: flatcar\nversion: 1.0.0', '3.3.0'],
  ['variant: fcos\nversion: 1.4.0', '3.3.0'],
  ['variant: fcos\nversion: 1.6.0', '3.5.0'],
];

function merges(folder: string, config: string, proof: Proof): void {
  writeFileSync(join(folder, 'join.ign'), config);
  for (const [variant, version] of VARIANTS) {
    const merged = byButane(folder, 'join.ign', variant);
    const about = variant.replace('\n', ', ');
    proof.same(`Butane, ${about}: a config that merges the join is valid`, refusal(merged), '');
    const { ignition } = JSON.parse(merged);
    const [{ source, compression }] = ignition.config.merge;
    const [inner] = readIgnition(
      JSON.stringify({
        ignition,
        storage: { files: [{ path: '/', mode: 0, contents: { source, compression } }] },
        systemd: {},
      }),
    ).files;
    proof.same(`Butane, ${about}: it has the join to the byte`, [ignition.version, inner?.content], [version, config]);
  }
}

/** The program refuses invalid input. */
function canFail(config: string, proof: Proof): void {
  const wrong: readonly (readonly [string, string, RegExp])[] = [
    ['a mode as text', config.replace('"mode":420', '"mode":"0644"'), /unmarshal/],
    ['a mode that is none', config.replace('"mode":420', '"mode":42000'), /mode/],
    ['a data URL that is none', config.replace('data:;base64,', 'data;base64,'), /url|source/i],
    ['a path twice', config.replace(/("files":\[)(\{.*?\}\})/, '$1$2,$2'), /duplicate/],
    ['a unit that nothing starts', config.replace('[Install]', '[Instal]'), /install section/],
  ];
  for (const [what, text, said] of wrong) {
    proof.that(`(ignition-validate refuses ${what})`, text !== config && said.test(refusal(text)), refusal(text));
  }
}

export const ignition: Group = {
  name: 'ignition',
  claim:
    'every join of every pair of releases, and of random options with hostile text, is a config that Ignition reads without an error or a warning, also merged into a config of Butane for Flatcar and Fedora CoreOS',
  programs: 'ignition-validate 2.24, Butane 0.25',
  tools: [IGNITION_VALIDATE, BUTANE],
  run: (proof) => {
    const folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-e2e-'));
    try {
      for (const sample of ignitionSamples()) {
        proof.same(`${sample.about}: ignition-validate`, refusal(sample.join.ignition ?? ''), '');
      }
      const { join: made } = declareJoin(
        { openYurt: 'none', kubernetes: '1.36', via: 'kubeadm' },
        tokenOf('inline', TOKEN),
        { format: 'ignition', service: {} },
      );
      merges(folder, made.ignition ?? '', proof);
      canFail(made.ignition ?? '', proof);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    return Promise.resolve();
  },
};
