package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// Type is a type of objects in the audit log.
type Type struct {
	// ID is stable, such as catalog.system.
	ID string
	// Label is for people, such as System.
	Label string
	// Plural is Systems; empty for a type with one object.
	Plural string
	// Page is the address of an object in the web app, with {id} for its id; empty for types without pages.
	Page string
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
var types = map[string]*Type{}

// Declare adds a type, in a variable declaration of the package that records it. A module offers what it returns, as part
// of a Kind. It panics when the type has no label or is declared twice.
func Declare(t Type) *Type {
	if _, twice := types[t.ID]; twice || t.ID == "" || t.Label == "" {
		panic(fmt.Sprintf("audit type %q lacks its id or label, or is declared twice", t.ID))
	}
	types[t.ID] = &t
	return &t
}

// Restricted returns the sorted ids of the restricted types.
func Restricted() []string {
	var ids []string
	for _, t := range types {
		if t.Restricted {
			ids = append(ids, t.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// Kind is a type of objects that entries are about, with its visibility check.
type Kind struct {
	*Type

	// See returns nil for an object that the principal of ctx may currently see, and problem.NotFound or
	// problem.Forbidden for any other. It is nil for a type whose histories nobody reads apart from the audit log.
	See func(ctx context.Context, id string) error
}

// Bind registers the kinds of objects, all at once, while the product is wired. It refuses a type that is not what Declare
// returned, one that two modules offer, and a declared one that none offers: nobody could read its history.
func (l *Log) Bind(kinds ...Kind) error {
	l.kinds = make(map[string]Kind, len(kinds))
	var failed []error
	for _, k := range kinds {
		if k.Type == nil || types[k.ID] != k.Type {
			failed = append(failed, errors.New("an offered audit type is not what audit.Declare returned"))
			continue
		}
		if _, twice := l.kinds[k.ID]; twice {
			failed = append(failed, fmt.Errorf("audit type %q is offered twice", k.ID))
		}
		if k.Restricted && k.See == nil {
			failed = append(failed, fmt.Errorf("audit type %q is restricted, but nothing says who may see an object", k.ID))
		}
		l.kinds[k.ID] = k
	}
	for id := range types {
		if _, offered := l.kinds[id]; !offered {
			failed = append(failed, fmt.Errorf("audit type %q is declared, but no module offers it (Audited)", id))
		}
	}
	return errors.Join(failed...)
}

// Types returns the bound types by label.
func (l *Log) Types() []ObjectType {
	list := make([]ObjectType, 0, len(l.kinds))
	for _, k := range l.kinds {
		list = append(list, ObjectType{Type: k.ID, Label: k.Label, Plural: cmp.Or(k.Plural, k.Label), Page: k.Page})
	}
	slices.SortFunc(list, func(a, b ObjectType) int { return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.Type, b.Type)) })
	return list
}

// Types of the log's own objects.
var (
	auditedLog   = Declare(Type{ID: LogType, Label: "Audit log", Kept: []string{"first", "last", "hash", "checkpoint", "file"}})
	auditedCalls = Declare(Type{ID: CallType, Label: "Tool calls", Kept: []string{"count", "first", "last", "effect", "errorCode"}})
)

// Audited are the log itself and folded calls, which only its readers see.
func (*Log) Audited() []Kind { return []Kind{{Type: auditedLog}, {Type: auditedCalls}} }
