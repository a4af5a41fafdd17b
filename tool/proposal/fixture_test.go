package proposal_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/tool"
	"countersign/tool/budget"
	"countersign/tool/kit"
	"countersign/tool/proposal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const rule = "shelf.box.manage"

// boxInput is the input of the tools that tests propose.
type boxInput struct {
	Name string `json:"name"`
}

// Targets implements tool.Targeted.
func (boxInput) Targets() []tool.Target { return nil }

// world is a shelf on which proposals put boxes, one for each apply.
type world struct {
	db     *store.DB
	people *people
	driver *driver
	// effects are the writes that have happened.
	effects *effects
	// applied counts the applies that the tool has seen.
	applied atomic.Int32
	// apply replaces what an apply does.
	apply atomic.Pointer[func(c tool.Caller, in boxInput) (boxInput, error)]
	*proposal.Service
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return newProcess(t, storetest.New(t), &people{revoked: map[uuid.UUID]bool{}, rules: map[uuid.UUID][]string{}}, []byte("key"))
}

// newProcess makes the service as another process has it. Processes hear each other's notifications.
func newProcess(t *testing.T, db *store.DB, known *people, key []byte) *world {
	t.Helper()
	w := &world{db: db, people: known, driver: &driver{}, effects: &effects{answers: map[string]json.RawMessage{}, closed: map[string]bool{}}}
	registry, err := tool.NewRegistry(w.tool("shelf.putBox", tool.Mutate), w.tool("shelf.dropBox", tool.Destructive), w.clearing())
	require.NoError(t, err)
	log := slog.New(slog.DiscardHandler)
	watch := proposal.NewWatch()
	w.Service = proposal.NewService(proposal.Options{
		DB: db, Log: log, Registry: registry, Principals: known, Callers: callers{}, Driver: w.driver,
		Nonces: proposal.NewNonces(key), Seals: proposal.NewSeals(key), Effects: w.effects, TTL: 10 * time.Minute,
	}, watch)
	listener := store.NewListener(db, log)
	listener.Subscribe(watch.Subscriptions())
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { listener.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	<-listener.Ready()
	return w
}

func (w *world) tool(name string, effect tool.Effect) tool.Tool {
	return kit.NewWriteFunc(tool.Definition{Name: name, Description: "Puts a box on the shelf.", Effect: effect, Rules: []string{rule}},
		func(_ context.Context, _ tool.Caller, in boxInput) (kit.Preview[boxInput], error) {
			return kit.Preview[boxInput]{
				Summary: "Put " + in.Name, Payload: in, Revision: `"7"`, Diff: []tool.Change{{Path: "name", After: in.Name}},
			}, nil
		},
		func(_ context.Context, c tool.Caller, in boxInput) (boxInput, error) {
			w.applied.Add(1)
			if apply := w.apply.Load(); apply != nil {
				return (*apply)(c, in)
			}
			return in, nil
		})
}

// clearing is a tool whose deletion is taken back by what it keeps.
func (w *world) clearing() tool.Tool {
	return kit.NewWriteFunc(
		tool.Definition{
			Name:        "shelf.clearBox",
			Description: "Clears a box away.",
			Effect:      tool.Destructive,
			Rules:       []string{rule},
			Impact:      tool.Impact{Inverse: kit.Restorer("shelf.putBox")},
		},
		func(_ context.Context, _ tool.Caller, in boxInput) (kit.Preview[boxInput], error) {
			return kit.Preview[boxInput]{Summary: "Clear " + in.Name, Payload: in, Revision: `"7"`, Before: in}, nil
		},
		func(_ context.Context, _ tool.Caller, in boxInput) (boxInput, error) { return in, nil },
	)
}

// onApply sets what an apply does.
func (w *world) onApply(f func(c tool.Caller, in boxInput) (boxInput, error)) { w.apply.Store(&f) }

// propose stores a proposal of p, as a tool call of the REST API does.
func (w *world) propose(t *testing.T, p principal.Principal, name string, tune ...func(*proposal.New)) proposal.Card {
	t.Helper()
	found, ok := w.Registry.Fixed("shelf.putBox")
	require.True(t, ok)
	n := proposal.New{Principal: p, Tool: found}
	for _, f := range tune {
		f(&n)
	}
	input := json.RawMessage(`{"name":"` + name + `"}`)
	id, err := budget.New(w.db, budget.Limits{Calls: 1_000, Window: time.Minute}).Reserve(t.Context(), budget.Call{
		ID: store.NewID(), Principal: p, Transport: budget.API, Tool: n.Tool.Name, Effect: n.Tool.Effect, Arguments: input,
	})
	require.NoError(t, err)
	n.ID = id
	n.Proposed, err = n.Tool.DryRun(t.Context(), tool.Caller{}, input)
	require.NoError(t, err)
	card, err := w.Create(t.Context(), n)
	require.NoError(t, err)
	return card
}

// token is the token that p gets with the card.
func (w *world) token(t *testing.T, p principal.Principal, id uuid.UUID) string {
	t.Helper()
	card, err := w.Get(t.Context(), p, id)
	require.NoError(t, err)
	require.NotEmpty(t, card.Token)
	return card.Token
}

// begin applies a proposal with its token and carries it out.
func (w *world) begin(t *testing.T, p principal.Principal, id uuid.UUID) proposal.Card {
	t.Helper()
	_, err := w.Begin(t.Context(), p, w.token(t, p, id), "", "")
	require.NoError(t, err)
	card, err := w.Run(t.Context(), id)
	require.NoError(t, err)
	return card
}

func (w *world) audit(t *testing.T, id uuid.UUID) (status string) {
	t.Helper()
	require.NoError(t, w.db.Conn(t.Context()).QueryRow(t.Context(), `SELECT status FROM ai_tool_calls WHERE id = $1`, id).Scan(&status))
	return status
}

func (w *world) expire(t *testing.T, id uuid.UUID) {
	t.Helper()
	_, err := w.db.Conn(t.Context()).Exec(t.Context(), `UPDATE ai_proposals SET expires_at = now() WHERE id = $1`, id)
	require.NoError(t, err)
}

// people are the principals that exist, with their rules as they are at the moment.
type people struct {
	mu      sync.Mutex
	rules   map[uuid.UUID][]string
	revoked map[uuid.UUID]bool
}

func (p *people) add(name string, rules ...string) principal.Principal {
	p.mu.Lock()
	defer p.mu.Unlock()
	who := principal.Principal{Kind: principal.User, ID: uuid.New(), Name: name, Rules: rules, SessionID: uuid.New()}
	p.rules[who.ID] = rules
	return who
}

// Load implements proposal.Principals.
func (p *people) Load(_ context.Context, kind principal.Kind, id, sessionID uuid.UUID) (principal.Principal, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.revoked[sessionID] {
		return principal.Principal{}, problem.Errorf(problem.Unauthorized, "The session has ended.")
	}
	return principal.Principal{Kind: kind, ID: id, Rules: p.rules[id], SessionID: sessionID}, nil
}

func (p *people) revoke(session uuid.UUID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.revoked[session] = true
}

func (p *people) setRules(id uuid.UUID, rules ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules[id] = rules
}

// driver counts what it is asked to drive.
type driver struct {
	started, decided, plans atomic.Int32
	fail                    atomic.Bool
}

func (d *driver) StartProposal(context.Context, proposal.Card, time.Duration) error {
	d.started.Add(1)
	return d.err()
}

func (d *driver) Decided(context.Context, uuid.UUID, time.Duration) error {
	d.decided.Add(1)
	return d.err()
}

func (d *driver) DecidedPlan(context.Context, uuid.UUID) error {
	d.plans.Add(1)
	return d.err()
}

func (d *driver) EnsurePlan(context.Context, uuid.UUID) error { return d.err() }

func (d *driver) err() error {
	if d.fail.Load() {
		return context.DeadlineExceeded
	}
	return nil
}

// effects stand for the answers that the API keeps with the effects of writes.
type effects struct {
	mu      sync.Mutex
	answers map[string]json.RawMessage
	closed  map[string]bool
}

// Answer implements proposal.Effects.
func (e *effects) Answer(_ context.Context, _ principal.Principal, key string) (json.RawMessage, bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	answer, done := e.answers[key]
	return answer, done, nil
}

// Close implements proposal.Effects.
func (e *effects) Close(_ context.Context, _ principal.Principal, key string) (json.RawMessage, bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	answer, done := e.answers[key]
	e.closed[key] = !done
	return answer, done, nil
}

// happen is a write with this key: it has its effect once, unless the key is closed.
func (e *effects) happen(key, answer string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed[key] {
		return problem.Errorf(problem.KeyReused, "The key is closed.")
	}
	e.answers[key] = json.RawMessage(answer)
	return nil
}

type callers struct{}

func (callers) Caller(p principal.Principal, _ uuid.UUID) tool.Caller {
	return tool.Caller{Principal: p, Client: &tool.Client{}}
}

func refused(t *testing.T, err error, code problem.Code) *problem.Error {
	t.Helper()
	require.Equal(t, code, problem.CodeOf(err), "%v", err)
	return problem.As(err)
}

// toolProposed is what a dry run of shelf.putBox gives.
func toolProposed(name string) tool.Proposed {
	return tool.Proposed{Summary: "Put " + name, Payload: json.RawMessage(`{"name":"` + name + `"}`)}
}
