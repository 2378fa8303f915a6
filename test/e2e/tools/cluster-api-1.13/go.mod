module edge-nodepools/test/e2e/tools/cluster-api-1.13

go 1.25.0

require sigs.k8s.io/cluster-api v1.13.6
