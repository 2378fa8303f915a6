import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { corpus, type CorpusEntry } from '../../../corpus/corpus.js';
import { bootstrapTokens, configTemplates, joins } from '../../../corpus/joins.js';
import { kubeadmConfigTemplateCrd, kubeadmControlPlaneCrd } from '../../harness/cluster-api.js';
import { type ControlPlane, toolsOf } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { operatorCrds } from '../../harness/operator-crds.js';
import { judgePodSpecs } from './pod-specs.js';
import { judgeShapes } from './shapes.js';
import { isWebhookConfiguration, objectsIn, openYurtCrds } from '../../harness/openyurt.js';
import { ofChosenMinors } from '../../harness/minors.js';

const MINORS = ofChosenMinors(['1.30', '1.34', '1.36', '1.37'], (minor) => minor);

const root = resolve(__dirname, '..', '..', '..', '..');

/** The files of an example; partial objects of existing components last. */
function synthesized(example: string): CorpusEntry[] {
  const folder = join(root, 'examples', example);
  const outdir = mkdtempSync(join(tmpdir(), 'edge-nodepools-example-'));
  const tsx = createRequire(__filename).resolve('tsx/cli');
  const texts = join(root, 'scripts', 'texts.cjs');
  const { status, stderr } = spawnSync(process.execPath, [tsx, '--require', texts, 'main.ts'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, CDK8S_OUTDIR: outdir },
  });
  if (status !== 0) {
    throw new Error(`examples/${example}: ${stderr}`);
  }
  // the folder of the partial objects, and no artifact: those are not all manifests
  const files = ['.', 'patches'].flatMap((inner) =>
    existsSync(join(outdir, inner))
      ? readdirSync(join(outdir, inner))
          .filter((file) => file.endsWith('.yaml'))
          .map((file) => join(inner, file))
      : [],
  );
  const entries = files.map((file) => ({
    name: `examples/${example}: ${file}`,
    objects: objectsIn(readFileSync(join(outdir, file), 'utf8')),
    ...(file.includes('-step-') ? { present: presentIn(join(folder, 'cluster')) } : {}),
  }));
  rmSync(outdir, { recursive: true });
  return entries;
}

/** The objects in a folder, without static Pods. */
function presentIn(folder: string): any[] {
  return readdirSync(folder)
    .flatMap((file) => objectsIn(readFileSync(join(folder, file), 'utf8')))
    .filter(({ kind }) => kind !== 'Pod');
}

export function examples(): CorpusEntry[] {
  const names = readdirSync(join(root, 'examples')).filter((name) =>
    existsSync(join(root, 'examples', name, 'cdk8s.yaml')),
  );
  return names.sort().flatMap(synthesized);
}

/** An object for a partial object, which can only be applied to an existing one: with its shipped required terms. */
export function installed(partial: any): any {
  const { affinity: shipped, containers = [{ name: 'a' }] } = partial.spec.template.spec;
  const required = shipped?.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = (required?.nodeSelectorTerms ?? []).map(({ matchExpressions, ...term }: any) => ({
    ...term,
    matchExpressions: matchExpressions.filter(({ key }: any) => key !== 'nodepool.openyurt.io/hostnetwork'),
  }));
  const ownTerms = terms.filter(({ matchExpressions }: any) => matchExpressions.length > 0);
  const affinity =
    ownTerms.length === 0
      ? {}
      : {
          affinity: {
            nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: ownTerms } },
          },
        };
  const labels = { app: partial.metadata.name };
  return {
    ...partial,
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: containers.map(({ name }: any) => ({ name, image: 'a' })), ...affinity },
      },
    },
  };
}

export const isPartial = (object: any): boolean =>
  object.spec?.template?.spec !== undefined &&
  object.spec.selector === undefined &&
  ['DaemonSet', 'Deployment', 'StatefulSet'].includes(object.kind as string);

async function judge(plane: ControlPlane, { name, objects, present = [] }: CorpusEntry, proof: Proof): Promise<void> {
  const claim = (what: string): string => `Kubernetes ${plane.kubernetes}: ${name}: ${what}`;
  const partials = objects.filter(isPartial);
  await plane.apply([...partials.map(installed), ...present], 'installer');
  const areParts = partials.length > 0 || present.length > 0;
  const manager = areParts ? 'edge-nodepools' : 'e2e';
  const query: Record<string, boolean> = areParts ? { force: true } : {};
  let stored: any[];
  try {
    stored = await plane.apply(objects, manager, query);
  } catch (error) {
    proof.that(claim('accepted with strict validation'), false, (error as Error).message);
    return;
  }
  proof.that(claim('accepted with strict validation'), stored.length === objects.length);
  // without OpenYurt's conversion webhook, an object of an old version is stored differently, and counts as changed
  const converted = ({ apiVersion, kind }: any): boolean => kind === 'YurtAppSet' && apiVersion.endsWith('v1alpha1');
  const contents = (list: readonly any[]): unknown =>
    list
      .filter((object) => !converted(object))
      .map(({ metadata: { resourceVersion: _version, managedFields: _fields, ...metadata }, ...object }) => ({
        ...object,
        metadata,
      }));
  proof.same(
    claim('applied a second time changes nothing, not even the generation'),
    contents(await plane.apply(objects, manager, query)),
    contents(stored),
  );
  if (objects.length < 200) {
    const documents = objects.filter((object) => !converted(object)).map((object) => JSON.stringify(object));
    const diff = plane.kubectl(
      ['diff', '--server-side', `--field-manager=${manager}`, ...(areParts ? ['--force-conflicts'] : []), '-f', '-'],
      documents.join('\n---\n'),
    );
    proof.that(
      claim('kubectl diff is empty'),
      diff.status === 0 && diff.stdout === '',
      `${diff.stdout}${diff.stderr}`.slice(0, 2000),
    );
  }
  // without a namespace controller, a deleted namespace is never removed
  for (const object of objects.filter(({ kind }) => kind !== 'Namespace')) {
    const { status } = await plane.api.send('DELETE', await plane.api.pathOf(object), {
      propagationPolicy: 'Background',
      gracePeriodSeconds: 0,
    });
    proof.that(claim(`${object.kind} ${object.metadata.name} can be deleted`), status < 300, String(status));
  }
  if (objects.some(isWebhookConfiguration)) {
    // the API server learns about it a moment later, and calls webhooks without a server until then
    await new Promise((done) => setTimeout(done, 1000));
  }
}

