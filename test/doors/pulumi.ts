/** All names for Pulumi, of both doors. */
export * from 'edge-nodepools/pulumi';
export * from 'edge-nodepools/pulumi/control-plane';
