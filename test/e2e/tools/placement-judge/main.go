// placement-judge answers where Pods can run, by the packages of kube-scheduler, kube-controller-manager and kubelet themselves. Each line of its input is
// one cluster as JSON: nodes, the Pods that are bound to them, other objects, and the Pods that are asked about. Each line of its output has an answer for
// each of these Pods: for each node the first plugin of the default profile that refuses it, as for a Pod of a DaemonSet the DaemonSet controller, and for
// a Pod that names its node kubelet's admission; before all of them, Pod Security. Nothing of the library is in here.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	storage "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	ndf "k8s.io/component-helpers/nodedeclaredfeatures"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	core "k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/controller/daemon"
	daemonutil "k8s.io/kubernetes/pkg/controller/daemon/util"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	podregistry "k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds"
	podsecurity "k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// A cluster, and the Pods that are asked about.
type question struct {
	Nodes          []*v1.Node                  `json:"nodes"`
	Pods           []*v1.Pod                   `json:"pods"`
	Namespaces     []*v1.Namespace             `json:"namespaces"`
	Claims         []*v1.PersistentVolumeClaim `json:"claims"`
	Volumes        []*v1.PersistentVolume      `json:"volumes"`
	StorageClasses []*storage.StorageClass     `json:"storageClasses"`
	Asked          []asked                     `json:"asked"`
}

type asked struct {
	Pod *v1.Pod `json:"pod"`
	// Daemon: the Pod is the template of a DaemonSet.
	Daemon bool `json:"daemon"`
}

// Who refuses, and why; empty if nobody does.
type refusal struct {
	By      string   `json:"by,omitempty"`
	Reasons []string `json:"reasons,omitempty"`
}

