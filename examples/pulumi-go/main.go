package main

import (
	edge "example.com/pulumi-edge-nodepools/sdk/go/edgenodepools"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		settings := config.New(ctx, "")
		cluster := edge.ClusterArgs{
			OpenYurt:     "1.7",
			Kubernetes:   "1.34",
			ApiServer:    pulumi.String("api.shops.example:6443"),
			CaCertHashes: pulumi.StringArray{pulumi.String(settings.Require("caCertHash"))},
		}
		taints := edge.TaintArray{edge.TaintArgs{
			Key:    pulumi.String("site"),
			Value:  pulumi.String("beijing"),
			Effect: edge.TaintEffectNoSchedule,
		}}

		beijing, err := edge.NewHostNetworkNodePool(ctx, "beijing", &edge.HostNetworkNodePoolArgs{
			Cluster:       cluster,
			PoolName:      pulumi.String("beijing"),
			Labels:        pulumi.StringMap{"site": pulumi.String("beijing")},
			Taints:        taints,
			ExpectedNodes: pulumi.Int(12),
		})
		if err != nil {
			return err
		}

		// The pool for components that refer to it. The taints are repeated, so that Pods get the tolerations.
		pool := edge.PoolReferenceArgs{PoolName: beijing.PoolName, Taints: taints, ExpectedNodes: pulumi.Int(12)}

		// Runs on every node of the pool.
		collector, err := edge.NewHostNetworkWorkload(ctx, "collector", &edge.HostNetworkWorkloadArgs{
			Cluster: cluster,
			Pools:   edge.PoolReferenceArray{pool},
			Workload: pulumi.Any(map[string]any{
				"apiVersion": "apps/v1",
				"kind":       "DaemonSet",
				"metadata":   map[string]any{"name": "collector", "namespace": "default"},
				"spec": map[string]any{
					"selector": map[string]any{"matchLabels": map[string]any{"app": "collector"}},
					"template": map[string]any{
						"metadata": map[string]any{"labels": map[string]any{"app": "collector"}},
						"spec": map[string]any{
							"automountServiceAccountToken": false,
							"containers": []any{map[string]any{
								"name":  "collector",
								"image": "registry.example/collector:1.4.2",
								"ports": []any{map[string]any{"containerPort": 9110}},
							}},
						},
					},
				},
			}),
		})
		if err != nil {
			return err
		}

		// The user-data of the machines; it contains the token, so it is a secret.
		join, err := edge.NewNodeJoin(ctx, "beijing-join", &edge.NodeJoinArgs{
			Cluster:     cluster,
			Pool:        pool,
			Token:       settings.RequireSecret("joinToken"),
			Reservation: edge.ReservationArgs{Preset: edge.ReservationPresetEdgeSmall},
		})
		if err != nil {
			return err
		}

		ctx.Export("joinLabels", beijing.JoinLabels)
		ctx.Export("changes", collector.Changes)
		ctx.Export("userData", join.UserData)
		return nil
	})
}
