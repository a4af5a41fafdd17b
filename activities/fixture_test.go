package activities_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/activities"
	"countersign/app/apptest"
	"countersign/chat/stream"
	"countersign/chat/turn"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/model"
	"countersign/tool"
	"countersign/tool/budget"
	"countersign/tool/invoke"
	"countersign/tool/kit"
	"countersign/tool/proposal"
	"countersign/tool/spend"
	"countersign/workflows"
)

const rule = "shelf.box.manage"

// process is what one process of the product has for turns: the activities, without an engine that calls them.
type process struct {
	*activities.Turn
	db       *store.DB
	store    *turn.Store
	provider *apptest.Provider
	shelf    *shelf
	hub      *stream.Hub
}

// shelf is what the tools work on.
type shelf struct {
	looks atomic.Int32
	boxes atomic.Int32
	// look replaces what a look finds.
	look atomic.Pointer[func(ctx context.Context, in boxInput) (any, error)]
}

type boxInput struct {
	Name string `json:"name,omitempty"`
}

func newProcess(t *testing.T) *process {
	t.Helper()
	return besides(t, storetest.New(t), apptest.NewProvider(t), &shelf{})
}

// beside is another process of the same installation.
func (p *process) beside(t *testing.T) *process {
	t.Helper()
	return besides(t, p.db, p.provider, p.shelf)
}

