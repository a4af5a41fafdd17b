// Package activities implements the steps of workflows: it calls models and tools, and keeps the records that make
// retries idempotent. Each group of activities is a struct with its dependencies.
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
	"countersign/internal/principal"
	"countersign/model"
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
	// Revision changes with the connection's settings.
	Revision int64
	// ProviderRevision is the revision since which requests go to the same server in the same way.
	ProviderRevision int64
	// WindowTokens is the model's context window, 0 when unknown.
	WindowTokens int
	// WindowOf is the window of a model in place of WindowTokens, if it is not nil.
	WindowOf func(model string) int
	// Figures are what calls have shown of the turn's model, and FiguresOf of any model, if it is not nil.
	Figures   model.Figures
	FiguresOf func(model string) model.Figures
	// Learn stores figures of a model with the connection, for all later turns; nil does not.
	Learn func(ctx context.Context, model string, seen model.Figures) error
	// Silence is the time for which the provider may be silent in an answer, and at least before it.
	Silence time.Duration
	// RecordTruncation records that the server counted far fewer tokens of a request than it got (silent truncation); nil for
	// a server whose counts say nothing.
	RecordTruncation func(ctx context.Context, sent, read int) error
	// Family is the declared model family: "anthropic", "openai" or "generic".
	Family string
	// Resolve returns the model to call for a requested one: that, or the default if the connection no longer allows it.
	// Nil allows every model.
	Resolve func(asked string) string
	// MaxTools is how many tools a request may offer, 0 when the connection does not say.
	MaxTools int
	// FirstTokenTimeout bounds the wait for the first word of an answer; zero when the connection does not say.
	FirstTokenTimeout time.Duration
	// IsOwnServer is set for a server in a private network, which may compute one request at a time.
	IsOwnServer bool
	// NoClassifier disables the off-topic check.
	NoClassifier bool
	// SmallCallTimeout bounds a verdict, a title or a summary; zero leaves the default for the model.
	SmallCallTimeout time.Duration
	// Cap is the person's spend cap; the zero Cap is none.
	Cap spend.Cap
	// Price is the price of tokens; nil when unknown.
	Price *spend.Price
}

// forModel returns the connection with the window and the figures of a requested model, and the model to call.
func (c Connection) forModel(asked string) (Connection, string) {
	if c.Resolve != nil {
		asked = c.Resolve(asked)
	}
	if c.WindowOf != nil {
		c.WindowTokens = c.WindowOf(asked)
	}
	if c.FiguresOf != nil {
		c.Figures = c.FiguresOf(asked)
	}
	return c, asked
}

// Connections finds the model connection of a turn. A connection that is gone or disabled is a problem.ModelRefused.
type Connections interface {
	Connect(ctx context.Context, id uuid.UUID) (Connection, error)
}

// ConnectionAuthors finds less-privileged users who have changed a model connection.
type ConnectionAuthors interface {
	Connection(ctx context.Context, user principal.Principal, ids ...uuid.UUID) ([]disposition.Written, error)
}

// Spend is the ledger of model calls.
type Spend interface {
	Reserve(ctx context.Context, c spend.Call, limit spend.Cap) error
	Settle(ctx context.Context, c spend.Call, u spend.Usage) error
	Release(ctx context.Context, c spend.Call) error
}

// Memories finds the notes that a person has for every conversation.
type Memories interface {
	// Injected also returns the hints of those that were written after reading untrusted content.
	Injected(ctx context.Context, p principal.Principal) (lines, outside []string, err error)
}

// Skills finds a person's active skill.
type Skills interface {
	Active(ctx context.Context, p principal.Principal, id string) (assistant.Skill, error)
}

// Authors finds the content of less-privileged users in records.
type Authors interface {
	LessPrivileged(ctx context.Context, reader principal.Principal, records []uuid.UUID) ([]disposition.Written, error)
}

