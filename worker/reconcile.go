package worker

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"countersign/activities"
	"countersign/chat/turn"
	"countersign/crash"
	"countersign/store"
	"countersign/store/chore"
	"countersign/tool/proposal"
)

const (
	reconcileInterval = 2 * time.Second
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
// visible error. One process at a time does this, whichever gets the lock.
type Reconciler struct {
	DB        *store.DB
	Log       *slog.Logger
	Engine    *Engine
	Turns     *turn.Store
	Sessions  *turn.Sessions[activities.Memo]
	Proposals *proposal.Service
	// Tasks are further chores, such as pruning.
	Tasks []chore.Chore

	last map[string]time.Time
	// next is when a running turn is compared with Temporal again.
	next map[uuid.UUID]time.Time
}

// Run works until ctx ends.
func (r *Reconciler) Run(ctx context.Context) {
	r.last, r.next = map[string]time.Time{}, map[uuid.UUID]time.Time{}
	r.Tasks = append([]chore.Chore{{Name: "check running turns", Every: 3 * time.Second, Do: r.checkRunning}}, r.Tasks...)
	tick := time.NewTicker(reconcileInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		r.Sessions.Prune()
		_, err := r.DB.TryAdvisoryLock(ctx, "countersign.reconcile", func(ctx context.Context) error {
			r.startPending(ctx)
			r.proposals(ctx)
			r.tasks(ctx)
			return nil
		})
		if err != nil && ctx.Err() == nil {
			r.Log.Warn("Reconciler could not work", "error", err)
		}
	}
}

// startPending starts turns whose workflow was never started.
func (r *Reconciler) startPending(ctx context.Context) {
	turns, err := r.Turns.Unfinished(ctx, pendingAge)
	if err != nil {
		r.Log.Warn("Unfinished turns not listed", "error", err)
		return
	}
	for _, t := range turns {
		if t.Status != turn.Pending {
			continue
		}
		crash.Point("reconcile.before-start", t.ID)
		if err := r.Engine.StartTurn(ctx, t.ID); err != nil {
			r.Log.Warn("Turn not started", "turn", t.ID, "error", err)
			return
		}
	}
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

func (r *Reconciler) proposals(ctx context.Context) {
	ids, err := r.Proposals.Open(ctx, proposalAge)
	if err != nil {
		r.Log.Warn("Open proposals not listed", "error", err)
		return
	}
	for _, id := range ids {
		crash.Point("reconcile.before-drive", id)
		if err := r.Proposals.Drive(ctx, id); err != nil {
			r.Log.Warn("Proposal not driven", "proposal", id, "error", err)
			return
		}
	}
}

func (r *Reconciler) tasks(ctx context.Context) {
	for _, task := range r.Tasks {
		if time.Since(r.last[task.Name]) < task.Every {
			continue
		}
		r.last[task.Name] = time.Now()
		if err := task.Do(ctx); err != nil {
			r.Log.Warn("Chore failed", "task", task.Name, "error", err)
		}
	}
}
