import { HOST_NETWORK_LABEL, TRUE } from '../../kubernetes/labels.js';
import type { PolicyParameters } from '../policy.js';

/**
 * The host-network nodes as parameters. For every request, the API server evaluates the policy once per node, including the match conditions, so the
 * cost of a request grows with the number of nodes.
 */
export const HOST_NETWORK_NODES: PolicyParameters = {
  kind: { apiVersion: 'v1', kind: 'Node' },
  ref: { selector: { matchLabels: { [HOST_NETWORK_LABEL]: TRUE } }, parameterNotFoundAction: 'Allow' },
};
