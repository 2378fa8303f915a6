import { EdgeError, type EdgeProblem, type ProblemList } from '../base/errors.js';
import { Corefile, readCorefile } from './corefile.js';
import { checkForwarder, type CorefileForwarder } from './forwarders.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { type WorkloadInput, partialOf } from '../kubernetes/object-input.js';
import { mapAt, type PlainMap, valueAt } from '../base/plain-data.js';
import { checkBoolean } from '../base/properties.js';
import {
  type Check,
  checkedElsewhere,
  listOf,
  oneOf,
  plain,
  type PropertyTable,
  refuseUnknown,
} from '../base/property-table.js';
import { compute, holdsUnknown, isUnknown } from '../base/unknown.js';
import { given, isAppliedByKubectl, readDocument, textIn } from './documents.js';
import {
  type ClusterState,
  type PreconditionKind,
  type Seen,
  type Undo,
  isApplied,
  notApplied,
  planned,
  type PlannedPrecondition,
  type PreconditionAdvice,
  type PreconditionGuide,
  type PreconditionInput,
  type Work,
} from './precondition.js';
import { HOSTS_CONFIG_MAPS, HOSTS_FILE, type ProxyNames, proxyNamesOf } from './proxy-names.js';
import { writeStep } from './write-step.js';

/**
 * Edits of the Corefile of a cluster.
 *
 * @category Prepare the cluster
 */
export interface CorefileSettings {
  /** Whether the Corefile is edited.
   * @default - if an edit is given, and with `guide: 'tunnel'` */
  readonly apply?: boolean;
  /** The current ConfigMap `kube-system/coredns` of the cluster: a plain object or YAML text. Write either configMap or corefile.
   * @default - corefile */
  readonly configMap?: WorkloadInput;
  /** The current Corefile, as text.
   * @default - read from configMap */
  readonly corefile?: string;
  /** Makes CoreDNS answer node names from the hosts file of a tunnel. The file must be mounted (see {@link CoreDnsDaemonSetSettings.proxyNames}).
   * @default - `yurt-tunnel` with `guide: 'tunnel'`, none otherwise */
  readonly proxyNames?: ProxyNames;
  /** Zones that are forwarded to other DNS servers, for example one zone per site.
   * @default - none */
  readonly forwarders?: CorefileForwarder[];
}

export const CONFIG_MAP = { kind: 'ConfigMap', namespace: 'kube-system', name: 'coredns' } as const;
const KEY = 'Corefile';
const DIFF_FILE = 'coredns/Corefile.diff';

const forwarders = listOf(
  checkForwarder,
  "write [{ zone: 'site-hz.example', to: ['10.1.0.2'] }]",
  'forwarders must be a list',
);
/** The list is plain, because it determines whether the ConfigMap is patched. */
const checkForwarders: Check = (value, problems) =>
  isUnknown(value) ? refuseUnknown(problems) : forwarders(value, problems);

const PROPERTIES: PropertyTable<CorefileSettings> = {
  apply: plain(checkBoolean),
  configMap: checkedElsewhere,
  corefile: checkedElsewhere,
  proxyNames: plain(oneOf('yurt-tunnel', 'raven')),
  forwarders: checkForwarders,
};

/** Whether and why a cluster needs edits of its Corefile. */
function advise(cluster: EdgeCluster, guide: PreconditionGuide = 'release', asked = false): PreconditionAdvice {
  const component = 'corefile';
  if (guide === 'tunnel') {
    const reason =
      'the API server reaches nodes through yurt-tunnel, and CoreDNS must answer their names from the hosts file of yurt-tunnel';
    return { component, need: 'required', reason };
  }
  if (asked) {
    const reason =
      'the release needs no edits, but some were requested; they have no effect on host-network nodes, which cannot reach CoreDNS';
    return { component, need: 'optional', reason };
  }
  const reason = cluster.hasOpenYurt()
    ? 'a separate Deployment, raven-proxy-dns, answers the names of edge nodes, if Raven proxies requests; a hosts plugin without a file answers nothing'
    : 'there is no tunnel whose names CoreDNS would have to answer';
  return { component, need: 'none', reason };
}

