package inspector

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/store"
	"countersign/modules/inspector/inspectordb"
	"countersign/tool/spend"
)

// Limits of the calls of a turn; see COUNTERSIGN_MAX_STEPS, assistant.MaxAttempts and activities.summaryCalls.
const (
	maxSteps      = 64
	maxAttempts   = 8
	maxSmallCalls = 32
	// maxClaims limits the claims of a turn whose calls are listed.
	maxClaims = 8
)

// callIDs returns the possible ids of a turn's model calls, for its number of claims.
func callIDs(turn uuid.UUID, claims int) []uuid.UUID {
	claims = min(max(claims, 1), maxClaims)
	ids := make([]uuid.UUID, 0, claims*(maxSteps*maxAttempts+3*maxSmallCalls))
	for claim := 1; claim <= claims; claim++ {
		for step := 1; step <= maxSteps; step++ {
			for attempt := 1; attempt <= maxAttempts; attempt++ {
				ids = append(ids, spend.TurnCallID(turn, claim, step, attempt, spend.Answer))
			}
		}
		for number := range maxSmallCalls {
			for _, purpose := range []spend.Purpose{spend.Classifier, spend.Title, spend.Summary} {
				ids = append(ids, spend.TurnCallID(turn, claim, 0, number, purpose))
			}
		}
	}
	return ids
}

// addCalls adds the calls of a turn.
func (m *Module) addCalls(ctx context.Context, report *Report, turn inspectordb.TurnRow) error {
	q := m.queries(ctx)
	models, err := q.ModelCalls(ctx, inspectordb.ModelCallsParams{Ids: callIDs(turn.ID, int(turn.Claim)), TurnID: turn.ID})
	if err != nil {
		return fmt.Errorf("find model calls: %w", err)
	}
	tools, err := q.ToolCalls(ctx, turn.ID)
	if err != nil {
		return fmt.Errorf("find tool calls: %w", err)
	}
	repeats, err := q.Attempts(ctx, turn.ID)
	if err != nil {
		return fmt.Errorf("find repeated calls: %w", err)
	}
	runs := turn.FinishedAt == nil
	for _, c := range models {
		e := modelEntry(c, turn.CreatedAt, turn.Now, runs)
		report.Entries = append(report.Entries, e)
		report.Tokens += c.Tokens
		if c.CostMicros != nil {
			report.CostMicros = new(*c.CostMicros + store.Value(report.CostMicros))
		}
		if e.Kind == ModelEntry && e.Number > 1 {
			report.Retries++
		}
	}
	for _, c := range tools {
		e := toolEntry(c, turn.CreatedAt, turn.Now, runs)
		i := slices.IndexFunc(repeats, func(a inspectordb.AttemptsRow) bool { return a.Step == c.Step && a.Call == c.Call })
		if i >= 0 {
			e.Attempts = int(repeats[i].Attempts)
			report.Retries += max(e.Attempts-1, 0)
		}
		report.Entries = append(report.Entries, e)
	}
	slices.SortStableFunc(report.Entries, func(a, b Entry) int {
		return cmp.Or(
			cmp.Compare(a.StartMS, b.StartMS),
			cmp.Compare(a.Step, b.Step),
			cmp.Compare(b.Kind, a.Kind),
			cmp.Compare(a.Number, b.Number),
		)
	})
	report.addWaits()
	return nil
}

// addWaits adds the backoff that the provider requested between two attempts.
func (r *Report) addWaits() {
	const worth = 50
	last := map[int]Entry{}
	entries := make([]Entry, 0, len(r.Entries))
	for _, e := range r.Entries {
		if e.Kind == ModelEntry {
			before, again := last[e.Step]
			if end := before.StartMS + store.Value(before.TookMS); again && before.TookMS != nil && e.StartMS-end >= worth {
				entries = append(
					entries,
					Entry{Kind: WaitEntry, Step: e.Step, Number: before.Number, StartMS: end, TookMS: new(e.StartMS - end), Status: "done"},
				)
			}
			last[e.Step] = e
		}
		entries = append(entries, e)
	}
	r.Entries = entries
}

