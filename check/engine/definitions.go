package engine

import (
	"sync"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
)

// Definition is one version of a check, shared by its targets in this process.
type Definition struct {
	CheckID uuid.UUID
	Version int64
	// Strategy is the id of the strategy.
	Strategy string
	// Configuration is a check.Configuration in JSON.
	Configuration []byte
	// Compiled is a cache for the Runner.
	Compiled atomic.Value

	users int
	took  prometheus.Observer // how long runs take
}

type definitionKey struct {
	check   uuid.UUID
	version int64
}

// definitions are the ones in use, with reference counts.
type definitions struct {
	mu  sync.Mutex
	all map[definitionKey]*Definition
}

func newDefinitions() *definitions { return &definitions{all: map[definitionKey]*Definition{}} }

// acquire adds a reference to a definition; nil when it is not there.
func (d *definitions) acquire(k definitionKey) *Definition {
	d.mu.Lock()
	defer d.mu.Unlock()
	found := d.all[k]
	if found != nil {
		found.users++
	}
	return found
}

// add stores a definition that was read.
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

// release drops a reference, and removes a definition without any.
func (d *definitions) release(f *Definition) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f.users--; f.users <= 0 {
		delete(d.all, definitionKey{f.CheckID, f.Version})
	}
}
