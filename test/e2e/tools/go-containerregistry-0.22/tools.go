//go:build tools

// The programs that the end-to-end tests build from this module.
package tools

import (
	_ "github.com/google/go-containerregistry/cmd/crane"
)
