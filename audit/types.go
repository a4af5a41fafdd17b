package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Type is a type of objects in the audit log.
type Type struct {
	// ID is stable, such as catalog.system.
	ID string
	// Label is for people, such as System.
	Label string
	// Kept are the fields whose values an entry keeps because they are harmless. Every other field is only named, as it
	// may hold private text or a credential.
	Kept []string
	// Restricted is set for records that some readers of their module may not see. Shared chats check each of them, so the
	// log keeps their ids and relations when older entries are removed. A type that is added later is unknown for entries
	// that were removed before.
	Restricted bool
}

// types are the declared types by id. Only variable declarations of packages write it, so that commands without a wired
// product know the types as well.
var types = map[string]Type{}

// Declare adds a type, in a variable declaration of the package that records it, and returns its id. It panics when the
// type has no label or is declared twice.
func Declare(t Type) string {
	if _, twice := types[t.ID]; twice || t.ID == "" || t.Label == "" {
		panic(fmt.Sprintf("audit type %q lacks its id or label, or is declared twice", t.ID))
	}
	types[t.ID] = t
	return t.ID
}

// Types returns the declared types by label.
func Types() []Type {
	return slices.SortedFunc(maps.Values(types), func(a, b Type) int {
		return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.ID, b.ID))
	})
}

// Restricted returns the ids of the restricted types.
func Restricted() []string {
	var ids []string
	for _, t := range Types() {
		if t.Restricted {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// Types of the log's own objects.
var (
	_ = Declare(Type{ID: LogType, Label: "Audit log", Kept: []string{"first", "last", "hash", "checkpoint", "file"}})
	_ = Declare(Type{ID: CallType, Label: "Tool calls", Kept: []string{"count", "first", "last", "effect", "errorCode"}})
)
