module edge-nodepools/test/e2e/tools/flannel-0.28

go 1.25.0

require github.com/flannel-io/flannel v0.28.10
