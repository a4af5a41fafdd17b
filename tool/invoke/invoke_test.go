package invoke_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/tool"
	"countersign/tool/budget"
	"countersign/tool/invoke"
	"countersign/tool/kit"
	"countersign/tool/proposal"
)

const (
	readRule  = "shelf.box.read"
	writeRule = "shelf.box.manage"
)

type box struct {
	Name string `json:"name" jsonschema:"maxLength=20"`
}

// world is a shelf with a tool that looks into a box and one that puts boxes on it.
type world struct {
	*invoke.Service
	db *store.DB
	p  principal.Principal
	// dryRun is called by each dry run.
	dryRun func(box) error
}

func newWorld(t *testing.T, calls int) *world {
	t.Helper()
	w := &world{db: storetest.New(t), dryRun: func(box) error { return nil }}
	w.p = principal.Principal{Kind: principal.Application, ID: uuid.New(), Rules: []string{readRule, writeRule}, SessionID: uuid.New()}
	look := kit.NewRead(tool.Definition{Name: "shelf.getBox", Description: "Looks into a box.", Effect: tool.Read, Rules: []string{readRule}},
		func(_ context.Context, c tool.Caller, in box) (map[string]string, error) {
			switch in.Name {
			case "missing":
				return nil, problem.Errorf(problem.NotFound, "There is no such box.")
			case "broken":
				return nil, errors.New("connection refused")
			default:
				return map[string]string{"z": "last", "caller": c.Principal.Key()}, nil
			}
		})
	put := kit.NewWriteFunc(
		tool.Definition{Name: "shelf.putBox", Description: "Puts a box on the shelf.", Effect: tool.Mutate, Rules: []string{writeRule}},
		func(_ context.Context, _ tool.Caller, in box) (kit.Preview[box], error) {
			return kit.Preview[box]{Summary: "Put " + in.Name, Payload: in}, w.dryRun(in)
		},
		func(_ context.Context, _ tool.Caller, in box) (box, error) { return in, nil },
	)
	registry, err := tool.NewRegistry(look, put)
	require.NoError(t, err)
	proposals := proposal.NewService(proposal.Options{
		DB: w.db, Log: slog.New(slog.DiscardHandler), Registry: registry, Callers: callers{}, Driver: driver{},
		Nonces: proposal.NewNonces([]byte("key")), Seals: proposal.NewSeals([]byte("key")), Effects: noEffects{}, TTL: time.Minute,
	}, proposal.NewWatch())
	w.Service = &invoke.Service{
		Reads:    invoke.Reads{Budget: budget.New(w.db, budget.Limits{Calls: calls, Window: time.Minute})},
		Registry: registry, Proposals: proposals, Callers: callers{},
	}
	return w
}

func (w *world) read(t *testing.T, name, input string) (invoke.Result, error) {
	t.Helper()
	return w.Read(t.Context(), w.p, budget.API, name, json.RawMessage(input))
}

func (w *world) propose(ctx context.Context, input, key string) (proposal.Card, error) {
	return w.Propose(ctx, w.p, budget.API, "shelf.putBox", json.RawMessage(input), key, "")
}

// audit lists the audit rows as "tool status code", oldest first.
func (w *world) audit(t *testing.T) []string {
	t.Helper()
	rows, err := w.db.Conn(
		t.Context(),
	).Query(
		t.Context(),
		`SELECT concat_ws(' ', tool_name, effect, status, error_code) FROM ai_tool_calls ORDER BY created_at`,
	)
	require.NoError(t, err)
	defer rows.Close()
	var all []string
	for rows.Next() {
		var text string
		require.NoError(t, rows.Scan(&text))
		all = append(all, text)
	}
	require.NoError(t, rows.Err())
	return all
}

type driver struct{}

func (driver) StartProposal(context.Context, proposal.Card, time.Duration) error { return nil }
func (driver) Decided(context.Context, uuid.UUID, time.Duration) error           { return nil }
func (driver) DecidedPlan(context.Context, uuid.UUID) error                      { return nil }
func (driver) EnsurePlan(context.Context, uuid.UUID) error                       { return nil }

type callers struct{}

func (callers) Caller(p principal.Principal, _ uuid.UUID) tool.Caller {
	return tool.Caller{Principal: p, Client: &tool.Client{}}
}

func refused(t *testing.T, err error, code problem.Code) *problem.Error {
	t.Helper()
	require.Equal(t, code, problem.CodeOf(err), "%v", err)
	return problem.As(err)
}

