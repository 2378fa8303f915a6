import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { EdgeCluster } from 'edge-nodepools';
import { openYurtRow } from '../../src/cluster/openyurt-releases.js';
import { ProblemList } from '../../src/base/errors.js';
import { readState } from '../../src/preconditions/cluster-state.js';
import { reportPreconditions } from '../../src/preconditions/report.js';
import { expectedWebhooks, findWebhooks } from '../../src/preconditions/webhook-findings.js';
import { SHIPPED } from '../admission/shipped-webhooks.js';
import { dumpOf } from '../adopt/dump.js';
import { PlanFolder } from '../adopt/plan-folder.js';
import { idsOf, planned, same, step } from '../adopt/planned.js';

const KINDS = { mutating: 'MutatingWebhookConfiguration', validating: 'ValidatingWebhookConfiguration' } as const;

/** The configurations in a cluster, with the webhooks that a release serves. */
function configurations(release: string, change: (webhook: any) => any = (webhook) => webhook): any[] {
  const row = openYurtRow(release)!;
  return (['mutating', 'validating'] as const).map((type) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: KINDS[type],
    metadata: {
      name: `yurt-manager-${type}-webhook-configuration`,
      labels: { 'app.kubernetes.io/managed-by': 'Helm' },
    },
    webhooks: expectedWebhooks(row, [])
      .filter((webhook) => webhook.type === type)
      .map(({ name, path, apiGroup, apiVersion, resource, operations }) => ({
        name,
        clientConfig: {
          caBundle: 'Q0E=',
          service: { name: 'yurt-manager-webhook-service', namespace: 'kube-system', path },
        },
        rules: [{ apiGroups: [apiGroup], apiVersions: [apiVersion], resources: [resource], operations, scope: '*' }],
      }))
      .flatMap((webhook) => change(webhook) ?? []),
  }));
}

const found = (release: string, objects: readonly any[]): string[] =>
  findWebhooks(openYurtRow(release), [...dumpOf(release, '1.30'), ...objects]).map(
    ({ webhook, state }) => `${webhook} ${state}`,
  );

