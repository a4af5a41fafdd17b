package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"countersign/check"
	"countersign/internal/problem"
	"countersign/internal/secret"
)

// Secrets resolves secrets for runs.
type Secrets interface {
	// Resolve returns the values of all named secrets, or a problem that names the missing ones. purpose goes into the audit
	// log.
	Resolve(ctx context.Context, names []string, purpose string) (map[string]secret.Value, error)
	// Revision changes whenever a secret is created, replaced or deleted.
	Revision(ctx context.Context) (string, error)
}

// Checks is the Runner of the checks in a registry. Run keeps its secrets up to date.
type Checks struct {
	Registry *check.Registry
	Host     *check.Host
	Secrets  Secrets
	Log      *slog.Logger

	generation atomic.Uint64
	mu         sync.Mutex
	revision   string
	values     map[string]secret.Value
}

// revisionInterval is the time in which a changed secret takes effect.
const revisionInterval = 2 * time.Second

// Run polls for changed secrets until ctx ends.
func (c *Checks) Run(ctx context.Context) {
	tick := time.NewTicker(revisionInterval)
	defer tick.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := c.reloadRevision(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			c.Log.Warn("Revision of secrets not read", "error", err)
		}
		failing = err != nil
	}
}

func (c *Checks) reloadRevision(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, dbTimeout)
	defer cancel()
	revision, err := c.Secrets.Revision(ctx)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	// The first poll counts as a change: values may have been resolved before it.
	if c.revision != revision {
		c.values = nil
		c.generation.Add(1)
	}
	c.revision = revision
	return nil
}

// Generation implements Runner.
func (c *Checks) Generation() uint64 { return c.generation.Load() }

// compiled is a definition after compilation.
type compiled struct {
	check  *check.Compiled
	failed error
}

// Prepare implements Runner.
func (c *Checks) Prepare(ctx context.Context, d *Definition, scope []byte) (Prepared, error) {
	made, ok := d.Compiled.Load().(compiled)
	if !ok {
		made.check, made.failed = c.compile(d)
		d.Compiled.Store(made)
	}
	if made.failed != nil {
		return nil, made.failed
	}
	var s check.Scope
	if err := json.Unmarshal(scope, &s); err != nil {
		return nil, fmt.Errorf("read the scope of a target of check %s: %w", d.CheckID, err)
	}
	values, err := c.resolve(ctx, made.check.Secrets(), d)
	if err != nil {
		return nil, err
	}
	prepared, err := made.check.For(s, values)
	if err != nil {
		return nil, err
	}
	return hosted{prepared, c.Host}, nil
}

func (c *Checks) compile(d *Definition) (*check.Compiled, error) {
	var configuration check.Configuration
	if err := json.Unmarshal(d.Configuration, &configuration); err != nil {
		return nil, check.Fail(check.NotRunnable, "The configuration of the check cannot be read.")
	}
	made, issues := c.Registry.Compile(configuration)
	if len(issues) == 0 {
		return made, nil
	}
	says := make([]string, 0, len(issues))
	for _, i := range issues {
		says = append(says, strings.TrimSpace(i.Path+" "+i.Message))
	}
	return nil, check.Fail(check.NotRunnable, "The configuration is not valid any more: "+strings.Join(says, "; ")+".")
}

// resolve returns the values of secrets. It caches them until a secret changes.
func (c *Checks) resolve(ctx context.Context, names []string, d *Definition) (map[string]secret.Value, error) {
	if len(names) == 0 {
		return nil, nil
	}
	values := make(map[string]secret.Value, len(names))
	c.mu.Lock()
	generation := c.generation.Load()
	for _, name := range names {
		if v, ok := c.values[name]; ok {
			values[name] = v
		}
	}
	c.mu.Unlock()
	if len(values) == len(names) {
		return values, nil
	}
	ctx, cancel := context.WithTimeout(ctx, dbTimeout)
	defer cancel()
	values, err := c.Secrets.Resolve(ctx, names, "check "+d.CheckID.String())
	if p, ok := errors.AsType[*problem.Error](err); ok && !p.Code.Retryable() {
		return nil, check.Fail(check.SecretMissing, p.Detail)
	}
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.generation.Load() == generation {
		if c.values == nil {
			c.values = map[string]secret.Value{}
		}
		maps.Copy(c.values, values)
	}
	return values, nil
}

// hosted is a prepared check with its host.
type hosted struct {
	*check.Prepared

	host *check.Host
}

// Start implements Prepared.
func (h hosted) Start(ctx context.Context, target int32, slot time.Time, done func(check.Outcome)) {
	h.Prepared.Start(ctx, h.host, target, slot, done)
}
