package tool

import "countersign/internal/access"

// Target is a record that a proposal changes, with the access level that the change needs. Other principals see the
// proposal only if the REST API returns each of its targets to them.
type Target struct {
	// Path is the path of the record.
	Path string
	// Level is the level that deciders need.
	Level access.Level
}

// Targeted is implemented by the input of a write that names its records; none for a creation. Proposals of other
// writes are visible to their proposers only.
type Targeted interface {
	Targets() []Target
}
