// Command devstack runs Countersign with its PostgreSQL and Temporal servers.
package main

import (
	"os"

	"countersign/dev/stack/stack"
)

func main() {
	os.Exit(stack.Main(os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}
