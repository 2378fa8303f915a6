import { EdgeError, type ProblemList } from '../errors.js';
import { Corefile, readCorefile } from './corefile/corefile.js';
import { checkForwarder, type CorefileForwarder } from './corefile/forwarders.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { WorkloadInput } from '../kubernetes/object-input.js';
import { partialOf } from '../kubernetes/object-reference.js';
import type { PlainMap } from '../validation/plain-data.js';
import { checkBoolean } from '../validation/properties.js';
import {
  type Check,
  checkedElsewhere,
  listOf,
  oneOf,
  plain,
  type PropertyTable,
  refuseUnknown,
} from '../validation/property-table.js';
import { compute, holdsUnknown, isUnknown } from '../validation/unknown.js';
import { isAppliedByKubectl, readDocument, textIn } from './documents.js';
import {
  isApplied,
  notApplied,
  planned,
  type PlannedPrecondition,
  type PreconditionAdvice,
  type PreconditionEra,
  type PreconditionInput,
  type Work,
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
   * @default - where an edit is given, and in the tunnel era */
  readonly apply?: boolean;
  /** The ConfigMap `kube-system/coredns` as it is in the cluster: a plain object or YAML text.
   * @default - corefile is given instead */
  readonly configMap?: WorkloadInput;
  /** The Corefile itself.
   * @default - read from configMap */
  readonly corefile?: string;
  /** Lets CoreDNS answer node names from a tunnel's hosts file. The file must be mounted (see {@link CoreDnsDaemonSetSettings.proxyNames}).
   * @default - `yurt-tunnel` in the tunnel era, none otherwise */
  readonly proxyNames?: ProxyNames;
  /** Zones that are answered by DNS servers of their own, for example one for each site.
   * @default - none */
  readonly forwarders?: CorefileForwarder[];
}

export const CONFIG_MAP = { kind: 'ConfigMap', namespace: 'kube-system', name: 'coredns' } as const;
const KEY = 'Corefile';
export const DIFF_FILE = 'coredns/Corefile.diff';

const forwarders = listOf(
  checkForwarder,
  "write [{ zone: 'site-hz.example', to: ['10.1.0.2'] }]",
  'forwarders must be a list',
);
/** The list itself is plain: whether there is an edit determines whether the ConfigMap is patched. */
const checkForwarders: Check = (value, problems) =>
  isUnknown(value) ? refuseUnknown(problems) : forwarders(value, problems);

export const COREFILE_PROPERTIES: PropertyTable<CorefileSettings> = {
  apply: plain(checkBoolean),
  configMap: checkedElsewhere,
  corefile: checkedElsewhere,
  proxyNames: plain(oneOf('yurt-tunnel', 'raven')),
  forwarders: checkForwarders,
};

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

/** Whether an edit is given that the release does not need. */
export function asksForEdits({ proxyNames, forwarders: zones }: CorefileSettings): boolean {
  return proxyNames !== undefined || (zones ?? []).length > 0;
}

/** The edits of a Corefile, and the text that is edited. */
interface CorefileEdit {
  readonly text: string;
  readonly proxyNames?: ProxyNames;
  readonly forwarders?: readonly CorefileForwarder[];
}

/** The text with its edits: the same text where it has them already. */
function editedText({ text, proxyNames, forwarders: zones = [] }: CorefileEdit): string {
  const before = Corefile.parse(text);
  const named = proxyNames === undefined ? before : before.withHosts({ file: HOSTS_FILE });
  return zones.reduce((corefile, forwarder) => corefile.withForwarder(forwarder), named).toString();
}

/** What the steps are made from. */
interface Given {
  readonly edit: CorefileEdit;
  readonly isByKubectl: boolean;
}

