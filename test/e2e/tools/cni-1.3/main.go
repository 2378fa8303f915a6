// cni-list FILE reads a list of CNI plugins as a container runtime does, and prints its version and the types and capabilities of its plugins.
// cni-list FILE FOLDER also asks the programs in the folder whether they know that version.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/containernetworking/cni/libcni"
)

func main() {
	list, err := libcni.ConfListFromFile(os.Args[1])
	if err != nil {
		fail(err)
	}
	if len(os.Args) > 2 {
		if _, err := libcni.NewCNIConfig([]string{os.Args[2]}, nil).ValidateNetworkList(context.Background(), list); err != nil {
			fail(err)
		}
	}
	type plugin struct {
		Type         string          `json:"type"`
		Capabilities map[string]bool `json:"capabilities,omitempty"`
	}
	plugins := []plugin{}
	for _, one := range list.Plugins {
		plugins = append(plugins, plugin{one.Network.Type, one.Network.Capabilities})
	}
	_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"name": list.Name, "cniVersion": list.CNIVersion, "plugins": plugins})
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
