module edge-nodepools/test/e2e/tools/eck-3.5

go 1.25.0

require github.com/elastic/cloud-on-k8s/v3 v3.5.0
