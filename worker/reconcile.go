package worker

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"countersign/activities"
	"countersign/chat/turn"
	"countersign/internal/crash"
	"countersign/internal/store/chore"
	"countersign/tool/proposal"
	"countersign/workflows"
)

const (
	// pendingAge is the age after which an accepted turn must have started, proposalAge that after which a due proposal's
	// workflow must have acted: a workflow checks two seconds after a proposal has expired.
	pendingAge  = 3 * time.Second
	proposalAge = 3 * time.Second
	// runningAge is the age at which a running turn is first compared with Temporal, recheckInterval the time until the
	// next comparison.
	runningAge      = 4 * time.Second
	recheckInterval = 30 * time.Second
)

// Reconciler reconciles PostgreSQL and Temporal after crashes: it starts turns that were accepted but never started,
// resends decisions that never reached their workflow, and ends turns whose workflow is gone or stalled with an error
// that the person sees. Its chores run in one process of the installation.
type Reconciler struct {
	Log       *slog.Logger
	Engine    *Engine
	Driver    *TurnDriver
	Turns     *turn.Store
	Sessions  *turn.Sessions[activities.Memo]
	Proposals *proposal.Service
	// StallLimits bound how long a turn may make no progress; the zero value is DefaultStallLimits.
	StallLimits StallLimits
	// Clock is time.Now outside of tests.
	Clock func() time.Time

	pending, running, due backoffs
	watch                 stallWatch
}

// Chores are the reconciler's periodic jobs.
func (r *Reconciler) Chores() []chore.Chore {
	return []chore.Chore{
		{Name: "start pending turns", Every: 2 * time.Second, Do: r.startPending},
		{Name: "drive open proposals", Every: 2 * time.Second, Do: r.resendDecisions},
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

func (r *Reconciler) start(ctx context.Context, t turn.Turn, state *backoff) error {
	crash.Point("reconcile.before-start", t.ID)
	if err := r.Driver.StartTurn(ctx, t.ID); err != nil {
		return err
	}
	// A second start has no effect, but costs a call.
	state.increase(r.now(), recheckInterval)
	return nil
}

// checkRunning compares turns that should be running with Temporal. A missing one was accepted and never started,
// though it may have made its first model call; a closed or stalled one is ended with an error that the person sees.
func (r *Reconciler) checkRunning(ctx context.Context) error {
	r.watch.startRound(r.now())
	err := r.sweepTurns(ctx, &r.running, runningAge, r.check, turn.Pending, turn.Running)
	if r.running.complete {
		r.watch.retain(r.running.rows)
	} else {
		// Nothing makes progress without Temporal and PostgreSQL.
		r.watch.reset()
	}
	return err
}

func (r *Reconciler) check(ctx context.Context, t turn.Turn, state *backoff) error {
	condition, err := r.Engine.Describe(ctx, workflows.TurnID(t.ID))
	if err != nil {
		r.watch.drop(t.ID)
		return err
	}
	switch condition.State {
	case Missing:
		return r.start(ctx, t, state)
	case Closed:
		return r.fail(ctx, t, "This answer was broken off on the server. Send your message again.")
	case Running:
	}
	why, err := r.stallReason(ctx, t, condition)
	if err != nil {
		return err
	}
	if why == "" {
		state.until = r.now().Add(r.stallLimits().recheckInterval())
		return nil
	}
	r.Log.Error("Stalled turn ended", "turn", t.ID, "why", why, "attempt", condition.Attempt)
	if err := r.Engine.Terminate(ctx, workflows.TurnID(t.ID), why); err != nil {
		return err
	}
	return r.fail(
		ctx,
		t,
		"This answer was broken off: "+why+". What was done until then is shown above. Send your message again; if it "+
			"happens again, ask an administrator to look at this turn.",
	)
}

// fail ends a turn that has no running workflow to end it.
func (r *Reconciler) fail(ctx context.Context, t turn.Turn, message string) error {
	session, err := r.Sessions.Open(ctx, t.ID)
	if err != nil {
		// It has ended, or this process has just lost its claim; the next round shows which.
		return nil //nolint:nilerr // the next round shows which
	}
	r.Log.Warn("Turn without a running workflow ended", "turn", t.ID)
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
	ctx context.Context, rows *backoffs, age time.Duration, try func(context.Context, turn.Turn, *backoff) error, statuses ...turn.Status,
) error {
	next := func(ctx context.Context, after *turn.Turn) ([]turn.Turn, error) {
		if after == nil {
			after = &turn.Turn{}
		}
		return r.Turns.Unfinished(ctx, age, *after, statuses...)
	}
	return sweep(ctx, rows, r.now, turn.UnfinishedPage, next, func(t turn.Turn) uuid.UUID { return t.ID }, try)
}

// resendDecisions resends decisions that have not reached their workflow, once each. It starts a workflow that does not
// run, and restarts one whose code keeps failing, which continues from the rows.
func (r *Reconciler) resendDecisions(ctx context.Context) error {
	next := func(ctx context.Context, after *proposal.Due) ([]proposal.Due, error) {
		if after == nil {
			after = &proposal.Due{}
		}
		return r.Proposals.Due(ctx, proposalAge, *after)
	}
	return sweep(ctx, &r.due, r.now, proposal.DuePage, next, workflowSubject, r.resend)
}

// workflowSubject is the id that names the workflow of a proposal: its plan, or itself.
func workflowSubject(d proposal.Due) uuid.UUID {
	if d.Plan != uuid.Nil {
		return d.Plan
	}
	return d.ID
}

// workflowOf is the workflow that acts on a decision: that of the plan, or of the proposal.
func workflowOf(d proposal.Due) string {
	if d.Plan != uuid.Nil {
		return workflows.PlanID(d.Plan)
	}
	return workflows.ProposalID(d.ID)
}

func (r *Reconciler) resend(ctx context.Context, d proposal.Due, state *backoff) error {
	crash.Point("reconcile.before-drive", d.ID)
	delivered := false
	if state.tried {
		var err error
		if delivered, err = r.decisionDelivered(ctx, d, state); err != nil {
			return err
		}
	}
	if !delivered {
		if err := r.Proposals.Drive(ctx, d.ID); err != nil {
			return err
		}
	}
	state.tried = true
	state.increase(r.now(), maxBackoff)
	return nil
}

// decisionDelivered reports whether the workflow of a resent proposal runs and knows of the decision.
func (r *Reconciler) decisionDelivered(ctx context.Context, d proposal.Due, state *backoff) (bool, error) {
	condition, err := r.Engine.Describe(ctx, workflowOf(d))
	if err != nil || condition.State != Running {
		return false, err
	}
	if condition.Attempt < failingAttempt || state.delay < r.stallLimits().TaskFailing {
		return true, nil
	}
	r.Log.Error("Proposal workflow stalled, restarting", "proposal", d.ID, "plan", d.Plan, "attempt", condition.Attempt)
	return false, r.Engine.Terminate(ctx, workflowOf(d), "its code fails again and again")
}
