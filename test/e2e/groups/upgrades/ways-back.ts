import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ControlPlane, toolsOf } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { HELM_3, helmShell } from '../../harness/helm.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { pathOf } from '../../harness/tool.js';
import { YurtManager, yurtManagerTools } from '../../harness/yurt-manager.js';
import { byHelmAlone } from './by-helm.js';
import { scriptsIn, shippedWebhooks, webhooksOf } from './fleet.js';
import { Upgrade } from './planned-upgrade.js';

const HOST_NETWORK = 'nodepool.openyurt.io/hostnetwork';
const MEMBERSHIP = 'apps.openyurt.io/nodepool';
const EDGE_WORKER = 'openyurt.io/is-edge-worker';
const RELEASES_OF_HELM = '/api/v1/namespaces/kube-system/secrets?labelSelector=owner%3Dhelm';

/** What host-network pools of a fleet can have in the annotation, by the name of the pool. */
const ANNOTATIONS: Readonly<Record<string, string | undefined>> = {
  without: undefined,
  empty: '',
  no: 'false',
  other: 'yes',
  capital: 'True',
};

const poolOf = (name: string, hostNetwork: boolean, annotation?: string): any => ({
  apiVersion: 'apps.openyurt.io/v1beta1',
  kind: 'NodePool',
  metadata: { name, ...(annotation === undefined ? {} : { annotations: { [HOST_NETWORK]: annotation } }) },
  spec: { type: 'Edge', hostNetwork },
});

const annotationsIn = async ({ api }: ControlPlane): Promise<Record<string, string | undefined>> => {
  const { items } = await api.must('GET', '/apis/apps.openyurt.io/v1beta1/nodepools');
  return Object.fromEntries(items.map(({ metadata }: any) => [metadata.name, metadata.annotations?.[HOST_NETWORK]]));
};

/** Status of the newest revision of the release of Helm. */
const lastRevision = async ({ api }: ControlPlane): Promise<string> => {
  const { items } = await api.must('GET', RELEASES_OF_HELM);
  const version = ({ metadata }: any): number => Number(metadata.labels.version);
  return items.sort((one: any, other: any) => version(other) - version(one))[0].metadata.labels.status as string;
};

/** Helm that is killed while it upgrades: the revision is written, and not all of its objects. */
async function killHelm(plane: ControlPlane, upgrade: Upgrade, proof: Proof): Promise<void> {
  const bin = join(plane.folder, 'killed-helm');
  mkdirSync(bin, { recursive: true });
  const pid = join(bin, 'pid');
  writeFileSync(
    join(bin, 'helm'),
    `#!/bin/sh\necho $$ >${pid}.part && mv ${pid}.part ${pid}\nexec ${pathOf(HELM_3)} "$@"\n`,
  );
  chmodSync(join(bin, 'helm'), 0o755);
  let killed = false;
  const path = `${bin}:${helmShell(plane, HELM_3).PATH}`;
  const { status, said } = await upgrade.step('yurt-manager', 'run', { PATH: path }, async () => {
    while (!killed && (await lastRevision(plane)) === 'pending-upgrade') {
      process.kill(Number(readFileSync(pid, 'utf8')), 'SIGKILL');
      killed = true;
    }
  });
  proof.that('Helm is killed while it upgrades, and the step fails', killed && status !== 0, said);
  proof.same('its release is pending-upgrade', await lastRevision(plane), 'pending-upgrade');
}

/** From 1.4 to 1.5 and back again, step by step. */
async function thereAndBack(plane: ControlPlane, manager: YurtManager, proof: Proof): Promise<void> {
  const upgrade = new Upgrade(plane, '1.4', '1.5');
  const later = await upgrade.confirm(
    scriptsIn(upgrade.out)
      .find((file) => file.endsWith('-program.sh'))
      ?.replace(/^.*\/|\.sh$/g, '') as string,
  );
  proof.that(
    '--done of a later step is refused',
    later.status === 1 && later.said.includes('comes after 01-backup'),
    later.said,
  );
  const before = await annotationsIn(plane);
  await upgrade.must('annotate-pools', 'run');
  proof.same(
    'every host-network pool is annotated, True stays',
    await annotationsIn(plane),
    Object.fromEntries(Object.keys(before).map((name) => [name, name === 'capital' ? 'True' : 'true'])),
  );
  await upgrade.must('annotate-pools', 'back');
  proof.same(
    'its way back restores what was there: nothing, an empty text, false, yes, True',
    await annotationsIn(plane),
    before,
  );
  await upgrade.must('annotate-pools', 'run');
  await upgrade.must('crds', 'run');
  await killHelm(plane, upgrade, proof);
  const atOnce = await upgrade.step('yurt-manager', 'back');
  proof.that('from there the step goes back', atOnce.status === 0, atOnce.said);
  await killHelm(plane, upgrade, proof);
  const again = await upgrade.step('yurt-manager', 'run');
  proof.that('run again after another killed Helm, the step upgrades', again.status === 0, again.said);
  const verified = await upgrade.step('yurt-manager', 'verify');
  proof.that('and it has worked', verified.status === 0, verified.said);
  proof.same('with the webhooks of 1.5', await webhooksOf(plane), shippedWebhooks('1.5'));
  const back = await upgrade.step('yurt-manager', 'back');
  proof.that('its way back is the revision of before the killed Helm', back.status === 0, back.said);
  await proof.eventually('yurt-manager 1.4 runs again', () => Promise.resolve(manager.release === '1.4'));
  await proof.eventually(
    'with the webhooks of 1.4',
    async () => JSON.stringify(await webhooksOf(plane)) === JSON.stringify(shippedWebhooks('1.4')),
  );
  await upgrade.must('crds', 'back');
  await upgrade.must('annotate-pools', 'back');
  proof.same('every pool has the annotation of before', await annotationsIn(plane), before);
}

