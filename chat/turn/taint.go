package turn

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/chat/stream"
	"countersign/chat/turn/turndb"
	"countersign/internal/principal"
	"countersign/internal/secret/scrub"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/tool/disposition"
)

// Taints returns the untrusted content of the conversation that its person has not accepted, newest first.
func (s *Session) Taints() []disposition.Taint {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.taints)
}

// ReadTaints reads the untrusted content again, which other turns of the same run add to.
func (s *Session) ReadTaints(ctx context.Context) error {
	rows, err := turndb.New(s.db.Conn(ctx)).TurnTaints(ctx, s.ID)
	if err != nil {
		return fmt.Errorf("list taints: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taints = nil
	for _, row := range rows {
		s.taints = append(s.taints, taintOf(row))
	}
	return nil
}

// Tainted reports whether the conversation holds untrusted content (prompt-injection taint).
func (s *Session) Tainted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.taints) > 0
}

// Taint records durably that the model is about to get untrusted content. The record precedes the content's, so that no
// crash can lose it. A memory that the person has accepted in this conversation adds no new taint.
func (s *Session) Taint(ctx context.Context, t disposition.Taint) error {
	t = t.Named(plain(t.Source))
	params := taintParams(s.ID, s.ConversationID, t)
	params.UnlessAccepted = t.Kind == disposition.MemoryTaint
	row, err := turndb.New(s.db.Conn(ctx)).TaintTurn(ctx, params)
	if store.NoRows(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("taint conversation: %w", err)
	}
	t.Seq, t.At = row.Seq, row.At
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addTaint(t)
	return nil
}

// Taint is Session.Taint for untrusted content in the message of a turn, in the transaction that accepts it.
func (s *Store) Taint(ctx context.Context, t Turn, taints []disposition.Taint) error {
	for _, one := range taints {
		if _, err := s.queries(ctx).TaintTurn(ctx, taintParams(t.ID, t.ConversationID, one.Named(plain(one.Source)))); err != nil {
			return fmt.Errorf("taint conversation: %w", err)
		}
	}
	return nil
}

func taintParams(turn, conversation uuid.UUID, t disposition.Taint) turndb.TaintTurnParams {
	return turndb.TaintTurnParams{
		TurnID: turn, ConversationID: conversation, Kind: string(t.Kind), ToolName: t.Tool, Source: t.Source,
	}
}

// addTaint puts a taint first.
func (s *Session) addTaint(t disposition.Taint) {
	s.taints = slices.DeleteFunc(s.taints, func(o disposition.Taint) bool {
		return o.Kind == t.Kind && o.Tool == t.Tool && o.Source == t.Source
	})
	s.taints = slices.Insert(s.taints, 0, t)
}

// HasTaint reports whether the conversation already has this taint.
func (s *Session) HasTaint(t disposition.Taint) bool {
	t = t.Named(plain(t.Source))
	return slices.ContainsFunc(s.Taints(), func(o disposition.Taint) bool {
		return o.Kind == t.Kind && o.Tool == t.Tool && o.Source == t.Source
	})
}

// Tainted reports whether a conversation holds untrusted content that its person has not accepted.
func (s *Store) Tainted(ctx context.Context, conversation uuid.UUID) (bool, error) {
	taints, err := s.Taints(ctx, conversation)
	return len(taints) > 0, err
}

// Taints returns the untrusted content of a conversation that its person has not accepted, newest first.
func (s *Store) Taints(ctx context.Context, conversation uuid.UUID) ([]disposition.Taint, error) {
	rows, err := s.queries(ctx).ConversationTaints(ctx, conversation)
	if err != nil {
		return nil, fmt.Errorf("list taints: %w", err)
	}
	taints := make([]disposition.Taint, 0, len(rows))
	for _, row := range rows {
		taints = append(taints, taintOf(turndb.TurnTaintsRow(row)))
	}
	return taints, nil
}

// AcceptTaints accepts the untrusted content that a person has seen, up to the given number, so that auto mode
// continues, and returns it. The caller makes sure that the principal is a person.
func (s *Store) AcceptTaints(ctx context.Context, conversation, person uuid.UUID, through int64) ([]disposition.Taint, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) ([]disposition.Taint, error) {
		rows, err := s.queries(
			ctx,
		).AcceptTaints(
			ctx,
			turndb.AcceptTaintsParams{ConversationID: conversation, AcceptedByID: person, Through: through},
		)
		if err != nil {
			return nil, fmt.Errorf("accept taints: %w", err)
		}
		taints := make([]disposition.Taint, 0, len(rows))
		for _, row := range rows {
			taints = append(taints, taintOf(turndb.TurnTaintsRow(row)))
		}
		if len(taints) == 0 {
			return taints, nil
		}
		return taints, audit.Record(ctx, s.db, audit.Event{
			Action: audit.Changed, Object: audit.Object("ai.conversation", conversation, ""),
			Summary: fmt.Sprintf("Auto mode may go on in spite of content from outside (%d sources)", len(taints)),
		})
	})
}

// programOf names the program that acts for p, or that p is; "" for a person. Its messages may come from a page that it
// has read, so they taint the conversation. The message of a run is a text of its definition; its caller names the rest.
func programOf(p principal.Principal) string {
	var name string
	switch {
	case p.Client != nil:
		name = p.Client.Name
	case p.Kind == principal.Application && p.Run == nil:
		name = p.Name
	default:
		return ""
	}
	return disposition.Taint{}.Named(cmp.Or(plain(name), "a program")).Source
}

// plain is a name to store and show: one line, without credentials and invisible characters.
func plain(source string) string {
	source = strings.Map(func(r rune) rune {
		if text.Disguises(r) {
			return -1
		}
		return r
	}, scrub.Text(stream.Clean(source)))
	return strings.Join(strings.Fields(source), " ")
}

func taintOf(row turndb.TurnTaintsRow) disposition.Taint {
	return disposition.Taint{Seq: row.Seq, Kind: disposition.TaintKind(row.Kind), Tool: row.ToolName, Source: row.Source, At: row.At}
}
