//go:build linux

// Package image_test starts the product as docker-compose.yml starts its image: the same files and settings, a root that cannot be
// written to, the same folders, another account. No container engine is needed for that, only a Linux on which mounts can be made.
package image_test

import (
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if spec := os.Getenv(envInside); spec != "" {
		_, _ = fmt.Fprintln(os.Stderr, "container:", enter(spec))
		os.Exit(1)
	}
	os.Exit(m.Run())
}
