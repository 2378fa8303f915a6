// registries-judge reads registries.conf and certificates as CRI-O and podman do. Its input is a JSON list [folder, image …]: the folder has
// registries.conf.d and certs.d. Its output is a JSON map of each image to where it is pulled from, in order: the reference, whether http is permitted, and
// how many certificates of an authority its host is given.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.podman.io/image/v5/docker/reference"
	"go.podman.io/image/v5/pkg/sysregistriesv2"
	"go.podman.io/image/v5/pkg/tlsclientconfig"
	"go.podman.io/image/v5/types"
)

type source struct {
	Reference   string `json:"reference"`
	Insecure    bool   `json:"insecure"`
	Authorities int    `json:"authorities"`
}

func main() {
	var question []string
	if err := json.NewDecoder(os.Stdin).Decode(&question); err != nil {
		fail(err)
	}
	folder := question[0]
	none := filepath.Join(folder, "none.conf")
	context := &types.SystemContext{
		SystemRegistriesConfPath:    none,
		SystemRegistriesConfDirPath: filepath.Join(folder, "registries.conf.d"),
	}
	if err := os.WriteFile(none, nil, 0o600); err != nil {
		fail(err)
	}
	answer := map[string][]source{}
	for _, image := range question[1:] {
		sources, err := sourcesOf(context, filepath.Join(folder, "certs.d"), image)
		if err != nil {
			fail(err)
		}
		answer[image] = sources
	}
	if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
		fail(err)
	}
}

func sourcesOf(context *types.SystemContext, certificates string, image string) ([]source, error) {
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil {
		return nil, err
	}
	registry, err := sysregistriesv2.FindRegistry(context, named.Name())
	if err != nil || registry == nil {
		return nil, err
	}
	pulls, err := registry.PullSourcesFromReference(named)
	if err != nil {
		return nil, err
	}
	sources := []source{}
	for _, pull := range pulls {
		host := strings.SplitN(pull.Reference.Name(), "/", 2)[0]
		// with the authorities of the machine, to which those of the folder are added
		system, err := x509.SystemCertPool()
		if err != nil {
			return nil, err
		}
		before := len(system.Subjects())
		config := &tls.Config{RootCAs: system}
		if err := tlsclientconfig.SetupCertificates(filepath.Join(certificates, host), config); err != nil {
			return nil, err
		}
		sources = append(sources, source{pull.Reference.String(), pull.Endpoint.Insecure, len(config.RootCAs.Subjects()) - before})
	}
	return sources, nil
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
