// node-lifecycle-judge runs the node-lifecycle-controller and the taint-eviction-controller of Kubernetes, unchanged, on Nodes in memory. It reads a fleet as
// JSON, of which some Nodes never renew their Lease, and prints when each of them was found, got its taint, and lost its Pods.
package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"sync"
	"time"

	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	typed "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle"
	"k8s.io/kubernetes/pkg/controller/tainteviction"
)

type node struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels"`
	Silent bool              `json:"silent"`
	// Back is after how many seconds a silent Node is there again; 0: never.
	Back float64 `json:"back"`
	// Tolerations of a Pod on it; no Pod without them.
	Tolerations []core.Toleration `json:"tolerations"`
}

// request has the flags of kube-controller-manager, times in seconds.
type request struct {
	Nodes                     []node  `json:"nodes"`
	NodeMonitorPeriod         float64 `json:"nodeMonitorPeriod"`
	NodeMonitorGracePeriod    float64 `json:"nodeMonitorGracePeriod"`
	NodeEvictionRate          float32 `json:"nodeEvictionRate"`
	SecondaryNodeEvictionRate float32 `json:"secondaryNodeEvictionRate"`
	LargeClusterSizeThreshold int32   `json:"largeClusterSizeThreshold"`
	UnhealthyZoneThreshold    float32 `json:"unhealthyZoneThreshold"`
	// Seconds after the last Node is found.
	Seconds float64 `json:"seconds"`
}

// Times in seconds after the start; 0 if it did not happen.
type seen struct {
	Name       string  `json:"name"`
	Unknown    float64 `json:"unknown,omitempty"`
	NoSchedule float64 `json:"noSchedule,omitempty"`
	Tainted    float64 `json:"tainted,omitempty"`
	TakenBack  float64 `json:"takenBack,omitempty"`
	Evicted    float64 `json:"evicted,omitempty"`
}

// clientset answers events, which the fake client cannot, and keeps none.
type clientset struct {
	*fake.Clientset
	events rest.Interface
}

type coreClient struct {
	typed.CoreV1Interface
	events rest.Interface
}

func (client clientset) CoreV1() typed.CoreV1Interface {
	return coreClient{client.Clientset.CoreV1(), client.events}
}
func (client coreClient) RESTClient() rest.Interface { return client.events }

type echo struct{}

func (echo) RoundTrip(asked *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusCreated, Header: http.Header{"Content-Type": asked.Header["Content-Type"]}, Body: asked.Body, Request: asked}, nil
}

func newClientset(objects []runtime.Object) clientset {
	client, err := typed.NewForConfig(&rest.Config{Host: "http://memory", Transport: echo{}})
	if err != nil {
		panic(err)
	}
	return clientset{fake.NewSimpleClientset(objects...), client.RESTClient()}
}

func seconds(value float64) time.Duration { return time.Duration(value * float64(time.Second)) }

