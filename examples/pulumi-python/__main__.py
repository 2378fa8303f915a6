import pulumi
import pulumi_edge_nodepools as edge

config = pulumi.Config()

cluster = edge.ClusterArgs(
    open_yurt="1.7",
    kubernetes="1.34",
    api_server="api.shops.example:6443",
    ca_cert_hashes=[config.require("caCertHash")],
)
taint = edge.TaintArgs(key="site", value="beijing", effect=edge.TaintEffect.NO_SCHEDULE)

beijing = edge.HostNetworkNodePool(
    "beijing",
    cluster=cluster,
    pool_name="beijing",
    labels={"site": "beijing"},
    taints=[taint],
    expected_nodes=12,
)

# The pool for components that refer to it. The taints are repeated, so that Pods get the tolerations.
pool = edge.PoolReferenceArgs(pool_name=beijing.pool_name, taints=[taint], expected_nodes=12)

# Runs on every node of the pool.
collector = edge.HostNetworkWorkload(
    "collector",
    cluster=cluster,
    pools=[pool],
    workload={
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "collector", "namespace": "default"},
        "spec": {
            "selector": {"matchLabels": {"app": "collector"}},
            "template": {
                "metadata": {"labels": {"app": "collector"}},
                "spec": {
                    "automountServiceAccountToken": False,
                    "containers": [
                        {
                            "name": "collector",
                            "image": "registry.example/collector:1.4.2",
                            "ports": [{"containerPort": 9110}],
                        }
                    ],
                },
            },
        },
    },
)

# The user-data of the machines; it contains the token, so it is a secret.
join = edge.NodeJoin(
    "beijing-join",
    cluster=cluster,
    pool=pool,
    token=config.require_secret("joinToken"),
    reservation=edge.ReservationArgs(preset=edge.ReservationPreset.EDGE_SMALL),
)

pulumi.export("joinLabels", beijing.join_labels)
pulumi.export("changes", collector.changes)
pulumi.export("userData", join.user_data)
