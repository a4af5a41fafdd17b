package worker

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"countersign/activities"
	"countersign/chat/turn"
	"countersign/crash"
	"countersign/store/chore"
	"countersign/tool/proposal"
)

const (
	// pendingAge is how long a turn may be accepted without a start, proposalAge a proposal due without its workflow's work: a
	// workflow looks two seconds after a proposal has expired.
	pendingAge  = 3 * time.Second
	proposalAge = 3 * time.Second
	// runningAge is when a running turn is compared with Temporal the first time, recheck how long one that runs is
	// left alone after that.
	runningAge = 4 * time.Second
	recheck    = 30 * time.Second
)

// Reconciler brings PostgreSQL and Temporal together after crashes: a turn that was accepted but never started is
// started, a decision that never reached its workflow is sent again, and a turn whose workflow is gone, or makes no progress, is
// ended with a visible error. These are chores: one process of the installation does them.
type Reconciler struct {
	Log       *slog.Logger
	Engine    *Engine
	Turns     *turn.Store
	Sessions  *turn.Sessions[activities.Memo]
	Proposals *proposal.Service
	// Patience is how long a turn may make no progress; the zero Patience is DefaultPatience.
	Patience Patience
	// Clock is time.Now outside of tests.
	Clock func() time.Time

	pending, running, due rests
	watch                 watch
}

// Chores are what the reconciler does.
func (r *Reconciler) Chores() []chore.Chore {
	return []chore.Chore{
		{Name: "start pending turns", Every: 2 * time.Second, Do: r.startPending},
		{Name: "drive open proposals", Every: 2 * time.Second, Do: r.driveDue},
		{Name: "check running turns", Every: 3 * time.Second, Do: r.checkRunning},
	}
}

func (r *Reconciler) now() time.Time {
	if r.Clock == nil {
		return time.Now()
	}
	return r.Clock()
}

// startPending starts turns whose workflow was never started.
func (r *Reconciler) startPending(ctx context.Context) error {
	return r.sweepTurns(ctx, &r.pending, pendingAge, r.start, turn.Pending)
}

func (r *Reconciler) start(ctx context.Context, t turn.Turn, state *rest) error {
	crash.Point("reconcile.before-start", t.ID)
	if err := r.Engine.StartTurn(ctx, t.ID); err != nil {
		return err
	}
	// It is not started twice, but asking costs.
	state.longer(r.now(), recheck)
	return nil
}

// checkRunning compares turns that should be running with Temporal. One that is missing there was accepted, may have
// made its first model call, and was never started; one that is closed was terminated or has failed, and is ended with an error that the
// person sees. So is one that makes no progress.
func (r *Reconciler) checkRunning(ctx context.Context) error {
	r.watch.begin(r.now())
	err := r.sweepTurns(ctx, &r.running, runningAge, r.check, turn.Pending, turn.Running)
	if r.running.complete {
		r.watch.keep(r.running.rows)
	} else {
		// Nothing makes progress without Temporal and PostgreSQL.
		r.watch.forget()
	}
	return err
}

func (r *Reconciler) check(ctx context.Context, t turn.Turn, state *rest) error {
	look, err := r.Engine.Examine(ctx, t.ID)
	if err != nil {
		r.watch.drop(t.ID)
		return err
	}
	switch look.State {
	case TurnMissing:
		return r.start(ctx, t, state)
	case TurnClosed:
		return r.end(ctx, t, "This answer was broken off on the server. Send your message again.")
	case TurnRunning:
	}
	why, err := r.stuck(ctx, t, look)
	if err != nil {
		return err
	}
	if why == "" {
		state.until = r.now().Add(r.patience().recheck())
		return nil
	}
	r.Log.Error("Turn makes no progress and is ended", "turn", t.ID, "why", why, "attempt", look.Attempt)
	if err := r.Engine.GiveUpTurn(ctx, t.ID, why); err != nil {
		return err
	}
	return r.end(
		ctx,
		t,
		"This answer was broken off: "+why+". What was done until then is shown above. Send your message again; if it happens again, ask an administrator to look at this turn.",
	)
}

// end ends a turn that no workflow will end.
func (r *Reconciler) end(ctx context.Context, t turn.Turn, message string) error {
	session, err := r.Sessions.Open(ctx, t.ID)
	if err != nil {
		// It is over, or this process has just lost it and tries again.
		return nil //nolint:nilerr // the next look says which
	}
	r.Log.Warn("Turn had no running workflow and was ended", "turn", t.ID)
	err = r.Sessions.Finish(
		ctx,
		session.Session,
		turn.Outcome{Status: turn.Failed, Failure: &turn.Failure{Code: "internal", Message: message}},
	)
	if err != nil {
		return fmt.Errorf("end turn: %w", err)
	}
	return nil
}

func (r *Reconciler) sweepTurns(
	ctx context.Context, rows *rests, age time.Duration, try func(context.Context, turn.Turn, *rest) error, statuses ...turn.Status,
) error {
	next := func(ctx context.Context, after *turn.Turn) ([]turn.Turn, error) {
		if after == nil {
			after = &turn.Turn{}
		}
		return r.Turns.Unfinished(ctx, age, *after, statuses...)
	}
	return sweep(ctx, rows, r.now, turn.UnfinishedPage, next, func(t turn.Turn) uuid.UUID { return t.ID }, try)
}

// driveDue sends decisions again that have not reached their workflow, once: a workflow that runs has been told. One that does
// not run is started, and one whose code fails again and again gets another run, which begins with what the rows say.
func (r *Reconciler) driveDue(ctx context.Context) error {
	next := func(ctx context.Context, after *proposal.Due) ([]proposal.Due, error) {
		if after == nil {
			after = &proposal.Due{}
		}
		return r.Proposals.Due(ctx, proposalAge, *after)
	}
	return sweep(ctx, &r.due, r.now, proposal.DuePage, next, subject, r.drive)
}

// subject is what has one workflow.
func subject(d proposal.Due) uuid.UUID {
	if d.Plan != uuid.Nil {
		return d.Plan
	}
	return d.ID
}

func (r *Reconciler) drive(ctx context.Context, d proposal.Due, state *rest) error {
	crash.Point("reconcile.before-drive", d.ID)
	told := false
	if state.tried {
		var err error
		if told, err = r.told(ctx, d, state); err != nil {
			return err
		}
	}
	if !told {
		if err := r.Proposals.Drive(ctx, d.ID); err != nil {
			return err
		}
	}
	state.tried = true
	state.longer(r.now(), longRest)
	return nil
}

// told reports whether the workflow of a proposal that was driven before runs and knows of the decision.
func (r *Reconciler) told(ctx context.Context, d proposal.Due, state *rest) (bool, error) {
	look, err := r.Engine.ExamineDue(ctx, d)
	if err != nil || look.State != TurnRunning {
		return false, err
	}
	if look.Attempt < failingAttempt || state.last < r.patience().Failing {
		return true, nil
	}
	r.Log.Error("Proposal makes no progress; its workflow begins anew", "proposal", d.ID, "plan", d.Plan, "attempt", look.Attempt)
	return false, r.Engine.GiveUpDue(ctx, d, "its code fails again and again")
}