func main() {
	klog.InitFlags(nil)
	must(flag.Set("logtostderr", "false"))
	must(flag.Set("stderrthreshold", "FATAL"))
	klog.SetOutput(io.Discard)
	metrics.Register()
	input := json.NewDecoder(bufio.NewReaderSize(os.Stdin, 1<<20))
	output := bufio.NewWriter(os.Stdout)
	defer output.Flush()
	encoder := json.NewEncoder(output)
	for {
		var about question
		if err := input.Decode(&about); err == io.EOF {
			return
		} else {
			must(err)
		}
		answers, err := judge(about)
		must(err)
		must(encoder.Encode(answers))
	}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func judge(about question) ([]map[string]refusal, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, node := range about.Nodes {
		legacyscheme.Scheme.Default(node)
	}
	objects := []runtime.Object{}
	for _, each := range about.Namespaces {
		objects = append(objects, each)
	}
	for _, each := range about.Claims {
		legacyscheme.Scheme.Default(each)
		objects = append(objects, each)
	}
	for _, each := range about.Volumes {
		legacyscheme.Scheme.Default(each)
		objects = append(objects, each)
	}
	for _, each := range about.StorageClasses {
		legacyscheme.Scheme.Default(each)
		objects = append(objects, each)
	}
	for index, pod := range about.Pods {
		admitted, err := admit(ctx, pod, nil)
		if err != nil {
			return nil, err
		}
		// what kubelet has written of a resize
		admitted.Status = pod.Status
		about.Pods[index] = admitted
		objects = append(objects, admitted)
	}
	scheduler, snapshot, err := schedulerOf(ctx, about, objects)
	if err != nil {
		return nil, err
	}
	answers := []map[string]refusal{}
	for _, each := range about.Asked {
		var answer map[string]refusal
		var err error
		switch {
		case each.Daemon:
			answer, err = judgeDaemon(ctx, scheduler, snapshot, each.Pod, about)
		default:
			answer, err = judgePod(ctx, scheduler, snapshot, each.Pod, about)
		}
		if err != nil {
			return nil, err
		}
		answers = append(answers, answer)
	}
	return answers, nil
}

// The admission plugin as the API server initializes it.
var defaultTolerations = func() *defaulttolerationseconds.Plugin {
	plugin := defaulttolerationseconds.NewDefaultTolerationSeconds()
	plugin.InspectFeatureGates(utilfeature.DefaultFeatureGate)
	must(plugin.ValidateInitialization())
	return plugin
}()

// What the API server makes of a Pod: defaults, the default tolerations of its admission, and what it writes for keys of labels.
func admit(ctx context.Context, given *v1.Pod, change func(*v1.Pod)) (*v1.Pod, error) {
	pod := given.DeepCopy()
	if pod.Namespace == "" {
		pod.Namespace = "default"
	}
	if change != nil {
		change(pod)
	}
	legacyscheme.Scheme.Default(pod)
	internal := &core.Pod{}
	if err := legacyscheme.Scheme.Convert(pod, internal, nil); err != nil {
		return nil, err
	}
	attributes := admission.NewAttributesRecord(internal, nil, core.Kind("Pod").WithVersion("version"), pod.Namespace, pod.Name,
		core.Resource("pods").WithVersion("version"), "", admission.Create, nil, false, nil)
	if err := defaultTolerations.Admit(ctx, attributes, nil); err != nil {
		return nil, err
	}
	podregistry.Strategy.PrepareForCreate(ctx, internal)
	admitted := &v1.Pod{}
	return admitted, legacyscheme.Scheme.Convert(internal, admitted, nil)
}

// Not in here: what binds, what only ranks nodes, and what needs objects that a question cannot have.
var left = map[string]bool{
	"DynamicResources": true, "GangScheduling": true, "DefaultPreemption": true, "TopologyPlacementGenerator": true, "PodGroupPodsCount": true,
	"NodeResourcesBalancedAllocation": true, "ImageLocality": true,
}

func schedulerOf(ctx context.Context, about question, objects []runtime.Object) (framework.Framework, *cache.Snapshot, error) {
	defaults, err := latest.Default()
	if err != nil {
		return nil, nil, err
	}
	profile := defaults.Profiles[0]
	enabled := []config.Plugin{}
	for _, plugin := range profile.Plugins.MultiPoint.Enabled {
		if !left[plugin.Name] {
			enabled = append(enabled, plugin)
		}
	}
	profile.Plugins.MultiPoint.Enabled = enabled
	client := fake.NewSimpleClientset(objects...)
	factory := informers.NewSharedInformerFactory(client, 0)
	snapshot := cache.NewSnapshot(about.Pods, about.Nodes)
	scheduler, err := frameworkruntime.NewFramework(ctx, plugins.NewInTreeRegistry(), &profile,
		frameworkruntime.WithClientSet(client),
		frameworkruntime.WithInformerFactory(factory),
		frameworkruntime.WithSnapshotSharedLister(snapshot),
		frameworkruntime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(factory.Storage().V1().CSINodes().Lister())),
	)
	if err != nil {
		return nil, nil, err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return scheduler, snapshot, nil
}

func judgePod(ctx context.Context, scheduler framework.Framework, snapshot *cache.Snapshot, given *v1.Pod, about question) (map[string]refusal, error) {
	pod, err := admit(ctx, given, nil)
	if err != nil {
		return nil, err
	}
	if reasons := secured(pod, about); len(reasons) > 0 {
		answer := map[string]refusal{}
		for _, node := range about.Nodes {
			answer[node.Name] = refusal{By: "PodSecurity", Reasons: reasons}
		}
		return answer, nil
	}
	if pod.Spec.NodeName != "" {
		return kubelets(pod, about), nil
	}
	return scheduled(ctx, scheduler, snapshot, pod)
}

// The answers of the scheduler for every node.
func scheduled(ctx context.Context, scheduler framework.Framework, snapshot *cache.Snapshot, pod *v1.Pod) (map[string]refusal, error) {
	nodes, err := snapshot.NodeInfos().List()
	if err != nil {
		return nil, err
	}
	answer := map[string]refusal{}
	everywhere := func(status *fwk.Status) map[string]refusal {
		for _, node := range nodes {
			answer[node.Node().Name] = refusal{By: status.Plugin(), Reasons: status.Reasons()}
		}
		return answer
	}
	for _, plugin := range scheduler.PreEnqueuePlugins() {
		if status := plugin.PreEnqueue(ctx, pod); !status.IsSuccess() {
			return everywhere(status.WithPlugin(plugin.Name())), nil
		}
	}
	state := framework.NewCycleState()
	possible, status, _ := scheduler.RunPreFilterPlugins(ctx, state, pod)
	if !status.IsSuccess() {
		return everywhere(status), nil
	}
	for _, node := range nodes {
		name := node.Node().Name
		status := scheduler.RunFilterPlugins(ctx, state, pod, node)
		switch {
		case !status.IsSuccess():
			answer[name] = refusal{By: status.Plugin(), Reasons: status.Reasons()}
		case possible != nil && possible.NodeNames != nil && !possible.NodeNames.Has(name):
			answer[name] = refusal{By: "PreFilter", Reasons: []string{"filtered out by the prefilter result"}}
		default:
			answer[name] = refusal{}
		}
	}
	return answer, nil
}

// The DaemonSet controller decides for each node whether there is a Pod; the scheduler, whether it gets there.
func judgeDaemon(ctx context.Context, scheduler framework.Framework, snapshot *cache.Snapshot, template *v1.Pod, about question) (map[string]refusal, error) {
	set := &apps.DaemonSet{}
	set.Name = template.Name
	set.Namespace = template.Namespace
	set.Spec.Template.Spec = *template.Spec.DeepCopy()
	set.Spec.Template.Labels = template.Labels
	legacyscheme.Scheme.Default(set)
	answer := map[string]refusal{}
	for _, node := range about.Nodes {
		if wanted, _ := daemon.NodeShouldRunDaemonPod(klog.Background(), node, set.DeepCopy()); !wanted {
			answer[node.Name] = refusal{By: "DaemonSet"}
			continue
		}
		pod, err := admit(ctx, &v1.Pod{ObjectMeta: template.ObjectMeta, Spec: set.Spec.Template.Spec}, func(pod *v1.Pod) {
			daemonutil.AddOrUpdateDaemonPodTolerations(&pod.Spec)
			pod.Spec.Affinity = daemonutil.ReplaceDaemonSetPodNodeNameNodeAffinity(pod.Spec.Affinity, node.Name)
		})
		if err != nil {
			return nil, err
		}
		if pod.Spec.NodeName != "" {
			answer[node.Name] = kubelets(pod, about)[node.Name]
			continue
		}
		all, err := scheduled(ctx, scheduler, snapshot, pod)
		if err != nil {
			return nil, err
		}
		answer[node.Name] = all[node.Name]
	}
	return answer, nil
}

var kubeletVersion = version.MustParse("1.36.0")

// The checks of the Pod Security Standards, as the API server asks them when a Pod is created; empty if it is.
var podSecurity = func() policy.Evaluator {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	must(err)
	return evaluator
}()

func secured(pod *v1.Pod, about question) []string {
	for _, namespace := range about.Namespaces {
		if namespace.Name != pod.Namespace {
			continue
		}
		enforced, errs := podsecurity.PolicyToEvaluate(namespace.Labels, podsecurity.Policy{
			Enforce: podsecurity.LevelVersion{Level: podsecurity.LevelPrivileged, Version: podsecurity.LatestVersion()},
		})
		must(errs.ToAggregate())
		return policy.AggregateCheckResults(podSecurity.EvaluatePod(enforced.Enforce, &pod.ObjectMeta, &pod.Spec)).ForbiddenReasons
	}
	return nil
}

type noPreemption struct{}

func (noPreemption) HandleAdmissionFailure(_ context.Context, _ *v1.Pod, reasons []lifecycle.PredicateFailureReason) ([]lifecycle.PredicateFailureReason, error) {
	return reasons, nil
}

// A Pod that names its node: kubelet admits it or not, and no other node sees it.
func kubelets(pod *v1.Pod, about question) map[string]refusal {
	answer := map[string]refusal{}
	for _, node := range about.Nodes {
		if node.Name != pod.Spec.NodeName {
			answer[node.Name] = refusal{By: "NodeName"}
			continue
		}
		others := []*v1.Pod{}
		for _, other := range about.Pods {
			if other.Spec.NodeName == node.Name {
				others = append(others, other)
			}
		}
		handler := lifecycle.NewPredicateAdmitHandler(
			func(context.Context, bool) (*v1.Node, error) { return node.DeepCopy(), nil },
			noPreemption{},
			func(*framework.NodeInfo, *lifecycle.PodAdmitAttributes) error { return nil },
		)
		features := ndf.DefaultFramework.TryMap(node.Status.DeclaredFeatures)
		declared := lifecycle.NewDeclaredFeaturesAdmitHandler(ndf.DefaultFramework, features, kubeletVersion)
		attributes := &lifecycle.PodAdmitAttributes{Pod: pod, OtherPods: others}
		result := handler.Admit(attributes)
		if result.Admit {
			result = declared.Admit(attributes)
		}
		if result.Admit {
			answer[node.Name] = refusal{}
		} else {
			answer[node.Name] = refusal{By: "kubelet", Reasons: []string{result.Reason, result.Message}}
		}
	}
	return answer
}