const isPolicy = ({ kind }: any): boolean => /AdmissionPolicy(Binding)?$/.test(kind as string);

/** Policies are applied last and separately: one that takes effect between two writes of another object would change the second. */
function policiesLast(entries: readonly CorpusEntry[]): CorpusEntry[] {
  const part = (what: string, keep: (object: any) => boolean): CorpusEntry[] =>
    entries
      .map(({ name, objects, present }) => ({ name: `${name}${what}`, objects: objects.filter(keep), present }))
      .filter(({ objects }) => objects.length > 0);
  return [...part('', (object) => !isPolicy(object)), ...part(': policies', isPolicy)];
}

const isTemplate = ({ kind }: any): boolean => kind === 'KubeadmConfigTemplate';

/** Without Cluster API's conversion webhook, a server can serve one version of its templates: older minors the older one. */
const templateVersion = (minor: string): string => (minor >= '1.36' ? 'v1beta2' : 'v1beta1');

/** The objects of a set that an API server of a minor can check. */
function judgedOn(minor: string, entry: CorpusEntry): CorpusEntry {
  const isJudged = (object: any): boolean => !isTemplate(object) || object.apiVersion.endsWith(templateVersion(minor));
  return { ...entry, objects: entry.objects.filter(isJudged) };
}

/** Groups of operators, whose large CustomResourceDefinitions only one of the API servers gets. */
const OPERATORS = /^(monitoring\.coreos\.com|cert-manager\.io|(controlplane\.|infrastructure\.)?cluster\.x-k8s\.io)\//;

const operators = (): any[] => [
  kubeadmControlPlaneCrd('v1beta2'),
  ...operatorCrds('prometheus-operator-0.85', 'prometheuses', 'prometheusrules'),
  ...operatorCrds('cert-manager-1.21', 'certificates', 'issuers'),
  ...operatorCrds('cluster-api-1.13', 'machinedeployments'),
  ...operatorCrds('cluster-api-openstack-0.14', 'openstackmachinetemplates'),
];

/** Whether an API server of a minor serves the kinds of a set without flags: MutatingAdmissionPolicy v1 is new in 1.36. */
function isServed(minor: string, { objects }: CorpusEntry): boolean {
  return (
    objects.length > 0 &&
    (minor >= '1.36' || objects.every(({ kind }) => !kind.startsWith('MutatingAdmissionPolicy'))) &&
    (minor === '1.36' || objects.every(({ apiVersion }) => !OPERATORS.test(apiVersion as string)))
  );
}

export const accepted: Group = {
  name: 'accepted',
  claim:
    'every manifest of the examples and of the unit tests is accepted with strict validation; a second apply changes nothing; all of it can be deleted; of random Pod specs the library refuses as invalid what the API server refuses',
  programs:
    'kube-apiserver 1.30, 1.34, 1.36 and 1.37, kubectl 1.36, the CRDs of OpenYurt 1.7, of Cluster API 1.13 and its provider for OpenStack 0.14, of prometheus-operator 0.85, of cert-manager 1.21',
  tools: MINORS.flatMap((kubernetes) => toolsOf({ kubernetes })),
  run: async (proof) => {
    const entries = policiesLast([...corpus(), ...joins(), ...bootstrapTokens(), ...configTemplates(), ...examples()]);
    proof.note(
      `${entries.length} sets, ${entries.reduce((sum, { objects }) => sum + objects.length, 0)} objects, ${MINORS.length} API servers`,
    );
    for (const kubernetes of MINORS) {
      await onControlPlane({ kubernetes }, proof, async (plane) => {
        await judgeShapes(plane, proof);
        await judgePodSpecs(plane, proof, kubernetes === '1.36' ? 2000 : 300);
        await plane.applyCrds([
          ...openYurtCrds('1.7', true),
          kubeadmConfigTemplateCrd(templateVersion(kubernetes)),
          ...(kubernetes === '1.36' ? operators() : []),
        ]);
        const judged = entries.map((candidate) => judgedOn(kubernetes, candidate));
        for (const entry of judged.filter((candidate) => isServed(kubernetes, candidate))) {
          await judge(plane, entry, proof);
        }
      });
    }
  },
};
