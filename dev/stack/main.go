// Command devstack runs Countersign and the servers that it stands on.
package main

import (
	"os"

	"countersign/dev/stack/stack"
)

func main() {
	os.Exit(stack.Main(os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}
