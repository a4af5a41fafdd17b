// Package access decides what principals may do with records: by the rules of their roles, which open every record of a kind
// that is not private, and by grants that they or their teams hold on single ones.
//
// A module describes each sort of its records by a Kind. Its queries decide about rows by the caller's Sight; its
// services and tools turn the Level that came out into the answers of this package, so that a caller cannot distinguish
// a record that does not exist from one that they may not see.
package access

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
)

// Level is what a caller may do with a record. Each level includes those before it.
type Level string

// To own is to delete the record and to choose its owner.
const (
	None Level = ""
	View Level = "viewer"
	Edit Level = "editor"
	Own  Level = "owner"
)

// Includes reports whether l is at least other.
func (l Level) Includes(other Level) bool {
	order := []Level{None, View, Edit, Own}
	return slices.Index(order, l) >= slices.Index(order, other)
}

// Kind is a sort of record.
type Kind struct {
	// Noun and Plural are how messages call the records: "system" and "systems".
	Noun, Plural string
	// ObjectType is what grants on single records are kept under, "catalog.system"; empty when there are none.
	ObjectType string
	// Read and Manage are the access rules that open all records of the kind.
	Read, Manage string
}

// Held is the highest level that grants give p on any record of the kind.
func (k Kind) Held(p principal.Principal) Level { return Level(p.Grants[k.ObjectType]) }

// Missing is the one answer for a record that does not exist and for one that the caller may not see.
func (k Kind) Missing(id uuid.UUID) error {
	return problem.Errorf(problem.NotFound, "No %s has the id %s. List the %s to see what exists.", k.Noun, id, k.Plural)
}

// Refusal is the answer to a caller who sees the record of that name and may not change it.
func (k Kind) Refusal(name string, want Level) error {
	action := "change"
	if want == Own {
		action = "delete or give away"
	}
	return problem.MissingRule(fmt.Sprintf("%s the %s %s", action, k.Noun, name), k.Manage)
}

// Permit is nil when have includes want, else Refusal. The caller sees the record.
func (k Kind) Permit(name string, have, want Level) error {
	if have.Includes(want) {
		return nil
	}
	return k.Refusal(name, want)
}

// Ownerless is the answer to a change that would leave a private record without an owner.
func Ownerless() error {
	return problem.Errorf(
		problem.Conflict,
		"Nobody would own this any more, and it is private: nobody could say who has access to it. Name another owner, or make it public first.",
	)
}

// article is that of the noun, at the beginning of a sentence.
func (k Kind) article() string {
	if k.Noun != "" && strings.ContainsRune("aeiou", rune(k.Noun[0])) {
		return "An"
	}
	return "A"
}

// Creatable checks the rule that making a record needs: grants are on records that exist.
func (k Kind) Creatable(ctx context.Context) error {
	if missing := principal.FromContext(ctx).Missing(k.Manage); len(missing) > 0 {
		return problem.MissingRule("create "+strings.ToLower(k.article())+" "+k.Noun, missing...)
	}
	return nil
}
