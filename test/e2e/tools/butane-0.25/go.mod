module edge-nodepools/test/e2e/tools/butane-0.25

go 1.26

require github.com/coreos/butane v0.25.1