// Runs finds what becomes of the changes of a run.
type Runs interface {
	Policy(ctx context.Context, run uuid.UUID) (disposition.RunPolicy, error)
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
	Runs        Runs
	// Memories and Skills are nil where there are none.
	Memories Memories
	Skills   Skills
	// ConnectionAuthors is nil where model connections have no authors. It applies whatever Authors is.
	ConnectionAuthors ConnectionAuthors
	// Authors is nil where the authors of records do not matter.
	Authors Authors
	Log     *slog.Logger
	// ContentKey is the secret of the keys of withheld content.
	ContentKey []byte
	// Lost counts losses of a conversation for the operator; nil counts none.
	Lost func(kind turn.NoticeKind)
	// Detach runs a function beside the turn, or drops it when the process is busy or shuts down. Nil drops everything.
	Detach func(func(ctx context.Context))
	// EarlyTimeout bounds a model call of StartFirstModelCall; workflows.StepTimeout when zero.
	EarlyTimeout time.Duration
	// PrefetchMaxAge is the age up to which a prefetched turn context is used; a second when zero.
	PrefetchMaxAge time.Duration
	// Zone is the time zone of people whose browser sends none; UTC when nil.
	Zone *time.Location
	// Clock is the model's clock; time.Now outside of tests.
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
			return nil, nil, false, retryWhereClaimed(err)
		}
		if leave, err = s.Enter(ctx, step, call); err != nil {
			return nil, nil, false, err
		}
		if a.Sessions.IsCurrent(s.Session) {
			return s, leave, false, nil
		}
		// The turn was lost, or has ended, while this waited for the same step.
		leave()
	}
}

// note describes the decision that the turn follows. It uses the stored proposal alone, so no text of a client reaches
// the model with it.
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

// FinishTurn stores the answer and ends the stream. A turn that has already ended stays as it is.
func (a *Turn) FinishTurn(ctx context.Context, in workflows.FinishTurnInput) (workflows.FinishTurnOutput, error) {
	var out workflows.FinishTurnOutput
	s, err := a.Sessions.Open(ctx, in.TurnID)
	if errors.Is(err, turn.ErrFinal) {
		return out, nil
	}
	if err != nil {
		return out, retryWhereClaimed(err)
	}
	o := turn.Outcome{Status: turn.Status(in.Status)}
	if in.Failure != nil {
		o.Failure = &turn.Failure{Code: in.Failure.Code, Message: in.Failure.Message}
	}
	if err := a.handleFenced(s, a.Sessions.Finish(ctx, s.Session, o)); err != nil {
		return out, err
	}
	if o.Status == turn.Done {
		a.compactForNext(ctx, s)
	}
	return out, nil
}

// handleFenced evicts a session after another process claimed its turn.
func (a *Turn) handleFenced(s *session, err error) error {
	if !errors.Is(err, stream.ErrFenced) {
		return err
	}
	a.Sessions.MarkLost(s.Session)
	a.Log.Warn("Turn claimed by another process", "turn", s.ID)
	return retryWhereClaimed(err)
}

// fencedRetryDelay is the backoff of a step whose turn another process has claimed. It is shorter than a workflow task,
// which a longer pause would end.
const fencedRetryDelay = 2 * time.Second

// retryWhereClaimed makes a step retry whose turn another process has claimed. One of the two has stale workflow code,
// and only the Temporal server knows which: it drops that code and its retries. The other one claims the turn again,
// and finds what was recorded meanwhile.
func retryWhereClaimed(err error) error {
	if !errors.Is(err, stream.ErrFenced) && !errors.Is(err, turn.ErrElsewhere) {
		return err
	}
	return temporal.NewApplicationErrorWithOptions("another process runs this turn", workflows.FencedError,
		temporal.ApplicationErrorOptions{NextRetryDelay: fencedRetryDelay, Cause: err})
}

func serverError(what string, err error) error { return fmt.Errorf("%s: %w", what, err) }
