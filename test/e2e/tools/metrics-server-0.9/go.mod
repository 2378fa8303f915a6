module edge-nodepools/test/e2e/tools/metrics-server-0.9

go 1.25.0

require sigs.k8s.io/metrics-server v0.9.0
