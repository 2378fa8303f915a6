module edge-nodepools/test/e2e/tools/cert-manager-1.21

go 1.25.0

require github.com/cert-manager/cert-manager v1.21.2