func main() {
	var asked request
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		panic(err)
	}
	// the watches of the fake client panic when their channel is full
	watch.DefaultChanSize = int32(20*len(asked.Nodes) + 1000)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var objects []runtime.Object
	var alive []string
	for _, each := range asked.Nodes {
		ready := core.NodeCondition{Type: core.NodeReady, Status: core.ConditionTrue, LastHeartbeatTime: meta.Now(), LastTransitionTime: meta.Now()}
		objects = append(objects, &core.Node{ObjectMeta: meta.ObjectMeta{Name: each.Name, Labels: each.Labels}, Status: core.NodeStatus{Conditions: []core.NodeCondition{ready}}})
		if each.Tolerations != nil {
			objects = append(objects, &core.Pod{
				ObjectMeta: meta.ObjectMeta{Name: each.Name, Namespace: "default"},
				Spec:       core.PodSpec{NodeName: each.Name, Tolerations: each.Tolerations},
			})
		}
		if !each.Silent {
			alive = append(alive, each.Name)
		}
	}
	client := newClientset(objects)
	factory := informers.NewSharedInformerFactory(client, 0)
	lifecycle, err := nodelifecycle.NewNodeLifecycleController(ctx, factory.Coordination().V1().Leases(), factory.Core().V1().Pods(), factory.Core().V1().Nodes(),
		factory.Apps().V1().DaemonSets(), client, seconds(asked.NodeMonitorPeriod), time.Minute, seconds(asked.NodeMonitorGracePeriod),
		asked.NodeEvictionRate, asked.SecondaryNodeEvictionRate, asked.LargeClusterSizeThreshold, asked.UnhealthyZoneThreshold)
	if err != nil {
		panic(err)
	}
	evictions, err := tainteviction.New(ctx, client, factory.Core().V1().Pods(), factory.Core().V1().Nodes(), "taint-eviction-controller")
	if err != nil {
		panic(err)
	}
	begin := time.Now()
	var lock sync.Mutex
	found := map[string]*seen{}
	for _, each := range asked.Nodes {
		found[each.Name] = &seen{Name: each.Name}
	}
	unknown := 0
	// once is the time of the first of several events
	once := func(at *float64) bool {
		if *at != 0 {
			return false
		}
		*at = time.Since(begin).Seconds()
		return true
	}
	factory.Core().V1().Nodes().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, new interface{}) {
		lock.Lock()
		defer lock.Unlock()
		changed := new.(*core.Node)
		at := found[changed.Name]
		if changed.Status.Conditions[0].Status == core.ConditionUnknown && once(&at.Unknown) {
			unknown++
		}
		has := false
		for _, taint := range changed.Spec.Taints {
			if taint.Key == core.TaintNodeUnreachable && taint.Effect == core.TaintEffectNoExecute {
				has = true
				once(&at.Tainted)
			}
			if taint.Key == core.TaintNodeUnreachable && taint.Effect == core.TaintEffectNoSchedule {
				once(&at.NoSchedule)
			}
		}
		if !has && at.Tainted != 0 {
			once(&at.TakenBack)
		}
	}})
	factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(gone interface{}) {
		lock.Lock()
		defer lock.Unlock()
		if pod, ok := gone.(*core.Pod); ok {
			once(&found[pod.Name].Evicted)
		}
	}})
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	go lifecycle.Run(ctx)
	go evictions.Run(ctx)
	go func() {
		for ctx.Err() == nil {
			for _, name := range alive {
				renew(ctx, client.Clientset, name)
			}
			time.Sleep(seconds(asked.NodeMonitorGracePeriod / 5))
		}
	}()
	for _, each := range asked.Nodes {
		if each.Silent && each.Back > 0 {
			go comeBack(ctx, client.Clientset, each.Name, seconds(each.Back), seconds(asked.NodeMonitorGracePeriod/5))
		}
	}
	silent := len(asked.Nodes) - len(alive)
	for all := false; !all; time.Sleep(100 * time.Millisecond) {
		lock.Lock()
		all = unknown >= silent || time.Since(begin) > 5*time.Minute
		lock.Unlock()
	}
	time.Sleep(seconds(asked.Seconds))
	lock.Lock()
	result := []*seen{}
	for _, each := range asked.Nodes {
		result = append(result, found[each.Name])
	}
	json.NewEncoder(os.Stdout).Encode(map[string]interface{}{"nodes": result, "end": time.Since(begin).Seconds()})
	os.Exit(0)
}

func renew(ctx context.Context, client *fake.Clientset, name string) {
	now := meta.NowMicro()
	lease := &coordination.Lease{ObjectMeta: meta.ObjectMeta{Name: name, Namespace: core.NamespaceNodeLease}, Spec: coordination.LeaseSpec{RenewTime: &now}}
	leases := client.CoordinationV1().Leases(core.NamespaceNodeLease)
	if _, err := leases.Update(ctx, lease, meta.UpdateOptions{}); err != nil {
		leases.Create(ctx, lease, meta.CreateOptions{})
	}
}

// comeBack renews the Lease of a Node from a time on, and reports it as Ready, as its kubelet does.
func comeBack(ctx context.Context, client *fake.Clientset, name string, after, every time.Duration) {
	time.Sleep(after)
	renew(ctx, client, name)
	for attempt := 0; attempt < 20; attempt++ {
		node, err := client.CoreV1().Nodes().Get(ctx, name, meta.GetOptions{})
		if err == nil {
			now := meta.Now()
			node = node.DeepCopy()
			node.Status.Conditions[0] = core.NodeCondition{Type: core.NodeReady, Status: core.ConditionTrue, LastHeartbeatTime: now, LastTransitionTime: now}
			if _, err = client.CoreV1().Nodes().UpdateStatus(ctx, node, meta.UpdateOptions{}); err == nil {
				break
			}
		}
	}
	for ctx.Err() == nil {
		renew(ctx, client, name)
		time.Sleep(every)
	}
}
