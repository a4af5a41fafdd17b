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
	"countersign/problem"
	"countersign/secret"
)

// Secrets gives the values of secrets to runs.
type Secrets interface {
	// Resolve answers all of the named secrets, or a problem that says which do not exist. purpose is for the record.
	Resolve(ctx context.Context, names []string, purpose string) (map[string]secret.Value, error)
	// Revision is another text after any secret was made, replaced or deleted.
	Revision(ctx context.Context) (string, error)
}

// Checks is the Runner of the checks that the registry knows. Run keeps its secrets up to date.
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

// reread is how soon a changed secret is used.
const reread = 2 * time.Second

// Run looks for changed secrets until ctx ends.
func (c *Checks) Run(ctx context.Context) {
	tick := time.NewTicker(reread)
	defer tick.Stop()
	away := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := c.look(ctx)
		if err != nil && !away && ctx.Err() == nil {
			c.Log.Warn("Changed secrets are not noticed at the moment", "error", err)
		}
		away = err != nil
	}
}

func (c *Checks) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	revision, err := c.Secrets.Revision(ctx)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	// The first look counts as a change: values may have been resolved before it.
	if c.revision != revision {
		c.values = nil
		c.generation.Add(1)
	}
	c.revision = revision
	return nil
}

// Generation implements Runner.
func (c *Checks) Generation() uint64 { return c.generation.Load() }

// compiled is what a definition has become.
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

// resolve gives the values of secrets. Those that were asked for before are kept until a secret changes.
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
	ctx, cancel := context.WithTimeout(ctx, patience)
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

// hosted is a prepared check with the host it runs on.
type hosted struct {
	*check.Prepared

	host *check.Host
}

// Start implements Prepared.
func (h hosted) Start(ctx context.Context, target int32, slot time.Time, done func(check.Outcome)) {
	h.Prepared.Start(ctx, h.host, target, slot, done)
}
