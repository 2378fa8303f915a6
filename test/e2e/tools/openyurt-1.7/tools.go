//go:build tools

// The programs that the end-to-end tests build from this module.
package tools

import (
	_ "github.com/openyurtio/openyurt/cmd/yurt-manager"
	_ "github.com/openyurtio/openyurt/cmd/yurt-node-servant"
)
