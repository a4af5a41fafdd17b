package modelcheck

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/model"
	"countersign/modules/modelcheck/modelcheckdb"
	"countersign/modules/modelcheck/suite"
	"countersign/tool/spend"
)

// Play plays situation number n of a check, counted from 0, and stores its outcome. It is idempotent: a situation with
// an outcome is not played again. over reports that the check has ended.
func (m *Module) Play(ctx context.Context, id uuid.UUID, n, attempt int) (over bool, err error) {
	row, err := m.row(ctx, id)
	if err != nil {
		return true, err
	}
	q := m.queries(ctx)
	alive, err := q.KeepAlive(ctx, id)
	if err != nil {
		return false, fmt.Errorf("keep check alive: %w", err)
	}
	if alive == 0 || n >= len(row.Situations)*int(row.Repeats) {
		return true, nil
	}
	if done, err := q.HasOutcome(ctx, modelcheckdb.HasOutcomeParams{CheckID: id, Number: int32(n)}); err != nil || done {
		return false, err
	}
	o, err := m.outcome(ctx, row, n, attempt)
	if err != nil && ctx.Err() == nil {
		return false, err
	}
	if ctx.Err() != nil {
		alive, err := q.KeepAlive(context.WithoutCancel(ctx), id)
		if err == nil && alive == 0 {
			return true, nil
		}
		// This process stops: another attempt replays the case.
		return false, context.Cause(ctx)
	}
	return m.keep(context.WithoutCancel(ctx), id, n, o)
}

// outcome plays the situation. An error is this host's, and says nothing about the model.
func (m *Module) outcome(ctx context.Context, row modelcheckdb.AiModelCheck, n, attempt int) (suite.Outcome, error) {
	name := row.Situations[n%len(row.Situations)]
	s, known := suite.Load().Find(name)
	if !known {
		return suite.Outcome{
			Situation: name,
			Verdict:   suite.Failing,
			Reasons:   []string{"This version has no such situation: another one started the check."},
		}, nil
	}
	c, err := m.Connections.Checked(ctx, row.ConnectionID)
	if problem.CodeOf(err) == problem.Internal {
		return suite.Outcome{}, fmt.Errorf("find connection of check: %w", err)
	}
	if err != nil {
		m.Log.Warn("Connection of a check not usable", "check", row.ID, "error", err)
		return suite.Outcome{
			Situation: name,
			Kind:      s.Kind,
			Verdict:   suite.Failing,
			Reasons:   []string{"The connection cannot be used any more."},
		}, nil
	}
	counted := &meter{Module: m, connection: c, payer: payer(row), owner: uuid.NewSHA1(row.ID, fmt.Appendf(nil, "%d/%d", n, attempt))}
	measures, maxTools := c.known(row.Model)
	player := &suite.Player{
		Client:    c.Client,
		Model:     row.Model,
		Tools:     suite.Offered(m.Tools.All()),
		Family:    c.Family,
		Known:     measures,
		MaxTools:  maxTools,
		Search:    m.Search,
		Learn:     m.learner(c, row.Model),
		Now:       time.Now,
		Wait:      wait,
		Meter:     counted,
		Playbooks: m.Tools.PlaybooksFor,
	}
	return player.Play(ctx, suite.Load(), s), counted.broken
}

// learner stores what calls of a situation show of the model, for later situations and conversations.
func (m *Module) learner(c Connection, name string) func(context.Context, model.Figures) {
	return func(ctx context.Context, seen model.Figures) {
		if c.Learn == nil {
			return
		}
		if err := c.Learn(context.WithoutCancel(ctx), name, seen); err != nil {
			m.Log.Warn("Figures of a model not stored", "connection", c.ID, "model", name, "error", err)
		}
	}
}

func (m *Module) keep(ctx context.Context, id uuid.UUID, n int, o suite.Outcome) (over bool, err error) {
	_, err = m.queries(ctx).InsertOutcome(ctx, modelcheckdb.InsertOutcomeParams{
		CheckID:   id,
		Number:    int32(n),
		Situation: o.Situation,
		Kind:      o.Kind,
		Verdict:   string(o.Verdict),
		Reasons:   append([]string{}, o.Reasons...),
		Shown:     append([]suite.Line{}, o.Shown...),
		Steps: int32(
			o.Steps,
		),
		Calls:        int32(o.Calls),
		InputTokens:  int64(o.InputTokens),
		OutputTokens: int64(o.OutputTokens),
		Estimated:    o.Estimated,
		TookMs:       o.Took.Milliseconds(),
	})
	if err != nil {
		return false, fmt.Errorf("insert outcome: %w", err)
	}
	return false, nil
}

// Finish ends a check after all of its cases were tried. It is interrupted if a case has no outcome.
func (m *Module) Finish(ctx context.Context, id uuid.UUID) error {
	if _, err := m.queries(ctx).FinishCheck(ctx, id); err != nil {
		return fmt.Errorf("finish check: %w", err)
	}
	return nil
}

// Abort ends a check whose player gives up.
func (m *Module) Abort(ctx context.Context, id uuid.UUID) error {
	if _, err := m.queries(ctx).EndCheck(ctx, modelcheckdb.EndCheckParams{ID: id, Status: string(Interrupted)}); err != nil {
		return fmt.Errorf("interrupt check: %w", err)
	}
	return nil
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// payer is whose cap the calls count against. Those of a command count as a program's.
func payer(row modelcheckdb.AiModelCheck) principal.Principal {
	if row.StartedBy == nil || row.StartedByKind == nil {
		return principal.Principal{Kind: principal.Service, ID: commandID}
	}
	return principal.Principal{Kind: principal.Kind(*row.StartedByKind), ID: *row.StartedBy}
}

// commandID is the ledger id of the command on the server.
var commandID = uuid.MustParse("0199a2f0-6c1a-7000-8000-6d6f64656c63")

// meter counts the calls of one attempt at a situation in the ledger.
type meter struct {
	*Module

	connection Connection
	payer      principal.Principal
	owner      uuid.UUID
	// broken is the error of the ledger.
	broken error
}

func (t *meter) call(number, estimate int) spend.Call {
	return spend.Call{
		ID: spend.CallID(
			t.owner,
			number,
			1,
			spend.Check,
		),
		Connection: t.connection.ID,
		Principal:  t.payer,
		Purpose:    spend.Check,
		Estimate:   estimate,
	}
}

// Reserve implements suite.Meter.
func (t *meter) Reserve(ctx context.Context, number, estimate int) error {
	err := t.Ledger.Reserve(ctx, t.call(number, estimate), t.connection.Cap)
	if problem.CodeOf(err) == problem.Internal {
		t.broken = err
	}
	return err
}

// Settle implements suite.Meter.
func (t *meter) Settle(ctx context.Context, number, estimate int, used model.Usage, failed error) {
	c := t.call(number, estimate)
	settle := func() error {
		return t.Ledger.Settle(ctx, c, spend.Usage{InputTokens: used.InputTokens, OutputTokens: used.OutputTokens, Reported: used.Reported})
	}
	if unspent(failed) {
		settle = func() error { return t.Ledger.Release(ctx, c) }
	}
	if err := settle(); err != nil {
		t.Log.Warn("Tokens of a model call not settled; they count at their estimate", "check", t.owner, "error", err)
	}
}

// unspent reports whether a failed call cannot have used tokens: the provider refused it, or was never reached.
func unspent(err error) bool {
	if failure, ok := errors.AsType[*model.Error](err); ok && failure.Status >= 400 {
		return true
	}
	dial, ok := errors.AsType[*net.OpError](err)
	return ok && dial.Op == "dial"
}
