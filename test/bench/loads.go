package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// firstLoads measures in a browser how long people wait for the first page they open, behind a slow network. The pages and what
// counts as usable stand in test/e2e/loads.
func firstLoads(ctx context.Context) error {
	fmt.Println("| page | what | after | received |")
	command := exec.CommandContext(ctx, "npm", "--prefix", "test/e2e", "run", "--silent", "loads")
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("measure first loads in a browser: %w", err)
	}
	return nil
}
