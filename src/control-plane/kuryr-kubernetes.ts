import type { Plan, PlannedObject } from '../cluster/plan.js';
import { problemsOf, type Scope } from '../cluster/scope.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { declaredHostNetworkPools } from '../pools/declared-pools.js';
import { secretFile } from './openstack-credentials.js';
import type { SecretReference } from './volume-snapshot-class.js';
import { compute } from '../base/unknown.js';
import { excludeWorkload } from '../workloads/exclusion.js';
import { checkKuryr } from './kuryr-checks.js';
import { conflist, CREDENTIALS_FILE, credentialsConf, kuryrConf } from './kuryr-conf.js';
import {
  accounts,
  configMap,
  controller,
  daemon,
  kuryrPortDefinition,
  sayRetired,
  withConfigHash,
} from './kuryr-objects.js';
import type { KuryrKubernetesProps } from './kuryr-props.js';

/** Attributes of kuryr-kubernetes. */
export interface KuryrAttributes {
  /** The Secret with the credentials. */
  readonly secret: SecretReference;
}

/**
 * Plans kuryr-kubernetes as the CNI of the regular nodes of a cluster.
 *
 * @throws {@link EdgeError} with all problems at once; none shows a credential
 */
export function planKuryrKubernetes(props: KuryrKubernetesProps, scope: Scope): Plan<KuryrAttributes> {
  const subject = `KuryrKubernetes ${scope.path}`;
  const problems = problemsOf(scope);
  checkKuryr(props, problems);
  problems.throwIfAny(subject);
  const { cluster, namespace = 'kube-system', keystone, inManifest = false, portmap = true, caCertificates } = props;
  const { project, podSubnet, podSecurityGroups, vifDriver, ovsBridge, workerSubnets, linkInterface, pool } = props;
  const secretName = props.secretName ?? 'kuryr-credentials';
  const input = {
    ...{ project, podSubnet, podSecurityGroups, vifDriver, ovsBridge, workerSubnets, linkInterface, pool },
    apiServer: cluster.apiServer as string,
    hasCertificates: caCertificates !== undefined,
  };
  const files = {
    ...{ namespace, images: props.images, secretName, caCertificates },
    conf: compute(input, kuryrConf),
    conflist: compute(portmap, conflist),
  };
  const secret =
    keystone &&
    sayRetired({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: secretName, namespace, labels: { ...OWN_LABELS } },
      type: 'Opaque',
      stringData: { [CREDENTIALS_FILE]: compute(keystone, credentialsConf) },
    });
  const before: PlannedObject[] = [
    ...[
      ...(props.definition === 'external' ? [] : [kuryrPortDefinition()]),
      ...accounts(namespace),
      configMap(files),
    ].map((planned) => ({ ...planned, object: sayRetired(planned.object) })),
    ...(secret === undefined || !inManifest ? [] : [{ object: secret, apply: 'create' as const, id: 'credentials' }]),
  ];
  const pools = declaredHostNetworkPools(scope, cluster);
  // neither waits until the other is ready
  const workloads = [controller(files), daemon(files)].map((object): PlannedObject => ({
    object: withConfigHash(
      excludeWorkload(cluster, { ...sayRetired(object) }, pools, problems)?.manifest ?? {},
      files,
    ) as KubernetesObject,
    apply: 'create',
    id: object.kind.toLowerCase(),
    after: before,
  }));
  problems.throwIfAny(subject);
  return {
    subject,
    objects: [...before, ...workloads],
    cluster,
    attributes: { secret: { name: secretName, namespace } },
    warnings: [],
    artifacts: secret === undefined || inManifest ? [] : [secretFile(secret)],
  };
}
