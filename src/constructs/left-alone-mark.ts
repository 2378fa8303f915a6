/** Metadata type of constructs that the exclusion mixin leaves alone; the data says why. */
export const LEFT_ALONE = 'edge-nodepools:left-alone';
