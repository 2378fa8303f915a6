import { requirePeers } from '../base/peers.js';

/** Looked for before anything else is loaded. */
export const PEERS = requirePeers('edge-nodepools', ['cdk8s', 'constructs']);
