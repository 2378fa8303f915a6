module edge-nodepools/test/e2e/tools/prometheus-operator-0.85

go 1.25.0

require github.com/prometheus-operator/prometheus-operator v0.85.0
