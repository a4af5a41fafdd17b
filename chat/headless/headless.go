// Package headless starts turns of applications in which no person takes part: the steps of a run that ask a model. The
// workflow of chats answers them, with its tools, budgets and records.
package headless

import (
	"context"
	"log/slog"
	"unicode/utf8"

	"github.com/google/uuid"

	"countersign/chat/conversation"
	"countersign/chat/turn"
	"countersign/event"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret/scrub"
	"countersign/internal/store"
	"countersign/tool/disposition"
)

const (
	// maxKey and maxText bound a request, in characters, and maxTaints its sources.
	maxKey    = 200
	maxText   = 100_000
	maxTaints = 100
)

// Runs finds the application that acts in a run, and what becomes of the changes of the run.
type Runs interface {
	// Principal returns problem.Unauthorized for a run that may not act any more.
	Principal(ctx context.Context, run uuid.UUID) (principal.Principal, error)
	Policy(ctx context.Context, run uuid.UUID) (disposition.RunPolicy, error)
}

// Engine starts the workflows of turns, idempotently.
type Engine interface {
	StartTurnOf(ctx context.Context, id uuid.UUID, set turn.Settings) error
}

// Options are the dependencies of a Service.
type Options struct {
	DB            *store.DB
	Log           *slog.Logger
	Runs          Runs
	Conversations *conversation.Service
	Turns         *turn.Store
	Engine        Engine
	// Admit resolves connection and model as conversation.Connections.Settle does, and refuses a turn over the
	// connection's spend cap.
	Admit func(ctx context.Context, p principal.Principal, connection *uuid.UUID, model string) (uuid.UUID, string, error)
}

// Service starts turns of runs. No route leads to it.
type Service struct{ Options }

// New makes a service.
func New(o Options) *Service { return &Service{o} }

// Request asks a model in a run.
type Request struct {
	Run uuid.UUID
	// Key names the step of the run: a repeat with the same key and text finds its turn. Each key is a conversation of its
	// own.
	Key string
	// Text is what the definition says. Content from elsewhere in it is named by Taints.
	Text string
	// ConnectionID and Model choose the model; the default one when empty.
	ConnectionID *uuid.UUID
	Model        string
	// TimeZone is the IANA name of the zone in which the model reads times; that of the host when empty.
	TimeZone string
	// Taints are the sources of untrusted content in Text. They taint the whole run.
	Taints []disposition.Taint
}

// Start accepts the turn that answers a request, once, and starts its workflow. created is false for a repeat. A turn
// whose workflow does not start now is started by the reconciler.
func (s *Service) Start(ctx context.Context, r Request) (t turn.Turn, created bool, err error) {
	if err := r.check(); err != nil {
		return t, false, err
	}
	if cause := event.CauseOf(ctx); cause.Run == "" {
		// Events of the turn name the run.
		cause.Run = r.Run.String()
		ctx = event.WithCause(ctx, cause)
	}
	p, err := s.Runs.Principal(ctx, r.Run)
	if err != nil {
		return t, false, err
	}
	set, err := s.settings(ctx, p, r)
	if err != nil {
		// A turn that was accepted before the spend cap was reached goes on.
		if known, ok, findErr := s.Turns.OfMessage(ctx, ConversationID(r.Run, r.Key), r.Key); findErr == nil && ok {
			return known, false, nil
		}
		return t, false, err
	}
	err = s.DB.InTx(ctx, func(ctx context.Context) error {
		err := s.Conversations.CreateInRun(ctx, p, conversation.RunConversation{
			ID: set.ConversationID, ConnectionID: set.ConnectionID, Model: set.Model, Mode: set.PermissionMode,
		})
		if err != nil {
			return err
		}
		t, created, err = s.Turns.AcceptMessage(ctx, set, turn.Message{ID: r.Key, Text: scrub.Text(r.Text)})
		if err != nil || !created {
			return err
		}
		return s.Turns.Taint(ctx, t, r.Taints)
	})
	if err != nil {
		return t, false, err
	}
	if !t.Status.Final() {
		if err := s.Engine.StartTurnOf(context.WithoutCancel(ctx), t.ID, set); err != nil {
			s.Log.Warn("Turn did not start at once", "turn", t.ID, "run", r.Run, "error", err)
		}
	}
	return t, created, nil
}

func (r Request) check() error {
	var issues problem.Issues
	if n := utf8.RuneCountInString(r.Key); n < 1 || n > maxKey {
		issues.Report("key", "must have 1 to 200 characters")
	}
	if n := utf8.RuneCountInString(r.Text); n < 1 || n > maxText {
		issues.Report("text", "must have 1 to 100000 characters")
	}
	if len(r.Taints) > maxTaints {
		issues.Report("taints", "must name at most 100 sources")
	}
	return issues.Err()
}

// settings are those of the turn, from the policy of its run.
func (s *Service) settings(ctx context.Context, p principal.Principal, r Request) (turn.Settings, error) {
	policy, err := s.Runs.Policy(ctx, r.Run)
	if err != nil {
		return turn.Settings{}, err
	}
	mode := disposition.Approve
	if len(policy.Apply) > 0 {
		mode = disposition.Auto
	}
	connection, model, err := s.Admit(ctx, p, r.ConnectionID, r.Model)
	if err != nil {
		return turn.Settings{}, err
	}
	return turn.Settings{
		ConversationID: ConversationID(r.Run, r.Key), Principal: p, ConnectionID: connection, Model: model, PermissionMode: mode,
		TimeZone: r.TimeZone,
	}, nil
}

// ConversationID is the id of the conversation of a step of a run.
func ConversationID(run uuid.UUID, key string) uuid.UUID {
	return uuid.NewSHA1(run, []byte("conversation/"+key))
}
