// Package activities does what workflows decide: it calls models and tools, and keeps the records that let a repeated
// step find what it did before. Each group of activities is a struct with its dependencies.
package activities

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"

	"countersign/chat/assistant"
	"countersign/chat/stream"
	"countersign/chat/turn"
	"countersign/model"
	"countersign/principal"
	"countersign/tool"
	"countersign/tool/disposition"
	"countersign/tool/invoke"
	"countersign/tool/proposal"
	"countersign/tool/spend"
	"countersign/workflows"
)

// Connection is a model that a turn can call.
type Connection struct {
	ID     uuid.UUID
	Name   string
	Client *model.Client
	// WindowTokens is the model's context window, 0 when nobody knows it.
	WindowTokens int
	// WindowOf is the window of a model in place of WindowTokens, if it is not nil.
	WindowOf func(model string) int
	// Cut, if it is not nil, is told of a request of which the server has counted far fewer tokens than were sent.
	Cut func(ctx context.Context, sent, read int) error
	// Family is the declared model family: "anthropic", "openai" or "generic".
	Family string
	// Resolve is the model to call for the one that was asked for: that, or the default if the connection no longer allows
	// it. Nil allows every model.
	Resolve func(asked string) string
	// NoClassifier leaves out the verdict about what a message is about.
	NoClassifier bool
	// SmallCallTimeout is how long a verdict, a title or a summary may take; zero leaves it to what the model is like.
	SmallCallTimeout time.Duration
	// Cap is how much the person may use; the zero Cap is none.
	Cap spend.Cap
	// Price is what tokens cost; nil when nobody has said.
	Price *spend.Price
}

// Connections finds the model connection of a turn. A connection that is gone or disabled is a problem.ModelRefused.
type Connections interface {
	Connect(ctx context.Context, id uuid.UUID) (Connection, error)
}

// ConnectionAuthors finds who has changed a model connection and holds less than its user.
type ConnectionAuthors interface {
	Connection(ctx context.Context, user principal.Principal, ids ...uuid.UUID) ([]disposition.Written, error)
}

// Spend keeps what model calls cost.
type Spend interface {
	Reserve(ctx context.Context, c spend.Call, limit spend.Cap) error
	Settle(ctx context.Context, c spend.Call, u spend.Usage) error
	Release(ctx context.Context, c spend.Call) error
}

// Memories finds the notes that a person wants in every conversation.
type Memories interface {
	// Injected also names those that were written after reading content from outside.
	Injected(ctx context.Context, p principal.Principal) (lines, outside []string, err error)
}

// Skills finds the skill that a person has active.
type Skills interface {
	Active(ctx context.Context, p principal.Principal, id string) (assistant.Skill, error)
}

// Authors finds what somebody with fewer rights than a reader has written in records.
type Authors interface {
	Lesser(ctx context.Context, reader principal.Principal, records []uuid.UUID) ([]disposition.Written, error)
}

// Turn holds the activities of a turn.
type Turn struct {
	invoke.Reads
	Sessions    *turn.Sessions[Memo]
	Connections Connections
	Principals  proposal.Principals
	Callers     proposal.Callers
	Registry    *tool.Registry
	Spend       Spend
	Proposals   *proposal.Service
	// Memories and Skills are nil where there are none.
	Memories Memories
	Skills   Skills
	// ConnectionAuthors says who has changed model connections; nil where nobody can. It holds whatever Authors is.
	ConnectionAuthors ConnectionAuthors
	// Authors is nil where it does not matter who has written what is read.
	Authors Authors
	Log     *slog.Logger
	// Detach runs something beside the turn, or drops it when the process is busy or drains. Nil drops everything.
	Detach func(func(ctx context.Context))
	// EarlyTimeout ends a model call that Begin makes; workflows.StepTimeout when zero.
	EarlyTimeout time.Duration
	// AheadTrust is for how long what was loaded ahead is as good as what the database says, counted from when it was
	// asked for; a second when zero.
	AheadTrust time.Duration
	// Zone is the time zone of people whose browser names none; UTC when nil.
	Zone *time.Location
	// Clock is the time that the model is told; time.Now outside of tests.
	Clock func() time.Time
}

// enter opens the turn for a step. over is set when the turn has ended; leave must be called otherwise.
func (a *Turn) enter(ctx context.Context, id uuid.UUID, step, call int) (s *session, leave func(), over bool, err error) {
	for {
		s, err = a.Sessions.Open(ctx, id)
		if errors.Is(err, turn.ErrFinal) {
			return nil, nil, true, nil
		}
		if err != nil {
			return nil, nil, false, elsewhere(err)
		}
		if leave, err = s.Enter(ctx, step, call); err != nil {
			return nil, nil, false, err
		}
		if a.Sessions.Current(s.Session) {
			return s, leave, false, nil
		}
		// The turn was lost, or has ended, while this waited for the same step.
		leave()
	}
}

// note is derived from the stored proposal alone, so no text of a client reaches the model with it.
func (a *Turn) note(ctx context.Context, s *session) (string, error) {
	if s.Proposal == nil {
		return "", nil
	}
	found, err := decisionNote(ctx, a.Proposals, a.Registry, *s.Proposal)
	if err != nil {
		return "", err
	}
	for _, t := range found.taints {
		if err := s.Taint(ctx, t); err != nil {
			return "", err
		}
	}
	return found.text, nil
}

// FinishTurn stores the answer and ends the stream. A turn that is over already is left alone.
func (a *Turn) FinishTurn(ctx context.Context, in workflows.FinishTurnInput) (workflows.FinishTurnOutput, error) {
	var out workflows.FinishTurnOutput
	s, err := a.Sessions.Open(ctx, in.TurnID)
	if errors.Is(err, turn.ErrFinal) {
		return out, nil
	}
	if err != nil {
		return out, elsewhere(err)
	}
	o := turn.Outcome{Status: turn.Status(in.Status)}
	if in.Failure != nil {
		o.Failure = &turn.Failure{Code: in.Failure.Code, Message: in.Failure.Message}
	}
	if err := a.fenced(s, a.Sessions.Finish(ctx, s.Session, o)); err != nil {
		return out, err
	}
	if o.Status == turn.Done {
		a.compactAhead(ctx, s)
	}
	return out, nil
}

// fenced forgets a session whose turn another process has.
func (a *Turn) fenced(s *session, err error) error {
	if !errors.Is(err, stream.ErrFenced) {
		return err
	}
	a.Sessions.Fenced(s.Session)
	a.Log.Warn("Turn was taken over by another process", "turn", s.ID)
	return elsewhere(err)
}

// lookAgain is how soon a step that has found its turn elsewhere is tried again. It is shorter than a workflow task, which
// would be ended for a longer pause.
const lookAgain = 2 * time.Second

// elsewhere has a step repeated whose turn another process has. One of the two has stale workflow code, and which one only the
// Temporal server knows: it drops that code, and the step is not repeated any more. The other one opens the turn anew, and
// finds what was recorded meanwhile.
func elsewhere(err error) error {
	if !errors.Is(err, stream.ErrFenced) && !errors.Is(err, turn.ErrElsewhere) {
		return err
	}
	return temporal.NewApplicationErrorWithOptions("another process runs this turn", workflows.FencedError,
		temporal.ApplicationErrorOptions{NextRetryDelay: lookAgain, Cause: err})
}

func hostFailure(what string, err error) error { return fmt.Errorf("%s: %w", what, err) }
