/** All names for cdk8s, of both doors. */
export * from 'edge-nodepools';
export * from 'edge-nodepools/control-plane';
