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
	// pendingAge is how long a turn may be accepted without a start, proposalAge a proposal without a workflow.
	pendingAge  = 3 * time.Second
	proposalAge = 5 * time.Second
	// runningAge is when a running turn is compared with Temporal the first time, recheck how long one that runs is
	// left alone after that.
	runningAge = 4 * time.Second
	recheck    = 30 * time.Second
)

// Reconciler brings PostgreSQL and Temporal together after crashes: a turn that was accepted but never started is
// started, a decision that never reached its workflow is sent again, and a turn whose workflow is gone is ended with a
// visible error. These are chores: one process of the installation does them.
type Reconciler struct {
	Log       *slog.Logger
	Engine    *Engine
	Turns     *turn.Store
	Sessions  *turn.Sessions[activities.Memo]
	Proposals *proposal.Service

	// next is when a running turn is compared with Temporal again.
	next map[uuid.UUID]time.Time
}

// Chores are what the reconciler does.
func (r *Reconciler) Chores() []chore.Chore {
	return []chore.Chore{
		{Name: "start pending turns", Every: 2 * time.Second, Do: r.startPending},
		{Name: "drive open proposals", Every: 2 * time.Second, Do: r.driveOpen},
		{Name: "check running turns", Every: 3 * time.Second, Do: r.checkRunning},
	}
}

// startPending starts turns whose workflow was never started.
func (r *Reconciler) startPending(ctx context.Context) error {
	turns, err := r.Turns.Unfinished(ctx, pendingAge)
	if err != nil {
		return err
	}
	for _, t := range turns {
		if t.Status != turn.Pending {
			continue
		}
		crash.Point("reconcile.before-start", t.ID)
		if err := r.Engine.StartTurn(ctx, t.ID); err != nil {
			return fmt.Errorf("turn %s: %w", t.ID, err)
		}
	}
	return nil
}

// checkRunning compares turns that should be running with Temporal. One that is missing there made its first model
// call and was never started; one that is closed was terminated or has failed, and is ended with an error that the
// person sees.
func (r *Reconciler) checkRunning(ctx context.Context) error {
	turns, err := r.Turns.Unfinished(ctx, runningAge)
	if err != nil {
		return err
	}
	known := r.next
	r.next = make(map[uuid.UUID]time.Time, len(turns))
	for _, t := range turns {
		if r.next[t.ID] = known[t.ID]; time.Now().Before(known[t.ID]) {
			continue
		}
		state, err := r.Engine.Look(ctx, t.ID)
		switch {
		case err != nil:
			return err
		case state == TurnMissing:
			err = r.Engine.StartTurn(ctx, t.ID)
		case state == TurnRunning:
			r.next[t.ID] = time.Now().Add(recheck)
		case state == TurnClosed:
			r.end(ctx, t)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *Reconciler) end(ctx context.Context, t turn.Turn) {
	session, err := r.Sessions.Open(ctx, t.ID)
	if err != nil {
		return
	}
	r.Log.Warn("Turn had no running workflow and was ended", "turn", t.ID)
	err = r.Sessions.Finish(ctx, session.Session, turn.Outcome{Status: turn.Failed, Failure: &turn.Failure{
		Code:    "internal",
		Message: "This answer was broken off on the server. Send your message again.",
	}})
	if err != nil {
		r.Log.Warn("Turn could not be ended", "turn", t.ID, "error", err)
	}
}

// driveOpen sends decisions again that have not reached their workflow.
func (r *Reconciler) driveOpen(ctx context.Context) error {
	ids, err := r.Proposals.Open(ctx, proposalAge)
	if err != nil {
		return err
	}
	for _, id := range ids {
		crash.Point("reconcile.before-drive", id)
		if err := r.Proposals.Drive(ctx, id); err != nil {
			return fmt.Errorf("proposal %s: %w", id, err)
		}
	}
	return nil
}
