import { Testing } from 'cdk8s';
import { BootstrapToken, JoinToken, KubeadmConfigTemplate, NodeReservation } from 'edge-nodepools';
import { declareJoin, tokenOf, WAYS } from '../properties/join-arbitraries.js';
import type { CorpusEntry } from './corpus.js';

const TOKEN = 'k3x9q2.7v1m0c8z4b6n5j2h';
const RESERVATION = NodeReservation.preset('edge-small');

/** Published joins of every kind, without the pools and without duplicates. */
export function joins(): CorpusEntry[] {
  return (['inline', 'file', 'secret'] as const).map((kind) => {
    const made = WAYS.flatMap((way) => {
      const { chart } = declareJoin(way, tokenOf(kind, TOKEN), {
        publish: true,
        reservation: RESERVATION,
        ...(way.via === 'yurtadm' ? { yurtadm: { membership: 'nodepool-name' } } : {}),
      });
      return Testing.synth(chart).filter((object) => object.kind !== 'NodePool');
    });
    const byName = new Map(made.map((object) => [`${object.kind} ${object.metadata.name}`, object]));
    return { name: `joins, token by ${kind}`, objects: [...byName.values()] };
  });
}

/** The Secret of a bootstrap token. */
export function bootstrapTokens(): CorpusEntry[] {
  const { chart } = declareJoin(WAYS[0] as (typeof WAYS)[number], tokenOf('file', ''), { publish: false });
  new BootstrapToken(chart, 'token', { token: JoinToken.inline(TOKEN), expiration: '2099-01-31T12:00:00Z' });
  return [{ name: 'bootstrap token', objects: Testing.synth(chart).filter(({ kind }) => kind === 'Secret') }];
}

/** Templates of Cluster API, minimal and maximal. */
export function configTemplates(): CorpusEntry[] {
  return (['v1beta1', 'v1beta2'] as const).map((version) => {
    const { chart, pool } = declareJoin({ openYurt: 'none', kubernetes: '1.34', via: 'kubeadm' }, tokenOf('file', ''), {
      publish: false,
    });
    new KubeadmConfigTemplate(chart, 'least', { pool, version });
    new KubeadmConfigTemplate(chart, 'most', {
      pool,
      version,
      reservation: RESERVATION,
      taints: [{ key: 'site', effect: 'NoExecute' }],
      kubeletExtraArgs: { 'max-pods': '30' },
      sandboxImage: 'registry.example/pause:3.10',
      files: [{ path: '/etc/motd', content: '{{ edge }}\n' }],
      preJoinCommands: ['true'],
      postJoinCommands: [['echo', "it's"]],
      ntpServers: ['ntp.example'],
    });
    const objects = Testing.synth(chart).filter(({ kind }) => kind === 'KubeadmConfigTemplate');
    return { name: `templates of Cluster API ${version}`, objects };
  });
}