/** Plans the edits of the Corefile. The ConfigMap patch owns that one key only. */
export function planCorefile(input: PreconditionInput & CorefileSettings, problems: ProblemList): PlannedPrecondition {
  const { cluster, era } = input;
  const asked = asksForEdits(input);
  const advice = adviseCorefile(cluster, era, asked);
  const apply = input.apply ?? (asked ? true : undefined);
  if (!isApplied(advice, apply)) {
    return notApplied(advice);
  }
  const { text, isByKubectl } = readText(input, problems);
  const proxyNames = proxyNamesOf(era, input.proxyNames);
  const isUsable = text !== undefined && problems.problems.length === 0;
  const edit = isUsable ? { text, proxyNames, forwarders: input.forwarders } : undefined;
  if (edit !== undefined && !holdsUnknown(edit)) {
    checkEdit(edit, problems.at(input.corefile === undefined ? 'configMap' : 'corefile'));
  }
  const isWork = edit !== undefined && asksForEdits(edit) && problems.problems.length === 0;
  return planned(
    advice,
    { cluster, era, apply },
    { edit: edit as CorefileEdit, isByKubectl },
    isWork ? WORK : undefined,
  );
}

/** The Corefile, which may be unknown, and whether its ConfigMap came by plain `kubectl apply`. */
function readText(
  { configMap, corefile }: CorefileSettings,
  problems: ProblemList,
): { readonly text?: string; readonly isByKubectl: boolean } {
  if (corefile !== undefined && configMap !== undefined) {
    problems.at('corefile').add('EDGE_CONTRADICTION', 'configMap holds the Corefile already', 'give one of the two');
    return { isByKubectl: false };
  }
  const at = problems.at('configMap');
  const present = corefile === undefined ? readDocument(configMap, CONFIG_MAP, at) : undefined;
  const text = present === undefined ? corefile : textIn(present, KEY, at);
  const place = corefile === undefined ? at.at('data', KEY) : problems.at('corefile');
  if (text === undefined || isUnknown(text)) {
    return { text, isByKubectl: isAppliedByKubectl(present) };
  }
  const isReadable = readCorefile(text, place) !== undefined;
  return { text: isReadable ? text : undefined, isByKubectl: isAppliedByKubectl(present) };
}

function checkEdit(edit: CorefileEdit, problems: ProblemList): void {
  try {
    editedText(edit);
  } catch (error) {
    if (!(error instanceof EdgeError)) {
      throw error;
    }
    error.problems.forEach(({ code, message, hint }) => problems.add(code, message, hint));
  }
}

const WORK: Work<Given> = {
  steps: ({ edit, isByKubectl }) => {
    const after = compute(edit, editedText);
    // an unknown text that has the edits already is written as it is
    return after === edit.text ? [] : [writeText('write the edited Corefile', after, after, isByKubectl)];
  },
  others: ({ edit, isByKubectl }) => {
    const after = editedText(edit);
    return after === edit.text
      ? {}
      : {
          files: [{ path: DIFF_FILE, content: Corefile.parse(edit.text).diff(Corefile.parse(after)) }],
          rollback: [writeText('write the Corefile as it was', edit.text, after, isByKubectl)],
          // kubeadm keeps a Corefile that is not its own default (apiclient.CreateOrRetain in phases/addons/dns)
          lostAfter: [],
        };
  },
};

/** @param after the edited text: with the reload plugin, CoreDNS needs no restart */
function writeText(what: string, text: string, after: string, isByKubectl: boolean): ReturnType<typeof writeStep> {
  return writeStep(what, { partial: corefilePartial(text), isByKubectl, commands: compute(after, restartFor) });
}

export function corefilePartial(text: string): PlainMap {
  return partialOf('v1', CONFIG_MAP, { data: { [KEY]: text } });
}

/** The reload plugin looks every 30 s, after the kubelet has brought the new ConfigMap. */
function restartFor(text: string): string[] {
  const restart = 'kubectl --namespace kube-system rollout restart';
  return Corefile.parse(text).has('reload') ? [] : [`${restart} --selector=k8s-app=kube-dns deployment,daemonset`];
}
