import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { PolicyParameters } from './policy.js';

/**
 * The host-network nodes as parameters. For every request, the API server evaluates the policy once per node, including the match conditions, so the
 * cost of a request grows with the number of nodes.
 */
export function hostNetworkNodes({ hostNetworkLabel: { key, value } }: EdgeCluster): PolicyParameters {
  return {
    kind: { apiVersion: 'v1', kind: 'Node' },
    ref: { selector: { matchLabels: { [key]: value } }, parameterNotFoundAction: 'Allow' },
  };
}
