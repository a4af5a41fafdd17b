package engine

import (
	"sync"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
)

// Definition is a version of what a check runs, shared by all of its targets in this process.
type Definition struct {
	CheckID uuid.UUID
	Version int64
	// Strategy is the id of what runs.
	Strategy string
	// Configuration is a check.Configuration in JSON.
	Configuration []byte
	// Compiled is for the Runner, which may keep there what it has made of the configuration.
	Compiled atomic.Value

	users int
	took  prometheus.Observer // how long runs take
}

type definitionKey struct {
	check   uuid.UUID
	version int64
}

// definitions are those that targets of this process use.
type definitions struct {
	mu  sync.Mutex
	all map[definitionKey]*Definition
}

func newDefinitions() *definitions { return &definitions{all: map[definitionKey]*Definition{}} }

// use finds a definition for another target; nil when it is not there.
func (d *definitions) use(k definitionKey) *Definition {
	d.mu.Lock()
	defer d.mu.Unlock()
	found := d.all[k]
	if found != nil {
		found.users++
	}
	return found
}

// add keeps a definition that was read.
func (d *definitions) add(k definitionKey, f *Definition) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.all[k] == nil {
		f.CheckID, f.Version = k.check, k.version
		d.all[k] = f
	}
}

func (d *definitions) has(k definitionKey) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.all[k] != nil
}

// release forgets a definition that no target uses any more.
func (d *definitions) release(f *Definition) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f.users--; f.users <= 0 {
		delete(d.all, definitionKey{f.CheckID, f.Version})
	}
}
