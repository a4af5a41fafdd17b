package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/chat/turn"
	"countersign/crash"
	"countersign/principal"
	"countersign/problem"
	"countersign/rest/sse"
)

// WhileRunning says what a message does that comes while a turn of its conversation runs.
type WhileRunning string

// The choices. A request names one in the header Countersign-While-Running; each kind of client has one by default.
const (
	// StopRunning stops the turn if the client may, and answers the message once it has ended; else it is QueueBehind.
	StopRunning WhileRunning = "stop"
	// QueueBehind waits for the end of the turn.
	QueueBehind WhileRunning = "queue"
	// RefuseBusy answers 409.
	RefuseBusy WhileRunning = "refuse"
	// stopLeft stops a turn of the same owner whose last stream its client has closed, and refuses otherwise.
	stopLeft WhileRunning = "left"
)

// ClientKind is how the turns of a kind of client are treated.
type ClientKind struct {
	// StopOnClose stops a turn when its client closes the stream.
	StopOnClose  bool
	WhileRunning WhileRunning
}

const (
	runningHeader = "Countersign-While-Running"

	// stopPatience is how long a message waits for a turn that was asked to stop, queuePatience for one that was not,
	// and leftPatience for a client to be seen to have closed a stream: it closes one and sends its next message at the
	// same moment.
	stopPatience  = 20 * time.Second
	queuePatience = 55 * time.Second
	leftPatience  = 1500 * time.Millisecond
	// lookPause is the time between two looks at a turn that is waited for.
	lookPause = 50 * time.Millisecond
)

// whileRunning is what the request chooses, or the default of its kind.
func whileRunning(r *http.Request, kind WhileRunning) (WhileRunning, error) {
	switch chosen := WhileRunning(r.Header.Get(runningHeader)); chosen {
	case "":
		return kind, nil
	case StopRunning, QueueBehind, RefuseBusy:
		return chosen, nil
	default:
		return "", problem.InvalidInput("The header "+runningHeader+" says what a message does while a turn of its conversation runs.",
			problem.Issue{Path: runningHeader, Message: "must be stop, queue or refuse"})
	}
}

// inTurn accepts a message by accept. While a turn of the conversation runs, it does as the request chooses, and tries again.
func (h *Chat) inTurn(r *http.Request, p principal.Principal, conversation uuid.UUID, kind WhileRunning, accept func() error) error {
	how, err := whileRunning(r, kind)
	if err != nil {
		return err
	}
	ctx, end := sse.Open(r.Context())
	defer end()
	until := time.Now().Add(queuePatience)
	for {
		busy := accept()
		if !problem.Is(busy, problem.Busy) || how == RefuseBusy || time.Now().After(until) {
			return busy
		}
		running, ok, err := h.Turns.Active(ctx, conversation)
		if err != nil {
			return err
		}
		if !ok {
			// The turn has ended meanwhile, or the conversation is busy by something else for a moment.
			select {
			case <-time.After(lookPause):
				continue
			case <-ctx.Done():
				return busy
			}
		}
		if err := h.waitFor(ctx, running, p, how, r.Header.Get(runningHeader) != "", until); err != nil {
			if errors.Is(err, errStillRunning) {
				return busy
			}
			return err
		}
	}
}

var errStillRunning = errors.New("the turn is still running")