func TestEveryCallLeavesOneAuditRow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 100)
	result, err := w.read(t, "shelf.getBox", `{"name":"A"}`)
	require.NoError(t, err)
	require.Equal(t, `{"caller":"`+w.p.Key()+`","z":"last"}`, string(result.Output), "in canonical form, as the caller")
	_, err = w.read(t, "shelf_getBox", `{"name":"missing"}`)
	refused(t, err, problem.NotFound)
	_, err = w.read(t, "shelf.getBox", `{"name":"broken"}`)
	refused(t, err, problem.Internal)
	_, err = w.read(t, "shelf.getBox", `{"size":1}`)
	require.NotEmpty(t, refused(t, err, problem.Invalid).Issues)
	_, err = w.read(t, "shelf.putBox", `{"name":"A"}`)
	refused(t, err, problem.Invalid)
	_, err = w.read(t, "shelf.sellBox", `{}`)
	refused(t, err, problem.NotFound)
	_, err = w.propose(t.Context(), `{"name":"A"}`, "")
	require.NoError(t, err)
	_, err = w.propose(t.Context(), `{"name":"`+strings.Repeat("x", 21)+`"}`, "")
	refused(t, err, problem.Invalid)
	_, err = w.Propose(t.Context(), w.p, budget.API, "shelf.getBox", json.RawMessage(`{"name":"A"}`), "", "")
	refused(t, err, problem.Invalid)
	w.p.Rules = []string{readRule}
	_, err = w.propose(t.Context(), `{"name":"A"}`, "")
	require.Equal(t, []string{writeRule}, refused(t, err, problem.Forbidden).MissingRules)

	require.Equal(t, []string{
		"shelf.getBox read executed",
		"shelf.getBox read failed not_found",
		"shelf.getBox read failed internal",
		"shelf.getBox read failed invalid",
		"shelf.putBox mutate refused invalid",
		"shelf.sellBox read refused not_found",
		"shelf.putBox mutate proposed",
		"shelf.putBox mutate failed invalid",
		"shelf.getBox read refused invalid",
		"shelf.putBox mutate refused forbidden",
	}, w.audit(t))
}

func TestACallBeyondTheBudgetDoesNotRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	_, err := w.read(t, "shelf.getBox", `{"name":"A"}`)
	require.NoError(t, err)
	w.dryRun = func(box) error { panic("not called") }
	_, err = w.propose(t.Context(), `{"name":"A"}`, "key")
	refused(t, err, problem.Budget)
	require.Equal(t, []string{"shelf.getBox read executed", "shelf.putBox mutate refused budget"}, w.audit(t))
}

func TestARepeatedProposalIsOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 100)
	first, err := w.propose(t.Context(), `{"name":"A"}`, "key-1")
	require.NoError(t, err)
	require.NotEmpty(t, first.Token)
	again, err := w.propose(t.Context(), `{ "name": "A" }`, "key-1")
	require.NoError(t, err)
	require.Equal(t, first, again)
	require.Equal(t, []string{"shelf.putBox mutate proposed"}, w.audit(t), "and one call of the budget")

	_, err = w.propose(t.Context(), `{"name":"B"}`, "key-1")
	refused(t, err, problem.KeyReused)
	other, err := w.propose(t.Context(), `{"name":"A"}`, "key-2")
	require.NoError(t, err)
	require.NotEqual(t, first.ProposalID, other.ProposalID)
	unkeyed, err := w.propose(t.Context(), `{"name":"A"}`, "")
	require.NoError(t, err)
	require.NotEqual(t, first.ProposalID, unkeyed.ProposalID)

	// Keys of different callers do not meet.
	w.p.ID = uuid.New()
	foreign, err := w.propose(t.Context(), `{"name":"A"}`, "key-1")
	require.NoError(t, err)
	require.NotEqual(t, first.ProposalID, foreign.ProposalID)
}

// A request that was refused has had no effect, so it may be repeated with its key.
func TestAKeyCanBeUsedAgainAfterAFailure(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 100)
	for range 2 {
		w.dryRun = func(box) error { return problem.Errorf(problem.Conflict, "The name is taken.") }
		_, err := w.propose(t.Context(), `{"name":"A"}`, "key-1")
		refused(t, err, problem.Conflict)
		w.p.Rules = []string{readRule}
		_, err = w.propose(t.Context(), `{"name":"A"}`, "key-1")
		refused(t, err, problem.Forbidden)
		w.p.Rules = []string{readRule, writeRule}
	}
	w.dryRun = func(box) error { return nil }
	card, err := w.propose(t.Context(), `{"name":"A"}`, "key-1")
	require.NoError(t, err)
	require.Equal(t, proposal.Proposed, card.Status)
	require.Len(t, w.audit(t), 5, "each attempt is on record")
}

func TestConcurrentRepeatsMakeOneProposal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 100)
	const repeats = 12
	ids := make(chan uuid.UUID, repeats)
	var proposing sync.WaitGroup
	for range repeats {
		proposing.Go(func() {
			card, err := w.propose(t.Context(), `{"name":"A"}`, "key-1")
			if err == nil {
				ids <- card.ProposalID
			} else if !problem.Is(err, problem.Conflict) {
				panic(err)
			}
		})
	}
	proposing.Wait()
	close(ids)
	first, ok := <-ids
	require.True(t, ok)
	for id := range ids {
		require.Equal(t, first, id)
	}
	require.Equal(t, []string{"shelf.putBox mutate proposed"}, w.audit(t))
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
