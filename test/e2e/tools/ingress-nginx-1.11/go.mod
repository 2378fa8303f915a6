module edge-nodepools/test/e2e/tools/ingress-nginx-1.11

go 1.25.0

require k8s.io/ingress-nginx v0.0.0-20240708192948-52c50467d67d