// waitFor waits until a turn has ended, and stops it before if that is chosen and p may.
func (h *Chat) waitFor(ctx context.Context, running turn.Turn, p principal.Principal, how WhileRunning, chosen bool,
	until time.Time,
) error {
	stopped := false
	stop := func() error {
		stopped, until = true, time.Now().Add(stopPatience)
		return h.stopTurn(ctx, running.ID, turn.Request{})
	}
	if how == StopRunning && mayStop(running, p, chosen) {
		if err := stop(); err != nil {
			return err
		}
	}
	if how == stopLeft {
		if !mayStopLeft(running, p) {
			return errStillRunning
		}
		until = time.Now().Add(leftPatience)
	}
	tick := time.NewTicker(lookPause)
	defer tick.Stop()
	for {
		now, err := h.Turns.Find(ctx, running.ID)
		switch {
		case problem.Is(err, problem.NotFound):
			return nil
		case err != nil:
			return err
		case now.Status.Final():
			return nil
		case how == stopLeft && now.Left && !stopped:
			if err := stop(); err != nil {
				return err
			}
		case time.Now().After(until):
			return errStillRunning
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// mayStop reports whether p may stop a turn with its next message: a program what it has begun itself, and a person who
// asks for it anything of theirs.
func mayStop(running turn.Turn, p principal.Principal, chosen bool) bool {
	if running.OwnerID != p.ID {
		return false
	}
	own := p.Kind == principal.Application || running.SessionID == p.SessionID
	return own || chosen && p.Kind == principal.User && p.Client == nil
}

// mayStopLeft reports whether p may stop a turn that no client reads with its next message: the person or application it acts for, and of
// the programs of a person only the one that has begun it.
func mayStopLeft(running turn.Turn, p principal.Principal) bool {
	return running.OwnerID == p.ID && (p.Client == nil || running.SessionID == p.SessionID)
}

// stopTurn asks for the end of a turn: its model call ends at once, and what it has said is kept. It does nothing for one that is over, or
// that a later attempt of the request has joined.
func (h *Chat) stopTurn(ctx context.Context, id uuid.UUID, by turn.Request) error {
	stopping, err := h.Turns.Stop(ctx, id, by)
	if err != nil || !stopping {
		return err
	}
	h.signalStop(ctx, id)
	return nil
}

// signalStop wakes the workflow of a turn whose row says that it has to stop. What runs a model call hears of the row.
func (h *Chat) signalStop(ctx context.Context, id uuid.UUID) {
	crash.Point("stop.after-request", id)
	if err := h.Engine.StopTurn(ctx, id); err != nil {
		h.Log.Warn("Turn was not signalled to stop", "turn", id, "error", err)
	}
	crash.Point("stop.after-signal", id)
}

const (
	// retryGrace is how long the retry of a request is waited for whose client has closed the connection: clients wait
	// up to a second before it.
	retryGrace = 3 * time.Second
	// closeTimeout bounds what is done after a client has gone.
	closeTimeout = 10 * time.Second
)

// closed counts a stream that has ended before its turn and does what the kind of client wants. A stream that has joined the turn stops it
// only as the last one. by is the request, by which a retry may join the turn.
func (h *Chat) closed(c echo.Context, a accepted, ended error, kind ClientKind, by turn.Request) {
	// The kind says what a close means here, so the turn is not marked as left.
	others := h.detach(c, a.ID, false)
	if !kind.StopOnClose || endedByServer(ended) || others && !a.counted {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Request().Context()), closeTimeout)
	defer cancel()
	if by.Key != nil {
		draining, end := sse.Open(ctx)
		defer end()
		grace := time.NewTimer(retryGrace)
		defer grace.Stop()
		select {
		case <-grace.C:
		case <-draining.Done():
			return
		}
	}
	if err := h.stopTurn(ctx, a.ID, by); err != nil {
		h.Log.Warn("Turn of a closed stream not stopped", "turn", a.ID, "error", err)
	}
}

// attach counts a stream of a turn as open.
func (h *Chat) attach(ctx context.Context, id uuid.UUID) {
	if err := h.Turns.AttachStream(ctx, id); err != nil {
		h.Log.Warn("Open stream not counted", "turn", id, "error", err)
	}
}

// detach counts a stream as ended before its turn, closed by its client or not, and reports whether another one is open.
func (h *Chat) detach(c echo.Context, id uuid.UUID, closed bool) (others bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Request().Context()), closeTimeout)
	defer cancel()
	open, err := h.Turns.DetachStream(ctx, id, closed)
	if err != nil {
		h.Log.Warn("Ended stream not counted", "turn", id, "error", err)
	}
	return open > 0
}