/** Whether edits are requested. */
function asksForEdits({ proxyNames, forwarders: zones }: CorefileSettings): boolean {
  return proxyNames !== undefined || (zones ?? []).length > 0;
}

/** The edits of a Corefile, and the text that is edited. */
interface CorefileEdit {
  readonly text: string;
  readonly proxyNames?: ProxyNames;
  readonly forwarders?: readonly CorefileForwarder[];
}

/** Of a Corefile that could not be read, as where kubectl fails in a pipe, only the edits would remain, and no name of a Service would be answered. */
const EMPTY: EdgeProblem = {
  code: 'EDGE_COREFILE',
  path: '',
  message: 'it is empty, so the edits would be the whole Corefile, and CoreDNS would answer nothing else',
  hint: 'write the Corefile of the cluster: kubectl get configmap coredns -n kube-system -o yaml',
};

/** The edited text; the same text if it already has the edits. */
function editedText({ text, proxyNames, forwarders: zones = [] }: CorefileEdit): string {
  const before = Corefile.parse(text);
  if (text.replace(/#.*/g, '').trim() === '') {
    throw new EdgeError('corefile', [EMPTY]);
  }
  const named = proxyNames === undefined ? before : before.withHosts({ file: HOSTS_FILE });
  return zones.reduce((corefile, forwarder) => corefile.withForwarder(forwarder), named).toString();
}

/** What the steps depend on. */
interface Given {
  readonly edit: CorefileEdit;
  readonly isByKubectl: boolean;
}

/** Plans the edits of the Corefile. The patch of the ConfigMap owns only this key. */
function plan(input: PreconditionInput & CorefileSettings, problems: ProblemList): PlannedPrecondition {
  const { cluster, guide } = input;
  const asked = asksForEdits(input);
  const advice = advise(cluster, guide, asked);
  const apply = input.apply ?? (asked ? true : undefined);
  if (!isApplied(advice, apply)) {
    return notApplied(advice);
  }
  const { text, isByKubectl } = readText(input, problems);
  const proxyNames = proxyNamesOf(guide, input.proxyNames);
  const isUsable = text !== undefined && problems.problems.length === 0;
  const edit = isUsable ? { text, proxyNames, forwarders: input.forwarders } : undefined;
  if (edit !== undefined && !holdsUnknown(edit)) {
    checkEdit(edit, problems.at(input.corefile === undefined ? 'configMap' : 'corefile'));
  }
  const isWork = edit !== undefined && asksForEdits(edit) && problems.problems.length === 0;
  return planned(
    advice,
    { cluster, guide, apply },
    { edit: edit as CorefileEdit, isByKubectl },
    isWork ? WORK : undefined,
  );
}

/** The Corefile, which may be unknown, and whether its ConfigMap was created by client-side `kubectl apply`. */
function readText(
  { configMap, corefile }: CorefileSettings,
  problems: ProblemList,
): { readonly text?: string; readonly isByKubectl: boolean } {
  if (corefile !== undefined && configMap !== undefined) {
    problems
      .at('corefile')
      .add('EDGE_CONTRADICTION', 'configMap already contains the Corefile', 'write only one of the two');
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
    // an unknown text is always written, even if it already has the edits
    return after === edit.text ? [] : [writeText('write the edited Corefile', after, after, isByKubectl)];
  },
  others: ({ edit, isByKubectl }) => {
    const after = editedText(edit);
    return after === edit.text
      ? {}
      : {
          files: [{ path: DIFF_FILE, content: Corefile.parse(edit.text).diff(Corefile.parse(after)) }],
          rollback: [writeText('write the Corefile as it was', edit.text, after, isByKubectl)],
          // kubeadm does not overwrite a changed Corefile (apiclient.CreateOrRetain in phases/addons/dns)
          lostAfter: [],
        };
  },
};

/** @param after the edited text: with the reload plugin, CoreDNS needs no restart */
function writeText(what: string, text: string, after: string, isByKubectl: boolean): ReturnType<typeof writeStep> {
  return writeStep(what, { partial: corefilePartial(text), isByKubectl, commands: compute(after, restartFor) });
}

function corefilePartial(text: string): PlainMap {
  return partialOf('v1', CONFIG_MAP, { data: { [KEY]: text } });
}

/** Restarts CoreDNS if its Corefile has no reload plugin, which checks every 30 s for changes. */
function restartFor(text: string): string[] {
  const restart = 'kubectl --namespace kube-system rollout restart';
  return Corefile.parse(text).has('reload') ? [] : [`${restart} --selector=k8s-app=kube-dns deployment,daemonset`];
}

function answersAll(corefile: Corefile): boolean {
  try {
    return corefile.withHosts({ file: HOSTS_FILE }).toString() === corefile.toString();
  } catch (error) {
    if (error instanceof EdgeError) {
      return false;
    }
    throw error;
  }
}

function seenCorefile(
  { corefile }: ClusterState,
  { advice: { need } }: { readonly advice: PreconditionAdvice },
  problems: ProblemList,
): Seen | undefined {
  const text = valueAt(corefile, ['data', 'Corefile']);
  if (typeof text !== 'string') {
    return undefined;
  }
  const read = readCorefile(text, problems.at('ConfigMap kube-system/coredns', 'data', 'Corefile'));
  const isThere = read?.has('hosts', HOSTS_FILE) ?? false;
  // with zones, or a fallthrough for some zones, it does not answer all names
  const present = need === 'required' ? isThere && read !== undefined && answersAll(read) : isThere;
  if (isThere && !present) {
    return {
      present,
      found: `a hosts plugin with ${HOSTS_FILE} that does not answer all names, or whose fallthrough is missing or incomplete`,
    };
  }
  return { present, found: `${present ? 'a' : 'no'} hosts plugin with ${HOSTS_FILE}` };
}

function withoutTunnelHosts(text: string): string {
  return Corefile.parse(text).withoutHosts(HOSTS_FILE).toString();
}

function undoCorefile({ corefile: present }: ClusterState): Undo {
  const text = String(valueAt(present, ['data', 'Corefile']));
  const isByKubectl = isAppliedByKubectl(present);
  const without = withoutTunnelHosts(text);
  return {
    files: [{ path: DIFF_FILE, content: Corefile.parse(text).diff(Corefile.parse(without)) }],
    steps: [writeStep('take the hosts plugin out of the Corefile', { partial: corefilePartial(without), isByKubectl })],
    rollback: [writeStep('write the Corefile as it was', { partial: corefilePartial(text), isByKubectl })],
  };
}

/** Whether a cluster has the names of Raven. */
function hasNames({ objects }: ClusterState): boolean {
  return objects.some(
    (object) => object.kind === 'ConfigMap' && mapAt(object, 'metadata').name === HOSTS_CONFIG_MAPS.raven,
  );
}

export const COREFILE: PreconditionKind<CorefileSettings> = {
  component: 'corefile',
  properties: PROPERTIES,
  advise: (cluster, guide, settings, state) =>
    advise(cluster, guide, state === undefined ? asksForEdits(settings) : hasNames(state)),
  plan,
  shownBy: 'the ConfigMap kube-system/coredns',
  find: seenCorefile,
  settingsOf: ({ corefile }) => ({ apply: true, ...given('configMap', corefile) }),
  changed: ({ corefile }) => [corefile],
  whyUnwritten: ({ corefile }, { found }) => {
    const text = valueAt(corefile, ['data', 'Corefile']);
    return found === 'missing' || withoutTunnelHosts(String(text)) !== text
      ? undefined
      : 'the hosts plugin contains other names; move them elsewhere, or remove the plugin by hand';
  },
  undo: undoCorefile,
};
