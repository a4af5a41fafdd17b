// Package process declares work for the life of a process, by the role of the process.
package process

import (
	"context"
	"errors"
	"fmt"
)

// Role is a kind of process. One process can have several.
type Role string

// The roles.
const (
	// API serves people and programs.
	API Role = "api"
	// Turns runs the workers of turns, the chores and the consumers of events.
	Turns Role = "turns"
	// Exec runs scripts.
	Exec Role = "exec"
	// Checks runs health checks, also in a process that does nothing else, at another location.
	Checks Role = "checks"
)

// Loop is background work that every process with a role does itself. Work that one process does for the whole installation
// is a chore (internal/store/chore).
type Loop struct {
	Name string
	Role Role
	// Run runs until ctx ends, which is when the process has drained. It handles its errors.
	Run func(ctx context.Context)
}

// Check refuses loops that no process would run, and names that are taken twice.
func Check(loops ...Loop) error {
	var failed []error
	seen := map[string]bool{}
	for _, l := range loops {
		if l.Name == "" || l.Run == nil || seen[l.Name] {
			failed = append(failed, fmt.Errorf("loop %q lacks its name or code, or is there twice", l.Name))
		}
		seen[l.Name] = true
		switch l.Role {
		case API, Turns, Exec, Checks:
		default:
			failed = append(failed, fmt.Errorf("loop %q is for the role %q, which no process has", l.Name, l.Role))
		}
	}
	return errors.Join(failed...)
}