func besides(t *testing.T, db *store.DB, provider *apptest.Provider, s *shelf) *process {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	hub := stream.NewHub(db)
	events := stream.NewLog(stream.LogOptions{DB: db, Hub: hub, Log: log, Interval: time.Millisecond})
	sessions := turn.NewSessions[activities.Memo](turn.SessionsOptions{DB: db, Events: events, Hub: hub, Log: log})
	registry, err := tool.NewRegistry(s.tools()...)
	require.NoError(t, err)
	watch := proposal.NewWatch()
	engine := &driver{}
	proposals := proposal.NewService(proposal.Options{
		DB: db, Log: log, Registry: registry, Principals: people{}, Callers: callers{}, Driver: engine,
		Nonces: proposal.NewNonces([]byte("key")), Seals: proposal.NewSeals([]byte("key")), Effects: noEffects{}, TTL: time.Hour,
	}, watch)
	engine.proposals = proposals
	p := &process{db: db, store: turn.NewStore(db), provider: provider, shelf: s, hub: hub, Turn: &activities.Turn{
		Sessions:    sessions,
		Connections: &connections{env: provider.Env()},
		Principals:  people{},
		Callers:     callers{},
		Registry:    registry,
		Reads: invoke.Reads{
			Budget: budget.New(db, budget.Limits{Calls: 1_000, Window: time.Minute}),
		},
		Spend:     spend.New(db),
		Proposals: proposals,
		Log:       log,
		Clock:     func() time.Time { return time.Date(2026, 7, 14, 9, 30, 0, 0, time.UTC) },
	}}
	sessions.SettleUnrecorded = p.SettleUnrecorded
	listener := store.NewListener(db, log)
	hub.Listen(listener)
	listener.Subscribe(sessions.Subscriptions())
	listener.Subscribe(watch.Subscriptions())
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { listener.Run(ctx) })
	running.Go(func() { events.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	<-listener.Ready()
	return p
}

func (s *shelf) tools() []tool.Tool {
	look := func(ctx context.Context, _ tool.Caller, in boxInput) (any, error) {
		s.looks.Add(1)
		if f := s.look.Load(); f != nil {
			return (*f)(ctx, in)
		}
		return map[string]string{"found": in.Name}, nil
	}
	preview := func(_ context.Context, _ tool.Caller, in boxInput) (kit.Preview[boxInput], error) {
		if in.Name == "" {
			return kit.Preview[boxInput]{}, problem.InvalidInput("A box needs a name.", problem.Issue{Path: "name", Message: "is required"})
		}
		if s.boxes.Load() > 0 {
			return kit.Preview[boxInput]{}, problem.Errorf(problem.Conflict, "There is a box already.")
		}
		return kit.Preview[boxInput]{Summary: "Put " + in.Name, Payload: in}, nil
	}
	put := func(_ context.Context, _ tool.Caller, in boxInput) (boxInput, error) {
		s.boxes.Add(1)
		return in, nil
	}
	// Nothing ends this but its time.
	search := func(ctx context.Context, _ tool.Caller, _ boxInput) (kit.Preview[boxInput], error) {
		if _, limited := ctx.Deadline(); !limited {
			return kit.Preview[boxInput]{}, errors.New("this would go on for ever")
		}
		<-ctx.Done()
		return kit.Preview[boxInput]{}, ctx.Err()
	}
	define := func(name string, effect tool.Effect, untrusted bool) tool.Definition {
		return tool.Definition{
			Name:        name,
			Description: "About boxes.",
			Effect:      effect,
			Rules:       []string{rule},
			Result:      tool.Result{Untrusted: untrusted},
		}
	}
	return []tool.Tool{
		kit.NewRead(define("shelf.getBox", tool.Read, false), look),
		kit.NewRead(define("shelf.getPage", tool.Read, true), look),
		kit.NewRead(
			tool.Definition{
				Name:        "shelf.askWhich",
				Description: "Ask.",
				Effect:      tool.Read,
				Rules:       []string{rule},
				Result:      tool.Result{Question: true},
			},
			look,
		),
		kit.NewWriteFunc(define("shelf.putBox", tool.Mutate, false), preview, put),
		kit.NewWriteFunc(tool.Definition{
			Name: "shelf.findBox", Description: "Searches for ever.", Effect: tool.Mutate, Rules: []string{rule}, Timeout: 20 * time.Millisecond,
		}, search, put),
	}
}

// onLook sets what a look finds.
func (s *shelf) onLook(f func(ctx context.Context, in boxInput) (any, error)) { s.look.Store(&f) }

// begin accepts a message and returns its turn.
func (p *process) begin(t *testing.T, text string, tune ...func(*turn.Settings)) uuid.UUID {
	t.Helper()
	set := turn.Settings{
		ConversationID: uuid.New(), ConnectionID: uuid.New(), Model: "countersign-demo-script", PermissionMode: "approve",
		Principal: principal.Principal{Kind: principal.User, ID: uuid.New(), SessionID: uuid.New()},
	}
	for _, f := range tune {
		f(&set)
	}
	_, err := p.db.Conn(t.Context()).Exec(t.Context(), `INSERT INTO ai_conversations (id, owner_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
		set.ConversationID, set.Principal.ID)
	require.NoError(t, err)
	accepted, created, err := p.store.AcceptMessage(t.Context(), set, turn.Message{ID: uuid.NewString(), Text: text})
	require.NoError(t, err)
	require.True(t, created)
	return accepted.ID
}

// connects changes the connection of later turns.
func (p *process) connects(tune func(*activities.Connection)) {
	p.Connections.(*connections).tune = tune
}

func auto(set *turn.Settings) { set.PermissionMode = "auto" }

// answers lets the provider answer the next call with these deltas.
func (p *process) answers(deltas ...string) { p.provider.Answer(apptest.Events("stop", deltas...)) }

// call makes the model call of a step.
func (p *process) call(t *testing.T, id uuid.UUID, step int) workflows.CallModelOutput {
	t.Helper()
	out, err := p.CallModel(t.Context(), workflows.CallModelInput{TurnID: id, Step: step, Attempt: 1})
	require.NoError(t, err)
	return out
}

// use makes a tool call of a step.
func (p *process) use(t *testing.T, id uuid.UUID, step, call int) workflows.CallToolOutput {
	t.Helper()
	out, err := p.CallTool(t.Context(), workflows.CallToolInput{TurnID: id, Step: step, Call: call})
	require.NoError(t, err)
	return out
}

// result is the record of a tool call.
func (p *process) result(t *testing.T, id uuid.UUID, step, call int) turn.ToolResult {
	t.Helper()
	s, err := p.Sessions.Open(t.Context(), id)
	require.NoError(t, err)
	tools := s.Step(step).Tools
	require.GreaterOrEqual(t, len(tools), call)
	require.NotNil(t, tools[call-1])
	return *tools[call-1]
}

// callsOf is an answer that calls the tool once for each name.
func callsOf(wire string, names ...string) []string {
	var deltas []string
	for i, name := range names {
		callID := "call_" + name
		if slices.Contains(names[:i], name) {
			callID += "_" + strconv.Itoa(i) // the same call under one id is one call
		}
		delta := apptest.ToolCall(callID, wire, `{"name":"`+name+`"}`)
		deltas = append(deltas, strings.Replace(delta, `"index":0`, `"index":`+string(rune('0'+i)), 1))
	}
	return deltas
}

// shares lets all turns have one client, which remembers what it learns of its provider.
func (p *process) shares() {
	c := p.Connections.(*connections)
	c.client = c.dial()
}

// connections connect to the provider.
type connections struct {
	env    map[string]string
	tune   func(*activities.Connection)
	client *model.Client
}

func (c *connections) dial() *model.Client {
	return model.New(
		model.Options{
			BaseURL:    c.env["OPENAI_BASE_URL"],
			APIKey:     c.env["OPENAI_API_KEY"],
			HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		},
	)
}

func (c *connections) Connect(context.Context, uuid.UUID) (activities.Connection, error) {
	connected := activities.Connection{Client: c.client, WindowTokens: 20_000, NoClassifier: true}
	if connected.Client == nil {
		connected.Client = c.dial()
	}
	if c.tune != nil {
		c.tune(&connected)
	}
	return connected, nil
}

// people all hold the rule.
type people struct{}

func (people) Load(_ context.Context, kind principal.Kind, id, session uuid.UUID) (principal.Principal, error) {
	return principal.Principal{Kind: kind, ID: id, SessionID: session, Name: "Ada", Rules: []string{rule}}, nil
}

type callers struct{}

func (callers) Caller(p principal.Principal, _ uuid.UUID) tool.Caller {
	return tool.Caller{Principal: p, Client: &tool.Client{}}
}

// driver carries a decision out at once, as the workflow of the proposal does in its own time.
type driver struct{ proposals *proposal.Service }

func (*driver) StartProposal(context.Context, proposal.Card, time.Duration) error { return nil }

func (d *driver) Decided(ctx context.Context, id uuid.UUID, _ time.Duration) error {
	_, err := d.proposals.Run(ctx, id)
	return err
}

func (d *driver) DecidedPlan(ctx context.Context, id uuid.UUID) error {
	for {
		if left, err := d.proposals.RunNext(ctx, id); err != nil || left == 0 {
			return err
		}
	}
}

func (*driver) EnsurePlan(context.Context, uuid.UUID) error { return nil }

var errAway = errors.New("connection refused")

func inConversation(id uuid.UUID) func(*turn.Settings) {
	return func(set *turn.Settings) { set.ConversationID = id }
}

func (p *process) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := p.db.Conn(t.Context()).Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

func (p *process) text(t *testing.T, sql string, args ...any) string {
	t.Helper()
	var text string
	require.NoError(t, p.db.Conn(t.Context()).QueryRow(t.Context(), sql, args...).Scan(&text))
	return text
}

func (p *process) texts(t *testing.T, sql string, args ...any) []string {
	t.Helper()
	rows, err := p.db.Conn(t.Context()).Query(t.Context(), sql, args...)
	require.NoError(t, err)
	defer rows.Close()
	var texts []string
	for rows.Next() {
		var text string
		require.NoError(t, rows.Scan(&text))
		texts = append(texts, text)
	}
	require.NoError(t, rows.Err())
	return texts
}

// messages are the stored texts of a turn.
func (p *process) messages(t *testing.T, id uuid.UUID) []string {
	t.Helper()
	return p.texts(t, `SELECT content FROM ai_messages WHERE turn_id = $1 ORDER BY position`, id)
}

// noEffects are those of writes that leave no answers.
type noEffects struct{}

// Answer implements proposal.Effects.
func (noEffects) Answer(context.Context, principal.Principal, string) (json.RawMessage, bool, error) {
	return nil, false, nil
}

// Close implements proposal.Effects.
func (noEffects) Close(context.Context, principal.Principal, string) (json.RawMessage, bool, error) {
	return nil, false, nil
}
