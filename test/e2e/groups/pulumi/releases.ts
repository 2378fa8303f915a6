import type { ControlPlane, ControlPlaneProps } from '../../harness/control-plane.js';
import { toolsOf } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { KubeadmAddOns } from '../../harness/kubeadm-add-ons.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { type EngineRun, PulumiProject } from '../../harness/pulumi-project.js';
import type { Tool } from '../../harness/tool.js';
import { YurtManager, yurtManagerTools } from '../../harness/yurt-manager.js';
import type { ReleasesSettings } from '../../programs/releases.js';
import { isExcluded } from '../system-components/excluded-component.js';

const PROPS: ControlPlaneProps = {
  kubernetes: '1.34',
  controllers: ['garbage-collector-controller'],
  featureGates: { MutatingAdmissionPolicy: true },
  runtimeConfig: ['admissionregistration.k8s.io/v1beta1'],
};

/** The programs of {@link releases}. */
export const RELEASES_TOOLS: readonly Tool[] = [
  ...toolsOf(PROPS),
  ...toolsOf({ ...PROPS, kubernetes: '1.36' }),
  ...(['1.4', '1.5', '1.7'] as const).flatMap(yurtManagerTools),
];

const HOST_NETWORK = 'nodepool.openyurt.io/hostnetwork';
const MEMBERSHIP = 'apps.openyurt.io/nodepool';

const NAMES = ['plain', 'upsert'] as const;
/** The group that the policies of a stack exempt. */
const groupExemptBy = (name: string): string => `e2e:exempt-by-${name}`;

interface Versions {
  readonly openYurt: string;
  readonly kubernetes: string;
}

const written = ({ openYurt, kubernetes }: Versions): string => `OpenYurt ${openYurt} on Kubernetes ${kubernetes}`;

/** The operations that are more than an update in place, except that policies appear with a minor that has them. */
const notInPlace = ({ steps }: EngineRun): string[] =>
  steps
    .filter(({ op }) => !['same', 'update', 'refresh'].includes(op))
    .map(({ op, type, name }) => `${op} ${type} ${name}`)
    .filter((one) => !/^create kubernetes:\S+:(Mutating|Validating)AdmissionPolicy/.test(one));

/** One stack, through all releases. */
class LivingStack {
  private readonly project: PulumiProject;

  constructor(
    private readonly plane: ControlPlane,
    private readonly proof: Proof,
    private readonly settings: Pick<ReleasesSettings, 'name' | 'upsert' | 'optIn' | 'breakGlassGroups'>,
  ) {
    this.project = new PulumiProject(plane.folder, 'releases', plane.kubeconfig, {}, settings.name);
  }

  private claim(what: string): string {
    return `releases, ${this.settings.name}: ${what}`;
  }

  private must(what: string, { status, said }: EngineRun): void {
    this.proof.that(this.claim(what), status === 0, said);
  }

  public create(versions: Versions): void {
    this.must(`up for ${written(versions)}`, this.project.up({ ...this.settings, ...versions }));
  }

  /** Another release: updates in place, and the pools are what they were. */
  public async move(versions: Versions): Promise<void> {
    const settings = { ...this.settings, ...versions };
    const before = await this.pools();
    const preview = this.project.preview(settings);
    this.must(`preview for ${written(versions)}`, preview);
    this.proof.same(
      this.claim(`preview for ${written(versions)} shows only updates in place`),
      notInPlace(preview),
      [],
    );
    const guard = this.guard(versions);
    const up = await this.project.upDuring(settings, guard.look);
    this.must(`up for ${written(versions)}`, up);
    this.proof.same(this.claim(`up for ${written(versions)} only updates in place`), notInPlace(up), []);
    this.proof.that(this.claim(`${guard.asked()} requests during the up are refused`), guard.asked() > 0);
    this.proof.same(this.claim(`up for ${written(versions)}: nothing is unguarded in between`), guard.accepted, []);
    this.proof.same(this.claim(`${written(versions)}: the pools are what they were`), await this.pools(), before);
    const again = this.project.up(settings, ['--refresh', '--expect-no-changes']);
    this.must(`a second up for ${written(versions)}, with a refresh, changes nothing`, again);
  }

  public async end(versions: Versions): Promise<void> {
    this.must('destroy', this.project.destroy({ ...this.settings, ...versions }));
    this.proof.same(this.claim('destroy leaves no pool'), await this.pools(), []);
    this.proof.same(this.claim('destroy leaves no state'), this.project.state(), []);
  }

