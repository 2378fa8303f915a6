module edge-nodepools/test/e2e/tools/argo-cd-3.5

go 1.25.0

require github.com/argoproj/argo-cd/v3 v3.5.0