describe('the webhooks of yurt-manager in a dump', () => {
  it.each(['1.4', '1.5', '1.6', '1.7'])('are those that %s serves', (release) => {
    const names = expectedWebhooks(openYurtRow(release)!, []).map(({ name }) => name);
    const shipped = (SHIPPED[release] ?? []).map((line) => line.split(' ')[0] as string);
    expect(shipped.length).toBeGreaterThan(10);
    expect(shipped.filter((name) => !names.includes(name)).every((name) => /platformadmin/.test(name))).toBe(true);
    expect(found(release, configurations(release))).toEqual([]);
  });

  it('are lost by an upgrade that keeps those of the earlier release', () => {
    expect(found('1.5', configurations('1.4'))).toEqual([
      'mutate.core.v1.pod.openyurt.io missing',
      // of the same name, for v1alpha1
      ...['myurtappset.kb.io harmful', 'vyurtappset.kb.io harmful'],
    ]);
    const onlyServed = configurations('1.5', (webhook) =>
      /nodepool|deployment|yurtappdaemon|yurtappoverrider|platformadmin/.test(webhook.name as string)
        ? undefined
        : webhook,
    );
    expect(found('1.7', onlyServed)).toEqual(
      expect.arrayContaining(['m.v1beta2.nodepool.kb.io missing', 'v.v1beta2.nodepool.kb.io missing']),
    );
  });

  it('are lost with their configurations, if others were read and yurt-manager runs', () => {
    const other = { ...configurations('1.7')[0], metadata: { name: 'cert-manager-webhook' } };
    const all = expectedWebhooks(openYurtRow('1.7')!, []).map(({ name }) => `${name} missing`);
    expect(found('1.7', [other])).toEqual(all);
    expect(found('1.7', [])).toEqual([]);
    expect(findWebhooks(openYurtRow('1.7'), [other])).toEqual([]);
  });

  it('need one CA, and a Service where yurt-manager runs', () => {
    const without = (name: string, clientConfig: object): any[] =>
      configurations('1.5', (webhook) =>
        webhook.name === name ? { ...webhook, clientConfig: { ...webhook.clientConfig, ...clientConfig } } : webhook,
      );
    const name = 'validate.core.v1.node.openyurt.io';
    expect(found('1.5', without(name, { caBundle: undefined }))).toEqual([`${name} harmful`]);
    expect(found('1.5', without(name, { caBundle: 'T3RoZXI=' }))).toEqual([`${name} harmful`]);
    const { path } = openYurtRow('1.5')!.webhooks.find((webhook) => webhook.name === name)!;
    const service = { name: 'yurt-manager-webhook-service', namespace: 'other', path };
    expect(found('1.5', without(name, { service }))).toEqual([`${name} harmful`]);
    const renamed = { ...service, name: 'webhooks', namespace: 'kube-system' };
    expect(found('1.5', without(name, { service: renamed }))).toEqual([`${name} harmful`]);
  });

  it('need the rules of the release: one of the same name can be of another', () => {
    const name = 'm.v1beta1.nodepool.kb.io';
    const changed = (change: object): any[] =>
      configurations('1.5', (webhook) =>
        webhook.name === name ? { ...webhook, rules: [{ ...webhook.rules[0], ...change }] } : webhook,
      );
    // as in 1.3
    expect(found('1.5', changed({ operations: ['CREATE', 'UPDATE'] }))).toEqual([`${name} harmful`]);
    expect(found('1.5', changed({ apiVersions: ['v1alpha1'] }))).toEqual([`${name} harmful`]);
    expect(found('1.5', changed({ resources: ['nodepools/status'] }))).toEqual([`${name} harmful`]);
    const none = configurations('1.5', (webhook) => (webhook.name === name ? { ...webhook, rules: [] } : webhook));
    expect(found('1.5', none)).toEqual([`${name} harmful`]);
    const moved = { ...configurations('1.5')[1], webhooks: configurations('1.5').flatMap(({ webhooks }) => webhooks) };
    expect(found('1.5', [{ ...moved }])).toEqual(expect.arrayContaining([`${name} missing`, `${name} harmful`]));
  });

  it('that its flags turn off are not missed, nor those that a program leaves out', () => {
    const [withoutPods] = [
      configurations('1.5', (webhook) => (/pod/.test(webhook.name as string) ? undefined : webhook)),
    ];
    expect(found('1.5', withoutPods)).toEqual(['mutate.core.v1.pod.openyurt.io missing']);
    const dump = dumpOf('1.5', '1.30').map((object) =>
      object.kind === 'Deployment'
        ? {
            ...object,
            spec: {
              template: {
                spec: {
                  containers: [
                    { image: 'openyurt/yurt-manager:v1.5.1', args: ['--v=4', '--disable-independent-webhooks=pod'] },
                  ],
                },
              },
            },
          }
        : object,
    );
    expect(findWebhooks(openYurtRow('1.5'), [...dump, ...withoutPods])).toEqual([]);
    const declared = withoutPods.map(({ metadata, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, labels: { 'app.kubernetes.io/managed-by': 'edge-nodepools' } },
    }));
    expect(found('1.5', declared)).toEqual([]);
  });

  it('are a gap, with a script', () => {
    const problems = new ProblemList();
    const text = JSON.stringify({
      apiVersion: 'v1',
      kind: 'List',
      items: [...dumpOf('1.5', '1.30'), ...configurations('1.4')],
    });
    const state = readState([{ name: 'dump.json', text } as any], problems);
    const { gaps, webhooks, files } = reportPreconditions(
      EdgeCluster.of({ openYurt: '1.5', kubernetes: '1.28' }),
      undefined,
      state,
      problems,
    );
    expect(webhooks).toHaveLength(3);
    expect(gaps).toBeGreaterThanOrEqual(3);
    expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(['webhooks.sh', 'files/webhooks.txt']));
  });

  it('are repaired by a step if OpenYurt stays, else by the step yurt-manager', () => {
    const objects = [...dumpOf('1.5', '1.30'), ...configurations('1.4')];
    const alone = planned(same('1.5'), same('1.30'), objects);
    expect(idsOf(alone)).toEqual(['backup', 'webhooks']);
    expect(step(alone, 'webhooks').what).toContain('mutate.core.v1.pod.openyurt.io (missing)');
    expect(alone.warnings.map(({ code }) => code)).toContain('EDGE_HALF_UPGRADED');
    const upgraded = planned(['1.5', '1.7'], same('1.30'), objects);
    expect(idsOf(upgraded)).not.toContain('webhooks');
    expect(upgraded.warnings.find(({ code }) => code === 'EDGE_HALF_UPGRADED')?.hint).toContain(
      'the step yurt-manager',
    );
  });
});

