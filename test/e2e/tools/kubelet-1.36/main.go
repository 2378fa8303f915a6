// Ranks Pods as the kubelet does when a node has no memory: its own function, which is not exported.
package main

import (
	"encoding/json"
	"os"
	_ "unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	statsapi "k8s.io/kubelet/pkg/apis/stats/v1alpha1"
	"k8s.io/kubernetes/pkg/kubelet/eviction"
	"k8s.io/kubernetes/pkg/kubelet/qos"
	"k8s.io/kubernetes/pkg/kubelet/types"
)

//go:linkname rankMemoryPressure k8s.io/kubernetes/pkg/kubelet/eviction.rankMemoryPressure
func rankMemoryPressure(pods []*v1.Pod, stats func(*v1.Pod) (statsapi.PodStats, bool))

// the package must be linked
var _ = eviction.Config{}

const mebibyte = 1 << 20

type given struct {
	Says     string
	Priority int32
	// Mi
	Request, Limit, Used int64
}

type answer struct {
	Says        string `json:"says"`
	Critical    bool   `json:"critical"`
	OomScoreAdj int    `json:"oomScoreAdj"`
}

func podOf(one given) *v1.Pod {
	amounts := func(mebibytes int64) v1.ResourceList {
		if mebibytes == 0 {
			return nil
		}
		return v1.ResourceList{
			v1.ResourceCPU:    resource.MustParse("100m"),
			v1.ResourceMemory: *resource.NewQuantity(mebibytes*mebibyte, resource.BinarySI),
		}
	}
	resources := v1.ResourceRequirements{Requests: amounts(one.Request), Limits: amounts(one.Limit)}
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: one.Says},
		Spec: v1.PodSpec{
			Priority:   &one.Priority,
			Containers: []v1.Container{{Name: "a", Resources: resources}},
		},
	}
}

func main() {
	var all []given
	if err := json.NewDecoder(os.Stdin).Decode(&all); err != nil {
		panic(err)
	}
	used := map[string]uint64{}
	pods := []*v1.Pod{}
	for _, one := range all {
		used[one.Says] = uint64(one.Used * mebibyte)
		pods = append(pods, podOf(one))
	}
	rankMemoryPressure(pods, func(pod *v1.Pod) (statsapi.PodStats, bool) {
		bytes := used[pod.Name]
		return statsapi.PodStats{Memory: &statsapi.MemoryStats{WorkingSetBytes: &bytes}}, true
	})
	answers := []answer{}
	for _, pod := range pods {
		score := qos.GetContainerOOMScoreAdjust(pod, &pod.Spec.Containers[0], 32*1024*mebibyte)
		answers = append(answers, answer{pod.Name, types.IsCriticalPod(pod), score})
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		panic(err)
	}
}