  /** What must not change: identity and meaning of the pools. */
  private async pools(): Promise<unknown> {
    const { items } = await this.plane.api.must('GET', '/apis/apps.openyurt.io/v1beta1/nodepools');
    return items
      .filter(({ metadata }: any) => metadata.name.startsWith(this.settings.name))
      .map(({ metadata, spec }: any) => ({
        name: metadata.name,
        uid: metadata.uid,
        hostNetwork: metadata.annotations?.[HOST_NETWORK],
        labels: spec.labels,
        taints: spec.taints,
      }));
  }

  /**
   * Requests that the policies of this stack refuse, as a user whom those of the other one exempt: there is only one refusal for a request, and without
   * the policies of this stack nothing else has their message.
   */
  private guard({ openYurt }: Versions): { look: () => Promise<void>; accepted: string[]; asked: () => number } {
    const { name } = this.settings;
    const pools = `/apis/apps.openyurt.io/${openYurt === '1.7' ? 'v1beta2' : 'v1beta1'}/nodepools`;
    const node = (at: string, labels: object): [string, object] => [`/api/v1/nodes/${at}`, { metadata: { labels } }];
    const requests: readonly (readonly [what: string, path: string, patch: object])[] = [
      ['the label is removed', ...node('free', { [HOST_NETWORK]: null })],
      ['the label is changed', ...node('free', { [HOST_NETWORK]: 'false' })],
      ['a node is moved', ...node(`${name}-node`, { [MEMBERSHIP]: `${name}-regular` })],
      ['a pool is made a regular one', `${pools}/${name}-pool`, { spec: { hostNetwork: false } }],
      ['a regular pool is made a host-network pool', `${pools}/${name}-regular`, { spec: { hostNetwork: true } }],
    ];
    const accepted: string[] = [];
    let count = 0;
    const options = {
      query: { dryRun: 'All' },
      contentType: 'application/merge-patch+json',
      impersonate: {
        user: 'e2e',
        groups: ['system:masters', ...NAMES.filter((other) => other !== name).map(groupExemptBy)],
      },
    };
    const look = async (): Promise<void> => {
      for (const [what, path, patch] of requests) {
        const { status, body } = await this.plane.api.send('PATCH', path, patch, options);
        count += 1;
        if (!String(body.message).includes(`ValidatingAdmissionPolicy '${name}-`)) {
          accepted.push(`${what}: ${status} ${body.message ?? ''}`);
        }
      }
      await new Promise((done) => setTimeout(done, 50));
    };
    return { look, accepted, asked: () => count };
  }
}

/** Stacks with and without upsertExistingObjects, from OpenYurt 1.4 to 1.7 and from Kubernetes 1.34 to 1.36, with the real yurt-manager of each release. */
export async function releases(proof: Proof): Promise<void> {
  await onControlPlane(PROPS, proof, async (plane) => {
    const addOns = new KubeadmAddOns(plane.folder);
    addOns.install('kube-proxy', plane.kubeconfig);
    let manager = await YurtManager.start(plane, '1.4');
    try {
      const stacks = [
        { name: 'plain', upsert: false, optIn: 'v1beta1' } as const,
        { name: 'upsert', upsert: true } as const,
      ].map((one) => new LivingStack(plane, proof, { ...one, breakGlassGroups: [groupExemptBy(one.name)] }));
      stacks.forEach((stack) => stack.create({ openYurt: '1.4', kubernetes: '1.34' }));
      for (const name of NAMES) {
        await plane.nodes.fake(`${name}-node`, { [MEMBERSHIP]: `${name}-pool`, [HOST_NETWORK]: 'true' });
      }
      await plane.nodes.fake('free', { [HOST_NETWORK]: 'true' });
      for (const [installed, declared] of [
        ['1.5', '1.5'],
        ['1.5', '1.6'],
        ['1.7', '1.7'],
      ] as const) {
        if (installed !== manager.release) {
          await manager.stop();
          manager = await YurtManager.start(plane, installed);
        }
        for (const stack of stacks) {
          await stack.move({ openYurt: declared, kubernetes: '1.34' });
        }
      }
      await plane.upgradeApiServer('1.36');
      await proof.eventually(
        'releases: the API server of 1.36 serves NodePools',
        async () => (await plane.api.send('GET', '/apis/apps.openyurt.io/v1beta1/nodepools')).status === 200,
      );
      for (const stack of stacks) {
        await stack.move({ openYurt: '1.7', kubernetes: '1.36' });
      }
      const kubeProxy = await plane.api.must('GET', await plane.api.pathOf(addOns.rendered('kube-proxy')));
      proof.that('releases: kube-proxy is still excluded', isExcluded(kubeProxy));
      for (const name of NAMES) {
        await plane.nodes.delete(`${name}-node`);
      }
      for (const stack of stacks) {
        await stack.end({ openYurt: '1.7', kubernetes: '1.36' });
      }
    } finally {
      await manager.stop();
    }
  });
}
