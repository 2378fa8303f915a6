import { entryOf } from '../base/plain-data.js';
import type { ProblemList } from '../base/errors.js';
import { nearest, showValue } from '../base/properties.js';
import { type Check, listOf } from '../base/property-table.js';
import type { OpenYurtWebhook } from '../cluster/openyurt-webhook.js';

/** Aliases and names of the controllers for `--controllers`, of all releases (`cmd/yurt-manager/names/controller_names.go`). */
const CONTROLLERS: Readonly<Record<string, string>> = {
  csrapprover: 'csr-approver-controller',
  daemonpodupdater: 'daemon-pod-updater-controller',
  delegatelease: 'delegate-lease-controller',
  gatewaydns: 'gateway-dns-controller',
  gatewayinternalservice: 'gateway-internal-service-controller',
  gatewaypickup: 'gateway-pickup-controller',
  gatewaypublicservice: 'gateway-public-service-controller',
  hubleader: 'hubleader-controller',
  hubleaderconfig: 'hubleaderconfig-controller',
  hubleaderrbac: 'hubleaderrbac-controller',
  imagepreheat: 'image-preheat-controller',
  loadbalancerset: 'load-balancer-set-controller',
  nodebucket: 'node-bucket-controller',
  nodelifecycle: 'node-life-cycle-controller',
  nodepool: 'nodepool-controller',
  platformadmin: 'platform-admin-controller',
  podbinding: 'pod-binding-controller',
  servicetopologyendpoints: 'service-topology-endpoints-controller',
  servicetopologyendpointslices: 'service-topology-endpointslice-controller',
  yurtappdaemon: 'yurt-app-daemon-controller',
  yurtappoverrider: 'yurt-app-overrider-controller',
  yurtappset: 'yurt-app-set-controller',
  yurtcoordinatorcert: 'yurt-coordinator-cert-controller',
  yurtnodeconversion: 'yurt-node-conversion-controller',
  yurtstaticset: 'yurt-static-set-controller',
};

const INDEPENDENT_WEBHOOKS = ['node', 'pod', 'endpoints', 'endpointslice'];

/** Flags of yurt-manager that determine which webhooks it serves. */
export interface YurtManagerFlags {
  readonly controllers?: readonly string[];
  readonly disableIndependentWebhooks?: readonly string[];
}

/** Checks a value of `--controllers`. */
export function checkControllers(controllers: unknown, problems: ProblemList): void {
  const names = [...Object.keys(CONTROLLERS), ...Object.values(CONTROLLERS)];
  checkNames(controllers, names, (word) => word.replace(/^-/, ''), problems, "['-nodelifecycle', '*']");
}

/** Checks a value of `--disable-independent-webhooks`. */
export function checkIndependentWebhooks(webhooks: unknown, problems: ProblemList): void {
  checkNames(webhooks, INDEPENDENT_WEBHOOKS, (word) => word, problems, "['pod']");
}

function checkNames(
  list: unknown,
  known: readonly string[],
  nameIn: (word: string) => string,
  problems: ProblemList,
  example: string,
): void {
  const check: Check = (word, at) => {
    const name = typeof word === 'string' ? nameIn(word) : undefined;
    if (word === '*' || (name !== undefined && known.includes(name))) {
      return;
    }
    const near = nearest(name ?? '', known);
    // without its minus it would mean the opposite
    const sign = typeof word === 'string' && word.startsWith('-') && name !== word ? '-' : '';
    at.add(
      'EDGE_VALUE',
      `yurt-manager does not know ${showValue(word)}`,
      near === undefined ? `write ${example}: one of ${known.join(', ')}, or '*'` : `did you mean '${sign}${near}'?`,
    );
  };
  listOf(check, `write ${example}, as in the flag of yurt-manager`, 'this is not a list')(list, problems);
}

/** Whether a yurt-manager with these flags serves a webhook (`pkg/yurtmanager/webhook/server.go`, SetupWithManager). */
export function isServed(webhook: OpenYurtWebhook, flags: YurtManagerFlags): boolean {
  const { controller, independentWebhook } = webhook;
  if (!webhook.served) {
    return false;
  }
  return controller === undefined
    ? !(flags.disableIndependentWebhooks ?? []).some((name) => name === '*' || name === independentWebhook)
    : runsController(controller, flags);
}

/** Whether a yurt-manager with these flags runs a controller, which its full name names. */
export function runsController(controller: string, { controllers = ['*'] }: YurtManagerFlags): boolean {
  // the first entry with its name takes precedence, as in IsControllerEnabled of k8s.io/controller-manager
  const words = controllers.map((word) => {
    const [, minus = '', name = ''] = /^(-?)(.*)$/.exec(word) ?? [];
    return `${minus}${entryOf(CONTROLLERS, name) ?? name}`;
  });
  const named = words.find((word) => word === controller || word === `-${controller}`);
  return named === undefined ? words.includes('*') : named === controller;
}
