package crash

import (
	"sync"
	"sync/atomic"

	"github.com/google/uuid"
)

// visit is a subject that comes by a point.
type visit struct {
	name    string
	subject uuid.UUID
}

// calls are what tests of this process want to be called; called says how many there are, so that a point costs no lock
// where there are none. As with the trigger, a point deep in a package cannot be handed what exists for tests only.
var (
	called atomic.Int64
	calls  sync.Map
)

// On has f called, once, where this subject comes by the point next, and before anything goes on there. It is for tests that
// need something to happen in a window that is otherwise too short to be hit. t is the test: f is forgotten at its end.
func On(t interface{ Cleanup(f func()) }, name string, subject uuid.UUID, f func()) {
	v := visit{name, subject}
	calls.Store(v, f)
	called.Add(1)
	t.Cleanup(func() {
		calls.Delete(v)
		called.Add(-1)
	})
}

func call(name string, subject uuid.UUID) {
	if f, ok := calls.LoadAndDelete(visit{name, subject}); ok {
		f.(func())() //nolint:errcheck // On stores nothing else
	}
}