describe('wrong_webhooks', () => {
  /** What the shell finds in the lines that kubectl prints. */
  function shellFinds(lines: readonly string[], authority = 'CA'): string[] {
    const folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
    const { files } = planned(['1.5', '1.7'], same('1.30'));
    for (const { path, content } of files.filter((file) => /cluster\.sh|webhooks\.txt/.test(file.path))) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    writeFileSync(join(folder, 'lines'), lines.join('\n'));
    mkdirSync(join(folder, 'bin'));
    const kubectl = `case "$*" in *secret*) printf '%s' '${authority}' ;; *) cat lines ;; esac`;
    writeFileSync(join(folder, 'bin', 'kubectl'), `#!/bin/sh\n${kubectl}\n`, { mode: 0o755 });
    const { stdout, stderr, status } = spawnSync('sh', ['-c', 'here=$PWD; . ./cluster.sh; wrong_webhooks'], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, PATH: `${folder}/bin:${process.env.PATH}` },
    });
    rmSync(folder, { recursive: true });
    expect([status, stderr]).toEqual([0, '']);
    return stdout.trim().split('\n').filter(Boolean).sort();
  }

  const { content } = planned(['1.5', '1.7'], same('1.30')).files.find(({ path }) => path === 'files/webhooks.txt')!;
  const expected = content.trimEnd().split('\n');
  const served = expected.map((line) => `${line}\tCA`);

  it('finds nothing in those of the release', () => {
    expect(expected).toHaveLength(13);
    expect(shellFinds(served)).toEqual([]);
    expect(shellFinds(served, '')).toEqual([]);
  });

  it('finds what is missing, of another release, changed, or without the CA', () => {
    expect(shellFinds(served.slice(1))).toEqual([expect.stringMatching(/^missing: Mutating/)]);
    const old =
      'ValidatingWebhookConfiguration v.v1beta1.nodepool.kb.io kube-system/yurt-manager-webhook-service/validate';
    expect(shellFinds([...served, `${old}\tCA`])).toEqual([
      'not of this release: ValidatingWebhookConfiguration v.v1beta1.nodepool.kb.io',
    ]);
    expect(
      shellFinds(served.map((line, index) => (index === 3 ? line.replace('[CREATE', '[UPDATE') : line))),
    ).toHaveLength(2);
    expect(shellFinds([`${expected[0]}\t`, ...served.slice(1)])).toEqual([expect.stringMatching(/^without a CA: /)]);
    expect(shellFinds([`${expected[0]}\tother`, ...served.slice(1)])).toEqual([
      expect.stringMatching(/^with another CA: /),
    ]);
    expect(shellFinds(served, 'newer')).toHaveLength(13);
  });
});

it('restore_webhooks waits for the end of Pods of the yurt-manager of before, which write the webhooks, too', () => {
  const folder = new PlanFolder(planned(['1.4', '1.5.1'], same('1.30')), {
    helm: "echo 'kind: MutatingWebhookConfiguration'",
    sleep: 'rm -f pods',
    kubectl: `case "$*" in
      *get\\ deployment*) printf yurt-manager:v1.5.1 ;;
      *get\\ pods*) cat pods 2>/dev/null || : ;;
      *webhookconfiguration/*) echo one; echo two ;;
    esac`,
  });
  folder.write('pods', 'before\tyurt-manager:v1.4.0\tRunning\t\nnow\tyurt-manager:v1.5.1\tRunning\t\n');
  const { status, said, calls } = folder.sh('here=$PWD; . ./cluster.sh; restore_webhooks');
  expect([status, said]).toEqual([0, '']);
  expect(calls.filter((call) => /^sleep|replace/.test(call))).toEqual([
    'sleep 2',
    'kubectl replace --filename=backup/webhooks.yaml',
  ]);
  folder.remove();
});
