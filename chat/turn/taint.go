package turn

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/chat/stream"
	"countersign/chat/turn/turndb"
	"countersign/principal"
	"countersign/secret/scrub"
	"countersign/store"
	"countersign/text"
	"countersign/tool/audit"
	"countersign/tool/disposition"
)

// Taints are what the conversation holds that its person has not written and not accepted, what came last first.
func (s *Session) Taints() []disposition.Taint {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.taints)
}

// Tainted reports whether the conversation holds content from outside.
func (s *Session) Tainted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.taints) > 0
}

// Taint remembers, past a crash and past the turn, that the model is shown content from outside. It comes before the
// content is recorded, so that nothing is ever shown unremembered. A memory that the person has accepted in this
// conversation is the same content as then.
func (s *Session) Taint(ctx context.Context, t disposition.Taint) error {
	t = t.Named(plain(t.Source))
	row, err := turndb.New(s.db.Conn(ctx)).TaintTurn(ctx, turndb.TaintTurnParams{
		TurnID: s.ID, ConversationID: s.ConversationID, Kind: string(t.Kind), ToolName: t.Tool, Source: t.Source,
		UnlessAccepted: t.Kind == disposition.MemoryTaint,
	})
	if store.NoRows(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("taint conversation: %w", err)
	}
	t.Seq, t.At = row.Seq, row.At
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hold(t)
	return nil
}

// hold puts a content first among those that the conversation holds.
func (s *Session) hold(t disposition.Taint) {
	s.taints = slices.DeleteFunc(s.taints, func(o disposition.Taint) bool {
		return o.Kind == t.Kind && o.Tool == t.Tool && o.Source == t.Source
	})
	s.taints = slices.Insert(s.taints, 0, t)
}

// Holds reports whether the conversation holds this content already.
func (s *Session) Holds(t disposition.Taint) bool {
	t = t.Named(plain(t.Source))
	return slices.ContainsFunc(s.Taints(), func(o disposition.Taint) bool {
		return o.Kind == t.Kind && o.Tool == t.Tool && o.Source == t.Source
	})
}

// Tainted reports whether a conversation holds content from outside that its person has not accepted.
func (s *Store) Tainted(ctx context.Context, conversation uuid.UUID) (bool, error) {
	taints, err := s.Taints(ctx, conversation)
	return len(taints) > 0, err
}

// Taints are what a conversation holds that its person has not written and not accepted, what came last first.
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

// AcceptTaints lets auto mode go on in spite of the content that a person has seen, through the one with this number, and
// returns it. The caller makes sure that it is a person who asks.
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

// programOf names the program that speaks for p, or that p is, "" where a person does. What it sends may come from a
// page that it has read, so it taints the conversation as that page would.
func programOf(p principal.Principal) string {
	var name string
	switch {
	case p.Client != nil:
		name = p.Client.Name
	case p.Kind == principal.Application:
		name = p.Name
	default:
		return ""
	}
	return disposition.Taint{}.Named(cmp.Or(plain(name), "a program")).Source
}

// plain is a name as it can be stored and shown: one line, without credentials and without what cannot be seen.
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
