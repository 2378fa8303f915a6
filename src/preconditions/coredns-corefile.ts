import type { ProblemList } from '../errors.js';
import type { Corefile } from './corefile/corefile.js';
import { readCorefile } from './corefile/corefile.js';
import { type CorefileForwarder, checkForwarder } from './corefile/forwarders.js';
import { EdgeError } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { PlainMap } from '../validation/plain-data.js';
import { partialOf, readNamedObject, textOfConfigMap } from '../kubernetes/object-reference.js';
import { checkOneOf } from '../validation/properties.js';
import type { WorkloadInput } from '../kubernetes/object-input.js';
import {
  isApplied,
  planned,
  type PlannedPrecondition,
  type PreconditionAdvice,
  type PreconditionEra,
  type PreconditionInput,
} from './precondition.js';
import { HOSTS_FILE, type ProxyNames, proxyNamesOf } from './proxy-names.js';
import { writeStep } from './write-step.js';

/**
 * What is to be edited in the Corefile of a cluster.
 *
 * @category Prepare the cluster
 */
export interface CorefileSettings {
  /** Whether the Corefile is to be edited.
   * @default - where an edit is named, and in the tunnel era */
  readonly apply?: boolean;
  /** The ConfigMap `kube-system/coredns` as it is in the cluster: a plain object or YAML text.
   * @default - corefile is given instead */
  readonly configMap?: WorkloadInput;
  /** The Corefile itself.
   * @default - read from configMap */
  readonly corefile?: string;
  /** Lets CoreDNS answer node names from a tunnel's hosts file. The file must be mounted (see {@link CoreDnsDaemonSetSettings.proxyNames}).
   * @default - `yurt-tunnel` in the tunnel era, nobody's otherwise */
  readonly proxyNames?: ProxyNames;
  /** Zones that are answered by DNS servers of their own, for example one for each site.
   * @default - none */
  readonly forwarders?: CorefileForwarder[];
}

export const CONFIG_MAP = { kind: 'ConfigMap', namespace: 'kube-system', name: 'coredns' } as const;
const KEY = 'Corefile';
export const DIFF_FILE = 'coredns/Corefile.diff';

/** Whether and why a cluster needs its Corefile edited. */
export function adviseCorefile(
  cluster: EdgeCluster,
  era: PreconditionEra = 'release',
  asked = false,
): PreconditionAdvice {
  const component = 'corefile';
  if (era === 'tunnel') {
    const reason =
      'the API server reaches nodes through yurt-tunnel, and finds the names in the hosts file that yurt-tunnel writes';
    return { component, need: 'required', reason };
  }
  if (asked) {
    const reason =
      'the release needs no edit; these were asked for. Host-network nodes do not see them: CoreDNS is not reachable there';
    return { component, need: 'optional', reason };
  }
  const reason = cluster.hasOpenYurt()
    ? 'the names of edge nodes are answered by raven-proxy-dns, a Deployment of its own, and only where Raven proxies requests; a hosts plugin whose file nobody writes answers nothing'
    : 'there is no tunnel whose names would have to be answered';
  return { component, need: 'none', reason };
}

function isAsked({ proxyNames, forwarders }: CorefileSettings): boolean {
  return proxyNames !== undefined || (forwarders ?? []).length > 0;
}

/** Plans the edits of the Corefile. The ConfigMap that comes out owns that one key only. */
export function planCorefile(input: PreconditionInput & CorefileSettings, problems: ProblemList): PlannedPrecondition {
  const asked = isAsked(input);
  const advice = adviseCorefile(input.cluster, input.era, asked);
  const apply = input.apply ?? (asked ? true : undefined);
  checkOneOf(input.proxyNames, ['yurt-tunnel', 'raven'], problems.at('proxyNames'));
  checkEdits(input, problems);
  if (!isApplied(advice, apply)) {
    return planned(advice, { ...input, apply }, () => ({}));
  }
  const { before, present } = readBefore(input, problems);
  const after = before === undefined || problems.problems.length > 0 ? undefined : edited(before, input, problems);
  return planned(advice, { ...input, apply }, () => {
    const diff = before === undefined || after === undefined ? '' : before.diff(after);
    if (diff === '') {
      return {};
    }
    const partial = (corefile: unknown) => partialOf('v1', CONFIG_MAP, { data: { [KEY]: String(corefile) } });
    // the reload plugin looks every 30 s, and the kubelet takes its time to bring the new ConfigMap
    const restart = 'kubectl --namespace kube-system rollout restart';
    const commands = (after as Corefile).has('reload')
      ? []
      : [`${restart} --selector=k8s-app=kube-dns deployment,daemonset`];
    return {
      steps: [writeStep('write the edited Corefile', { partial: partial(after), present, commands })],
      files: [{ path: DIFF_FILE, content: diff }],
      reversal: [writeStep('write the Corefile as it was', { partial: partial(before), present, commands })],
      // kubeadm keeps a Corefile that is not its own default (apiclient.CreateOrRetain in phases/addons/dns)
      lostAfter: [],
    };
  });
}

function checkEdits({ forwarders }: CorefileSettings, problems: ProblemList): void {
  if (forwarders !== undefined && !Array.isArray(forwarders)) {
    problems
      .at('forwarders')
      .add('EDGE_TYPE', 'forwarders must be a list', "write [{ zone: 'site-hz.example', to: ['10.1.0.2'] }]");
  } else {
    (forwarders ?? []).forEach((forwarder, index) => checkForwarder(forwarder, problems.at('forwarders', index)));
  }
}

/** The Corefile, and the ConfigMap that it comes from. */
interface Before {
  readonly before?: Corefile;
  readonly present?: PlainMap;
}

function readBefore({ configMap, corefile }: CorefileSettings, problems: ProblemList): Before {
  if (corefile !== undefined && configMap !== undefined) {
    problems.at('corefile').add('EDGE_CONTRADICTION', 'configMap holds the Corefile already', 'give one of the two');
    return {};
  }
  if (corefile !== undefined) {
    return { before: readCorefile(corefile, problems.at('corefile')) };
  }
  const at = problems.at('configMap');
  const present = readNamedObject(configMap, CONFIG_MAP, at);
  const text = present === undefined ? undefined : textOfConfigMap(present, KEY, at);
  return { before: text === undefined ? undefined : readCorefile(text, at.at('data', KEY)), present };
}

function edited(before: Corefile, input: PreconditionInput & CorefileSettings, problems: ProblemList): Corefile {
  const { era, proxyNames, forwarders = [] } = input;
  try {
    const named = proxyNamesOf(era, proxyNames) === undefined ? before : before.withHosts({ file: HOSTS_FILE });
    return forwarders.reduce((corefile, forwarder) => corefile.withForwarder(forwarder), named);
  } catch (error) {
    if (!(error instanceof EdgeError)) {
      throw error;
    }
    const at = problems.at(input.corefile === undefined ? 'configMap' : 'corefile');
    error.problems.forEach(({ code, message, hint }) => at.add(code, message, hint));
    return before;
  }
}
