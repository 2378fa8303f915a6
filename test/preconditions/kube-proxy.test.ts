import { parse } from 'yaml';
import { ProblemList } from '../../src/errors.js';
import { planKubeProxy, withKubeconfig } from '../../src/preconditions/kube-proxy.js';
import { CONFIG_CONF, kubeProxyConfigMap, kubeProxyDaemonSet, on } from '../corpus/kube-system.js';

function plan(input: object = {}, conf = CONFIG_CONF) {
  const problems = new ProblemList();
  const all = { cluster: on('1.4', '1.23'), guide: 'tunnel', configMap: kubeProxyConfigMap(conf), ...input } as const;
  const planned = planKubeProxy(all, problems);
  expect(problems.problems).toEqual([]);
  return planned;
}
const configOf = (list: readonly any[]): string => list[0].manifests[0].data['config.conf'];

describe('the configuration of kube-proxy', () => {
  it('has one more character: the line of the kubeconfig is a comment', () => {
    const { steps, rollback } = plan().precondition;
    expect(configOf(steps)).toBe(CONFIG_CONF.replace('  kubeconfig:', '  #kubeconfig:'));
    expect(configOf(rollback)).toBe(CONFIG_CONF);
    expect((steps[0]?.manifests[0] as any).data).not.toHaveProperty('kubeconfig.conf');
  });

  it('is the same without the line with mode remove; comments and unknown fields do not change', () => {
    const text = configOf(plan({ mode: 'remove' }).precondition.steps);
    const { clientConnection, ...others } = parse(CONFIG_CONF);
    const { kubeconfig: _, ...connection } = clientConnection;
    expect(parse(text)).toEqual({ ...others, clientConnection: connection });
    expect(text).toContain('# of the platform team\n');
    expect(text).toContain('0.0.0.0 # all of them\n');
  });

  it.each([
    [
      'in braces',
      CONFIG_CONF.replace(/clientConnection:\n( {2}.*\n)+/, 'clientConnection: { kubeconfig: /a, qps: 5 }\n'),
      { qps: 5 },
    ],
    [
      'as its only field',
      CONFIG_CONF.replace(/clientConnection:\n( {2}.*\n)+/, 'clientConnection:\n  kubeconfig: /a\n'),
      null,
    ],
  ])('also %s', (_, conf, connection) => {
    expect(parse(configOf(plan({}, conf).precondition.steps)).clientConnection).toEqual(connection);
  });

  it('is idempotent', () => {
    const once = configOf(plan().precondition.steps);
    expect(configOf(plan({}, once).precondition.steps)).toBe(once);
  });

  it('re-creates the Pods if it changes, and only then', () => {
    const hash = (conf?: string) =>
      (plan({}, conf).precondition.steps[1]?.manifests[0] as any).spec.template.metadata.annotations[
        'edge-nodepools/config-hash'
      ];
    expect(hash()).toMatch(/^[0-9a-f]{64}$/);
    expect(hash()).toBe(hash());
    expect(hash(CONFIG_CONF.replace('qps: 0', 'qps: 1'))).not.toBe(hash());
  });

  it('is verbose with a reminder; the rollback restores the command', () => {
    const daemonSet = kubeProxyDaemonSet(['--v=2']);
    const { precondition, warnings } = plan({ verbosity: 6, daemonSet });
    const command = (list: readonly any[]) => list[1].manifests[0].spec.template.spec.containers;
    const { command: before } = daemonSet.spec.template.spec.containers[0];
    expect(command(precondition.steps)).toEqual([{ name: 'kube-proxy', command: [...before.slice(0, -1), '--v=6'] }]);
    expect(command(precondition.rollback)).toEqual([{ name: 'kube-proxy', command: before }]);
    expect(warnings.map(({ code }) => code)).toEqual(['EDGE_REMINDER', 'EDGE_OBSOLETE']);
  });

  it('can be verbose without the edit of the kubeconfig, and then needs no ConfigMap', () => {
    const cluster = on('1.7', '1.34');
    const daemonSet = kubeProxyDaemonSet();
    const { precondition, warnings } = plan({
      cluster,
      guide: undefined,
      configMap: undefined,
      verbosity: 6,
      daemonSet,
    });
    const { steps, rollback } = precondition;
    expect([...steps, ...rollback].flatMap(({ manifests }) => manifests.map(({ kind }) => kind))).toEqual([
      'DaemonSet',
      'DaemonSet',
    ]);
    const { command } = daemonSet.spec.template.spec.containers[0];
    const of = ([step]: readonly any[]) => step.manifests[0].spec.template.spec.containers[0].command;
    expect([of(steps), of(rollback)]).toEqual([[...command, '--v=6'], command]);
    expect(warnings.map(({ code }) => code)).toEqual(['EDGE_REMINDER']);
  });

  it.each([CONFIG_CONF, CONFIG_CONF.replace('/var/lib/kube-proxy/kubeconfig.conf', '/etc/own/kubeconfig')])(
    'gets the line of its kubeconfig back as it was',
    (before) => {
      const commented = configOf(plan({}, before).precondition.steps);
      expect(commented).not.toBe(before);
      expect(withKubeconfig(commented)).toBe(before);
      const removed = configOf(plan({ mode: 'remove' }, before).precondition.steps);
      expect(parse(withKubeconfig(removed)).clientConnection.kubeconfig).toBe('/var/lib/kube-proxy/kubeconfig.conf');
    },
  );
});