const AS_NODE = ['--as=system:node:any', '--as-group=system:nodes'];

/** What yurthub does as its node. */
const RIGHTS = [
  ['list', 'nodepools.apps.openyurt.io'],
  ['watch', 'endpointslices.discovery.k8s.io'],
  ['list', 'configmaps'],
] as const;

/** To 1.7, with pools and nodes that the dump has not. */
async function laterNodes(plane: ControlPlane, proof: Proof): Promise<void> {
  const node = (name: string, pool: string): Promise<any> => plane.nodes.fake(name, { [MEMBERSHIP]: pool });
  const labelOf = async (name: string): Promise<unknown> => (await plane.nodes.get(name)).metadata.labels[EDGE_WORKER];
  const rights = (): unknown[] =>
    RIGHTS.filter(
      (words) => plane.kubectl(['--namespace=kube-system', 'auth', 'can-i', ...AS_NODE, ...words]).status === 0,
    );
  const upgrade = new Upgrade(plane, '1.5', '1.7');
  await plane.apply([poolOf('came-later', false)]);
  await node('came-later', 'came-later');
  proof.same('before, nodes have no rights of yurthub', rights(), []);
  await upgrade.must('yurthub-rights', 'run');
  proof.same('yurthub gets its rights', rights(), RIGHTS);
  await upgrade.must('yurthub-rights', 'back');
  proof.same('the way back leaves them: a node with yurthub needs them', rights(), RIGHTS);
  await upgrade.must('annotate-pools', 'run');
  await upgrade.must('keep-nodes', 'run');
  proof.same(
    'nodes of pools that came after the dump are kept',
    await Promise.all(['of-before', 'came-later'].map(labelOf)),
    ['true', 'true'],
  );
  await upgrade.must('keep-nodes', 'back');
  proof.same('the way back removes the label', await Promise.all(['of-before', 'came-later'].map(labelOf)), [
    undefined,
    undefined,
  ]);
  await upgrade.must('keep-nodes', 'run');
  await upgrade.must('crds', 'run');
  await node('came-last', 'came-later');
  await upgrade.must('yurt-manager', 'run');
  const kept = ['of-before', 'came-later', 'came-last'];
  proof.same(
    'a node that joined just before yurt-manager 1.7 is kept',
    await Promise.all(kept.map(labelOf)),
    kept.map(() => 'true'),
  );
  const refused = await upgrade.step('keep-nodes', 'back');
  proof.that(
    'with 1.7 there is no way back',
    refused.status === 1 && refused.said.includes('would convert these nodes'),
    refused.said,
  );
  await node('not-kept', 'came-later');
  const isCordoned = async (name: string): Promise<boolean> =>
    (await plane.nodes.get(name)).spec.unschedulable === true;
  await proof.eventually('yurt-manager 1.7 converts a node without the label', () => isCordoned('not-kept'), 60);
  proof.same('and none of those that were kept', await Promise.all(kept.map(isCordoned)), [false, false, false]);
}

export const upgradesBack: Group = {
  name: 'upgrades-back',
  claim:
    'the ways back of the plan of `edge-nodepools upgrade` restore what was there; it goes on after Helm was killed; webhooks that an upgrade with Helm alone has lost are found and repaired; nodes of pools that came after the dump are not converted',
  programs:
    'yurt-manager 1.4.0, 1.5.1 and 1.7.0 with the charts of these releases and Helm 3.20, on kube-apiserver 1.30',
  tools: [...toolsOf({ kubernetes: '1.30' }), ...(['1.4', '1.5', '1.7'] as const).flatMap(yurtManagerTools)],
  needs: ['all-minors'],
  run: async (proof) => {
    await onControlPlane({ kubernetes: '1.30' }, proof, async (plane) => {
      const manager = await YurtManager.start(plane, '1.4', { values: {} });
      try {
        await plane.apply(Object.entries(ANNOTATIONS).map(([name, annotation]) => poolOf(name, true, annotation)));
        await plane.nodes.fake('of-before', { [MEMBERSHIP]: 'without' });
        await thereAndBack(plane, manager, proof);
        await byHelmAlone(plane, manager, '1.5', proof);
        await laterNodes(plane, proof);
      } finally {
        await manager.stop();
      }
    });
  },
};
