import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chart } from 'cdk8s';
import { type EdgeApp, EdgeCluster, EdgeSystemComponents, SystemComponent } from 'edge-nodepools';
import { type ArgoCdEngine, type FluxEngine, FleetDelivery, fromGit } from 'edge-nodepools/delivery';
import type { ControlPlane } from '../../harness/control-plane.js';
import { flannel } from '../../harness/flannel.js';
import { helm, HELM_3, HELM_4 } from '../../harness/helm.js';
import type { Proof } from '../../harness/group.js';
import { documents, kubectlApply, stored } from '../../harness/kubectl.js';
import type { Tool } from '../../harness/tool.js';
import { isExcluded } from '../system-components/excluded-component.js';
import { ownersOf } from './owners.js';

const NAMESPACE = 'kube-flannel';
const SELECTOR = { app: 'web' };

/** What installs a component. */
type Installer = 'kubectl' | 'serverSide' | 'helm' | 'helm4';

/** A component, by what installs it, and whether its manifest has a required node affinity. */
export interface Component {
  readonly name: string;
  readonly installer: Installer;
  readonly hasAffinity: boolean;
}

export const COMPONENTS: readonly Component[] = (['kubectl', 'serverSide', 'helm', 'helm4'] as const).flatMap(
  (installer) =>
    [true, false].map((hasAffinity) => ({
      name: `${hasAffinity ? 'with' : 'without'}-affinity-${installer.toLowerCase()}`,
      installer,
      hasAffinity,
    })),
);

function manifestOf({ name, hasAffinity }: Component, image = 'component:1'): any {
  const manifest = flannel(image);
  if (!hasAffinity) {
    delete manifest.spec.template.spec.affinity;
  }
  return { ...manifest, metadata: { name, namespace: NAMESPACE } };
}

const INSTALL: Readonly<Record<Installer, (plane: ControlPlane, manifest: any) => string | Promise<string>>> = {
  kubectl: (plane, manifest) => kubectlApply(plane, [manifest]),
  serverSide: (plane, manifest) => kubectlApply(plane, [manifest], ['--server-side', '--field-manager=installer']),
  helm: (plane, manifest) => release(plane, manifest, HELM_3),
  // it applies server-side what it installs itself
  helm4: (plane, manifest) => release(plane, manifest, HELM_4),
};

function release(plane: ControlPlane, manifest: any, tool: Tool): Promise<string> {
  const { name } = manifest.metadata;
  const chart = join(plane.folder, name as string);
  mkdirSync(join(chart, 'templates'), { recursive: true });
  writeFileSync(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: component\nversion: 1.0.0\n');
  writeFileSync(join(chart, 'templates', 'component.yaml'), documents([manifest]));
  return helm(plane, ['upgrade', '--install', name, chart, '--namespace', NAMESPACE], tool);
}

/** The affinity of flannel, which an exclusion keeps. */
const LINUX = { matchExpressions: [{ key: 'kubernetes.io/os', operator: 'In' as const, values: ['linux'] }] };

/** A delivery of one site with the partial objects of components. */
export function componentsOf(
  delivery: string,
  components: readonly Component[],
  engine: ArgoCdEngine | FluxEngine,
  cluster: object,
  installedBy: 'kubeadm' | 'kubectl',
): (app: EdgeApp) => void {
  return (app) => {
    const chart = new Chart(app, 'components');
    new EdgeSystemComponents(chart, 'system', {
      cluster: EdgeCluster.of({ openYurt: 'none', kubernetes: '1.34' }),
      exclude: components.map(({ name, hasAffinity }) =>
        SystemComponent.of({
          kind: 'DaemonSet',
          namespace: NAMESPACE,
          name,
          ...(hasAffinity ? { requiredTerms: [LINUX] } : {}),
        }),
      ),
    });
    new FleetDelivery(app, 'delivery', {
      name: delivery,
      source: fromGit({ url: `https://git.example/${delivery}.git`, path: 'dist' }),
      engine,
      partials: 'engine',
      components: Object.fromEntries(
        components.map(({ name }) => [`DaemonSet ${NAMESPACE}/${name}`, { installedBy, selector: SELECTOR }]),
      ),
      sites: [{ name: 'hangzhou', cluster, charts: [chart] }],
    });
  };
}

export async function installComponents(plane: ControlPlane, components: readonly Component[]): Promise<void> {
  await plane.ensureNamespace(NAMESPACE);
  for (const component of components) {
    await INSTALL[component.installer](plane, manifestOf(component));
  }
}

/** Why something fails; empty if it succeeds. */
async function refusalOf(write: () => string | Promise<string>): Promise<string> {
  try {
    await write();
    return '';
  } catch (error) {
    return String(error);
  }
}

/** What becomes of a partial object: what each step shows, and what the installer was told if it was refused. */
export type Outcome = Record<string, boolean | string>;

/** Lives through two releases of each component, and the end of its delivery. */
export async function outcomes(
  plane: ControlPlane,
  components: readonly Component[],
  engine: { readonly apply: () => Promise<void>; readonly remove: () => Promise<void> },
): Promise<Record<string, Outcome>> {
  const seen: Record<string, Outcome> = {};
  const before: Record<string, string> = {};
  for (const component of components) {
    const object = await stored(plane, manifestOf(component));
    before[component.name] = object.metadata.uid;
    seen[component.name] = {
      'is applied': isExcluded(object),
      'the installer alone owns the containers': ownersOf(object).length === 1,
    };
  }
  for (const [image, release] of [
    ['component:2', 'the next release'],
    ['component:3', 'the one after that'],
  ] as const) {
    for (const component of components) {
      const { installer, name } = component;
      const refusal = await refusalOf(() => INSTALL[installer](plane, manifestOf(component, image)));
      (seen[name] as Outcome)[`the installer writes ${release}`] = refusal === '' ? true : refusal.slice(0, 300);
    }
    await engine.apply();
    for (const component of components) {
      const object = await stored(plane, manifestOf(component));
      const [container] = object.spec.template.spec.containers;
      (seen[component.name] as Outcome)[`${release} is excluded`] = isExcluded(object) && container.image === image;
    }
  }
  await engine.remove();
  for (const component of components) {
    const { status, body } = await plane.api.send('GET', await plane.api.pathOf(manifestOf(component)));
    (seen[component.name] as Outcome)['it stays, excluded, without the engine'] =
      status === 200 && isExcluded(body) && body.metadata.uid === before[component.name];
  }
  return seen;
}

/** Claims which partial objects hold, by their names; those that do not, FleetDelivery refuses. */
export function claimed(
  proof: Proof,
  engine: string,
  seen: Readonly<Record<string, Outcome>>,
  holds: readonly string[],
): void {
  for (const [name, outcome] of Object.entries(seen)) {
    const expected = holds.includes(name);
    proof.that(
      `${engine}: the partial object of the component ${name} ${expected ? 'holds' : 'does not hold'}`,
      Object.values(outcome).every((step) => step === true) === expected,
      outcome,
    );
  }
}
