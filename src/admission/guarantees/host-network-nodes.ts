import { HOST_NETWORK_LABEL, TRUE } from '../../kubernetes/labels.js';
import type { PolicyParameters } from '../policy.js';

/**
 * The host-network nodes as parameters. The API server evaluates the policy once per node and request, whatever the match conditions say, so the
 * cost of every request grows with them.
 */
export const HOST_NETWORK_NODES: PolicyParameters = {
  kind: { apiVersion: 'v1', kind: 'Node' },
  ref: { selector: { matchLabels: { [HOST_NETWORK_LABEL]: TRUE } }, parameterNotFoundAction: 'Allow' },
};