var kinds = map[string]string{
	string(spend.Answer): ModelEntry, string(spend.Classifier): TopicEntry, string(spend.Title): TitleEntry, string(spend.Summary): SumUpEntry,
}

// modelEntry computes the start of a call from its end and duration: without a reservation its row is written at the
// end.
func modelEntry(c inspectordb.ModelCallsRow, begun, now time.Time, runs bool) Entry {
	e := Entry{
		Kind: kinds[c.Purpose], Step: int(c.Step), Number: max(int(c.Attempt), 1), Status: "done", Failure: c.Failure, Model: c.Model,
		InputTokens: c.InputTokens, OutputTokens: c.OutputTokens, CachedTokens: c.CachedTokens, Tokens: c.Tokens, CostMicros: c.CostMicros,
		StartMS: milliseconds(begun, c.CreatedAt),
	}
	switch {
	case c.SettledAt != nil && c.TookMs != nil:
		e.StartMS = max(milliseconds(begun, *c.SettledAt)-int64(*c.TookMs), 0)
		e.TookMS = new(int64(*c.TookMs))
	case c.SettledAt == nil && runs:
		e.Status, e.TookMS = "running", new(milliseconds(c.CreatedAt, now))
	case c.SettledAt == nil:
		e.Status = "lost"
	}
	if c.FirstMs != nil {
		e.FirstMS = new(int64(*c.FirstMs))
	}
	if c.Failure != "" || c.Status == "released" {
		e.Status = "failed"
	}
	return e
}

// toolEntry ends for the turn when a change is proposed, or when it is applied automatically.
func toolEntry(c inspectordb.ToolCallsRow, begun, now time.Time, runs bool) Entry {
	e := Entry{
		Kind:    ToolEntry,
		Step:    int(c.Step),
		Number:  int(c.Call),
		StartMS: milliseconds(begun, c.CreatedAt),
		Status:  c.Status,
		Failure: c.ErrorCode,
		Tool:    c.ToolName,
		Effect:  c.Effect,
	}
	switch {
	case c.ProposedAt != nil && !c.Automatic:
		e.TookMS = new(milliseconds(c.CreatedAt, *c.ProposedAt))
	case c.FinishedAt != nil:
		e.TookMS = new(milliseconds(c.CreatedAt, *c.FinishedAt))
	case runs:
		e.TookMS = new(milliseconds(c.CreatedAt, now))
	case c.Status == "running":
		e.Status = "lost"
	}
	return e
}

// callPosition is the position of a tool call: step and number.
type callPosition struct{ step, call int }

// addArguments adds the arguments of calls, from the step records or, when those are deleted, from the answer.
func (m *Module) addArguments(ctx context.Context, report *Report) error {
	rows, err := m.queries(ctx).PlannedCalls(ctx, report.ID)
	if err != nil {
		return fmt.Errorf("find records of steps: %w", err)
	}
	arguments := map[callPosition]json.RawMessage{}
	for _, r := range rows {
		var calls []struct {
			Arguments string `json:"arguments"`
		}
		if err := json.Unmarshal(r.Calls, &calls); err != nil {
			return fmt.Errorf("read calls of a step: %w", err)
		}
		for i, c := range calls {
			arguments[callPosition{int(r.Step), i + 1}] = json.RawMessage(c.Arguments)
		}
	}
	if len(rows) == 0 {
		if arguments, err = m.answered(ctx, report.ID); err != nil {
			return err
		}
	}
	for i := range report.Entries {
		e := &report.Entries[i]
		if e.Kind == ToolEntry {
			e.show(arguments[callPosition{e.Step, e.Number}])
		}
	}
	return nil
}

// answered returns the arguments in the stored message.
func (m *Module) answered(ctx context.Context, turn uuid.UUID) (map[callPosition]json.RawMessage, error) {
	parts, err := m.queries(ctx).Answer(ctx, turn)
	if store.NoRows(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find answer: %w", err)
	}
	found := map[callPosition]json.RawMessage{}
	var at callPosition
	for _, p := range parts {
		switch {
		case p.Type == "step-start":
			at = callPosition{at.step + 1, 0}
		case p.ToolCallID != "":
			at.call++
			found[at] = p.Input
		}
	}
	return found, nil
}
