package chat

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/chat/turn"
	"countersign/internal/crash"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest/sse"
)

// WhileRunning selects how to treat a message that arrives while a turn of its conversation runs.
type WhileRunning string

// Values of WhileRunning. A request names one in the header Countersign-While-Running; each kind of client has a
// default.
const (
	// StopRunning stops the turn if the client may, and answers the message after the turn has ended; otherwise it acts
	// as QueueBehind.
	StopRunning WhileRunning = "stop"
	// QueueBehind waits for the end of the turn.
	QueueBehind WhileRunning = "queue"
	// RefuseBusy answers 409.
	RefuseBusy WhileRunning = "refuse"
	// stopAbandoned stops a turn of the same owner whose last stream its client has closed, and refuses otherwise.
	stopAbandoned WhileRunning = "left"
)

// ClientKind is the turn policy of a kind of client.
type ClientKind struct {
	// StopOnClose stops a turn when its client closes the stream.
	StopOnClose  bool
	WhileRunning WhileRunning
}

const (
	runningHeader = "Countersign-While-Running"

	// stopTimeout bounds how long a message waits for a stopping turn, queueTimeout for a running one, and
	// abandonTimeout for a client to close its stream: it closes one and sends its next message at the same moment.
	stopTimeout    = 20 * time.Second
	queueTimeout   = 55 * time.Second
	abandonTimeout = 1500 * time.Millisecond
	// turnPollInterval is the time between two reads of a turn that a message waits for.
	turnPollInterval = 50 * time.Millisecond
)

// whileRunning returns the request's choice, or the default of its kind.
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

// acceptWhileRunning accepts a message. While a turn of the conversation runs, it acts as the request chooses, and
// retries.
func (h *Chat) acceptWhileRunning(
	r *http.Request,
	p principal.Principal,
	conversation uuid.UUID,
	kind WhileRunning,
	accept func() error,
) error {
	how, err := whileRunning(r, kind)
	if err != nil {
		return err
	}
	ctx, end := sse.Open(r.Context())
	defer end()
	until := time.Now().Add(queueTimeout)
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
			// The turn has just ended, or another operation keeps the conversation busy for a moment.
			select {
			case <-time.After(turnPollInterval):
				continue
			case <-ctx.Done():
				return busy
			}
		}
		if err := h.waitForEnd(ctx, running, p, how, r.Header.Get(runningHeader) != "", until); err != nil {
			if errors.Is(err, errStillRunning) {
				return busy
			}
			return err
		}
	}
}

var errStillRunning = errors.New("the turn is still running")

// waitForEnd waits until a turn has ended, and stops it first if the request chose that and p may.
func (h *Chat) waitForEnd(ctx context.Context, running turn.Turn, p principal.Principal, how WhileRunning, chosen bool,
	until time.Time,
) error {
	stopped := false
	stop := func() error {
		stopped, until = true, time.Now().Add(stopTimeout)
		return h.stopTurn(ctx, running.ID, turn.Request{})
	}
	if how == StopRunning && mayStop(running, p, chosen) {
		if err := stop(); err != nil {
			return err
		}
	}
	if how == stopAbandoned {
		if !mayStopAbandoned(running, p) {
			return errStillRunning
		}
		until = time.Now().Add(abandonTimeout)
	}
	tick := time.NewTicker(turnPollInterval)
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
		case how == stopAbandoned && now.Abandoned && !stopped:
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

// mayStop reports whether p may stop a turn with its next message: a program only turns that it began, and a person who
// asks for it any turn of theirs.
func mayStop(running turn.Turn, p principal.Principal, chosen bool) bool {
	if running.OwnerID != p.ID {
		return false
	}
	own := p.Kind == principal.Application || running.SessionID == p.SessionID
	return own || chosen && p.Kind == principal.User && p.Client == nil
}

// mayStopAbandoned reports whether p may stop a turn that no client reads with its next message: its owner, and of the
// owner's programs only the one that began it.
func mayStopAbandoned(running turn.Turn, p principal.Principal) bool {
	return running.OwnerID == p.ID && (p.Client == nil || running.SessionID == p.SessionID)
}

// stopTurn requests the end of a turn: its model call ends at once, and the text so far is kept. It does nothing for a
// finished turn, or one that a later attempt of the request has joined.
func (h *Chat) stopTurn(ctx context.Context, id uuid.UUID, by turn.Request) error {
	stopping, err := h.Turns.Stop(ctx, id, by)
	if err != nil || !stopping {
		return err
	}
	h.signalStop(ctx, id)
	return nil
}

// signalStop wakes the workflow of a turn whose row requests a stop. A running model call polls the row.
func (h *Chat) signalStop(ctx context.Context, id uuid.UUID) {
	crash.Point("stop.after-request", id)
	if err := h.Engine.StopTurn(ctx, id); err != nil {
		h.Log.Warn("Turn was not signalled to stop", "turn", id, "error", err)
	}
	crash.Point("stop.after-signal", id)
}

const (
	// retryGrace bounds the wait for a retry after the client has closed the connection: clients retry after up to a
	// second.
	retryGrace = 3 * time.Second
	// closeTimeout bounds the work after a client has gone.
	closeTimeout = 10 * time.Second
)

// streamClosed counts a stream that ended before its turn and applies the client kind's policy. A joined stream stops
// the turn only as the last one. by is the request, by which a retry may join the turn.
func (h *Chat) streamClosed(c echo.Context, a accepted, ended error, kind ClientKind, by turn.Request) {
	// The client kind defines the meaning of a close, so the turn is not marked as abandoned.
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

// detach counts a stream as ended before its turn, and reports whether another stream is open.
func (h *Chat) detach(c echo.Context, id uuid.UUID, closed bool) (others bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Request().Context()), closeTimeout)
	defer cancel()
	open, err := h.Turns.DetachStream(ctx, id, closed)
	if err != nil {
		h.Log.Warn("Ended stream not counted", "turn", id, "error", err)
	}
	return open > 0
}
