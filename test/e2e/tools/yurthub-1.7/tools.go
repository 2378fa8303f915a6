//go:build tools

// The programs that the end-to-end tests build from this module.
package tools

import (
	_ "github.com/openyurtio/openyurt/cmd/yurthub"
)
