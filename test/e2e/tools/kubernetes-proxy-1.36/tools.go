//go:build tools

// The programs that the end-to-end tests build from this module. kube-proxy stands alone, so that the programs of kubernetes-1.36 need not be rebuilt.
package tools

import _ "k8s.io/kubernetes/cmd/kube-proxy"
