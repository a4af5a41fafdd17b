package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
)

// outside is a server that counts the changes that scripts make on it.
type outside struct {
	server *httptest.Server

	mu     sync.Mutex
	visits map[uuid.UUID]int
	// answered are the scripts whose outcome a client received.
	answered map[uuid.UUID]bool
	// calls are the messages that were posted, by the id of their delivery.
	calls map[uuid.UUID]called
}

func newOutside() *outside {
	o := &outside{visits: map[uuid.UUID]int{}, answered: map[uuid.UUID]bool{}, calls: map[uuid.UUID]called{}}
	o.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == callsPath {
			o.call(w, r)
			return
		}
		if id, err := uuid.Parse(strings.TrimPrefix(r.URL.Path, "/")); err == nil {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.visits[id]++
		}
	}))
	return o
}

func (o *outside) host() string { return strings.TrimPrefix(o.server.URL, "http://") }

// check finds scripts that ran twice, and outcomes of scripts that never ran.
func (o *outside) check(l *ledger) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id, n := range o.visits {
		if n > 1 {
			l.complain(violation{"i7-scripts", id, fmt.Sprintf("one test ran its script %d times", n)})
		}
	}
	for id := range maps.Keys(o.answered) {
		if o.visits[id] != 1 {
			l.complain(violation{"i7-scripts", id, fmt.Sprintf("a script that is reported as done was outside %d times", o.visits[id])})
		}
	}
}

// allowOutside lets scripts reach the server outside.
func (c *crowd) allowOutside(ctx context.Context, o *outside) error {
	p := c.person(&run{}, nil)
	var policy struct {
		Network string          `json:"network"`
		Allow   []string        `json:"allow"`
		Test    json.RawMessage `json:"test"`
		Run     json.RawMessage `json:"run"`
	}
	a, err := p.attempt(ctx, c.apis[0], http.MethodGet, "/api/script-policy", nil, "")
	if err == nil {
		err = a.into(&policy)
	}
	if err != nil {
		return fmt.Errorf("read script policy: %w", err)
	}
	policy.Network, policy.Allow = "allowlist", []string{o.host()}
	a, err = p.attempt(ctx, c.apis[0], http.MethodPut, "/api/script-policy", policy, "")
	if err == nil && !a.ok() {
		err = fmt.Errorf("status %d: %s", a.status, clip(a.body))
	}
	if err != nil {
		return fmt.Errorf("change script policy: %w", err)
	}
	return nil
}

// warmUp has a script tested before anything is killed. The first process of an installation compiles the shell for
// longer than a worker lives here, and leaves the result to all later ones.
func (c *crowd) warmUp(ctx context.Context, seed uint64) error {
	limited, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	if err := testAScript(limited, c.person(&run{}, rand.New(rand.NewPCG(seed, 99)))); err != nil {
		return fmt.Errorf("warm up: %w", err)
	}
	return nil
}

// testAScript tests a script that changes something outside, until it gets the outcome. Each retry is a new test: the
// product never runs a test twice, as only a person can know whether that would do harm.
func testAScript(ctx context.Context, p *person) error {
	last := "no attempt was made"
	for ctx.Err() == nil {
		id := uuid.New()
		p.run.about(id)
		a, err := p.attempt(ctx, p.anyAPI(), http.MethodPost, "/api/healthcheck/script-tests", object{
			"context": "healthcheck-shell", "timeoutMs": 5000,
			"source": fmt.Sprintf("curl -sf %s/%s && echo %s", p.outside.server.URL, id, id),
		}, "")
		switch {
		case err != nil:
			// The requested process has died, or the time is up.
			if ctx.Err() == nil {
				last = err.Error()
			}
		case a.status == http.StatusServiceUnavailable || a.status == http.StatusTooManyRequests:
			// The worker has died, or is busy starting.
			last = fmt.Sprintf("status %d: %s", a.status, clip(a.body))
			wait(ctx, time.Second)
		default:
			return p.scriptDone(a, id)
		}
		p.run.again()
		wait(ctx, retryPause)
	}
	return fmt.Errorf("%w, last answer: %s", ctx.Err(), last)
}

// scriptDone reads the outcome of a script.
func (p *person) scriptDone(a answer, id uuid.UUID) error {
	var out struct {
		Stdout   string `json:"stdout"`
		TimedOut bool   `json:"timedOut"`
	}
	if err := a.into(&out); err != nil {
		return fmt.Errorf("test of a script: %w", err)
	}
	if out.TimedOut {
		return nil
	}
	if strings.TrimSpace(out.Stdout) != id.String() {
		return fmt.Errorf("test of a script: it wrote %q: %s", out.Stdout, clip(a.body))
	}
	p.run.saw(0)
	p.outside.mu.Lock()
	defer p.outside.mu.Unlock()
	p.outside.answered[id] = true
	return nil
}
