module edge-nodepools/test/e2e/tools/external-snapshotter-8.7

go 1.25.0

require github.com/kubernetes-csi/external-snapshotter/client/v8 v8.7.0
