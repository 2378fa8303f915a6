import pulumi
import pulumi_edge_nodepools as edge

cluster = edge.ClusterArgs(open_yurt="1.7", kubernetes="1.34")

beijing = edge.HostNetworkNodePool(
    "beijing",
    cluster=cluster,
    pool_name="beijing",
    labels={"site": "beijing"},
    taints=[edge.TaintArgs(key="site", value="beijing", effect="NoSchedule")],
    expected_nodes=12,
)

# Runs on every node of the pool. The taints are repeated, so that its Pods get the tolerations.
edge.HostNetworkWorkload(
    "collector",
    cluster=cluster,
    pools=[
        edge.PoolReferenceArgs(
            pool_name=beijing.pool_name,
            taints=[edge.TaintArgs(key="site", value="beijing", effect="NoSchedule")],
        )
    ],
    workload={
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "collector", "namespace": "edge-system"},
        "spec": {
            "selector": {"matchLabels": {"app": "collector"}},
            "template": {
                "metadata": {"labels": {"app": "collector"}},
                "spec": {
                    "containers": [
                        {
                            "name": "collector",
                            "image": "registry.example/collector:1.4.2",
                            "ports": [{"containerPort": 9110}],
                        }
                    ]
                },
            },
        },
    },
)

pulumi.export("joinLabels", beijing.join_labels)
