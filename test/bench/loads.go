package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// firstLoads measures in a browser the time to the first usable page over a slow network. test/e2e/loads defines the
// pages.
func firstLoads(ctx context.Context) error {
	fmt.Println("| page | what | after | received |")
	command := exec.CommandContext(ctx, "npm", "--prefix", "test/e2e", "run", "--silent", "loads")
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("measure first loads in a browser: %w", err)
	}
	return nil
}
