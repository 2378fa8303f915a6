import { Testing } from 'cdk8s';
import { artifactsOf } from 'edge-nodepools';
import { parse } from 'yaml';
import { ShopsChart } from './chart.js';

type Manifest = Record<string, any>;

describe('join', () => {
  const app = Testing.app();
  const chart = new ShopsChart(app, 'shops');
  const objects: Manifest[] = Testing.synth(chart);

  it('publishes each join with a unique name and without a token', () => {
    expect(objects.map(({ kind }) => kind as string)).toEqual([
      'NodePool',
      'ConfigMap',
      // yurthub of OpenYurt 1.7 needs rights that its chart does not have
      ...['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
      'ConfigMap',
      'KubeadmConfigTemplate',
    ]);
    const published = objects.filter(({ kind }) => ['ConfigMap', 'KubeadmConfigTemplate'].includes(kind as string));
    const names = published.map(({ metadata }) => metadata.name as string);
    expect(new Set(names).size).toBe(3);
    names.forEach((name) => expect(name).toMatch(/^shops-join-[0-9a-f]{10}$/));
    expect(
      artifactsOf(app)
        .map(({ path }) => path.replace(/[0-9a-f]{10}/, '…'))
        .sort(),
    ).toEqual([
      'join/shops-join-….cloud-config',
      'join/shops-join-….sh',
      'join/shops-join-….update.sh',
      'join/shops-join-….update.sh',
    ]);
  });

  it('is a cloud-config whose JoinConfiguration has the labels of the pool and of the node', () => {
    const { write_files: files, runcmd } = parse(chart.cloud.userData) as Manifest;
    const document = files.find(({ path }: Manifest) => path.endsWith('join.yaml')) as Manifest;
    expect(document.permissions).toBe('0600');
    const { discovery, nodeRegistration } = parse(document.content as string) as Manifest;
    expect(discovery.bootstrapToken.apiServerEndpoint).toBe('api.shops.example:6443');
    expect(nodeRegistration.kubeletExtraArgs).toEqual([
      {
        name: 'node-labels',
        value: expect.stringMatching(
          /^apps\.openyurt\.io\/nodepool=shops,nodepool\.openyurt\.io\/hostnetwork=true,shops\.example\/kind=cloud,edge-nodepools\/join=[0-9a-f]{10}$/,
        ),
      },
    ]);
    expect(runcmd).toHaveLength(1);
  });

  it('is a script for machines on site, with the reservation of the pool and additional kubelet fields', () => {
    expect(chart.onSite.script.startsWith('#!/bin/sh\n')).toBe(true);
    const patch = chart.onSite.files.find(({ path }) => path.includes('/patches/'));
    expect(JSON.parse(patch?.content ?? '')).toMatchObject({ kubeReserved: { memory: '256Mi' }, maxPods: 20 });
  });

  it('leaves a machine of 2 GiB most of its memory', () => {
    expect(chart.report).toContain('cpu 800m, memory 1436Mi');
    expect(chart.report).toContain('35Mi of memory');
  });
});
