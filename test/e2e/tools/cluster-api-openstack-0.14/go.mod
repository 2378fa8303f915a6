module edge-nodepools/test/e2e/tools/cluster-api-openstack-0.14

go 1.25.0

require sigs.k8s.io/cluster-api-provider-openstack v0.14.7
