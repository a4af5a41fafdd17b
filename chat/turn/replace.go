package turn

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"countersign/chat/turn/turndb"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
)

// ReplacedPrefix starts the ids of replaced messages (see ReplaceFrom). No client makes such an id.
const ReplacedPrefix = "replaced/"

// Replacement says how a message of a conversation is answered again.
type Replacement struct {
	// Regenerate requests another answer to the same text. Without it, the same text is a retry of the same request.
	Regenerate bool
	// Answer is the unwanted answer; "" for the current one. An answer that was replaced before marks the request as a
	// retry.
	Answer string
}

// AcceptReplacement replaces the message with the id of m, and everything after it, by m; an unknown message is
// accepted as by AcceptMessage. created is false for a retry. Replaced messages stay stored and applied changes stay
// applied; undecided proposals are withdrawn.
func (s *Store) AcceptReplacement(ctx context.Context, set Settings, m Message, again Replacement) (t Turn, created bool, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		var withdrawn []uuid.UUID
		t, created, err = s.acceptAgain(ctx, set, m, again, &withdrawn)
		if err == nil && len(withdrawn) > 0 {
			s.db.AfterCommit(ctx, func() { s.Withdrawals.Withdrawn(s.db.WithoutTx(ctx), withdrawn) })
		}
		return err
	})
	return t, created, err
}

// Withdrawals withdraws the proposals of turns whose messages are replaced.
type Withdrawals interface {
	// Withdraw declines undecided proposals in the transaction of ctx, and returns them for Withdrawn after the commit.
	Withdraw(ctx context.Context, p principal.Principal, turns []uuid.UUID) ([]uuid.UUID, error)
	Withdrawn(ctx context.Context, ids []uuid.UUID)
}

// Replaced reports whether the messages of a turn have been replaced.
func (s *Store) Replaced(ctx context.Context, id uuid.UUID) (bool, error) {
	replaced, err := s.queries(ctx).TurnIsReplaced(ctx, id)
	if err != nil {
		return false, fmt.Errorf("look at messages of turn: %w", err)
	}
	return replaced, nil
}

func (s *Store) acceptAgain(
	ctx context.Context,
	set Settings,
	m Message,
	again Replacement,
	withdrawn *[]uuid.UUID,
) (t Turn, created bool, err error) {
	// AcceptMessage takes these locks in the same order, so their holder has the conversation to itself.
	if _, err := turndb.New(s.db.Locked(ctx, runningLock(set))).LockConversation(ctx, set.ConversationID); err != nil && !store.NoRows(err) {
		return t, false, fmt.Errorf("lock conversation: %w", err)
	}
	row, err := s.queries(ctx).TurnByMessage(ctx, turndb.TurnByMessageParams{ConversationID: set.ConversationID, MessageID: &m.ID})
	if store.NoRows(err) {
		return s.AcceptMessage(ctx, set, m)
	}
	if err != nil {
		return t, false, fmt.Errorf("find turn of message: %w", err)
	}
	hash := sha256.Sum256([]byte(m.Text))
	repeat := bytes.Equal(row.RequestHash, hash[:])
	if again.Regenerate && repeat {
		if repeat, err = s.wasReplaced(ctx, set, row, again.Answer); err != nil {
			return t, false, err
		}
	}
	if repeat {
		return turnOf(row), false, nil
	}
	if _, busy, err := s.Active(ctx, set.ConversationID); err != nil || busy {
		return t, false, s.busy(ctx, set.ConversationID)
	}
	replaced, err := s.queries(ctx).ReplaceFrom(ctx, turndb.ReplaceFromParams{ConversationID: set.ConversationID, MessageID: m.ID})
	if err != nil {
		return t, false, fmt.Errorf("replace message: %w", err)
	}
	if s.Withdrawals != nil {
		if *withdrawn, err = s.Withdrawals.Withdraw(ctx, set.Principal, replaced); err != nil {
			return t, false, err
		}
	}
	return s.AcceptMessage(ctx, set, m)
}

// wasReplaced reports whether the unwanted answer was already replaced by that of row.
func (s *Store) wasReplaced(ctx context.Context, set Settings, row turndb.AiTurn, answer string) (bool, error) {
	if answer == "" || answer == row.AssistantMessageID {
		return false, nil
	}
	unwanted, err := s.queries(
		ctx,
	).TurnByAnswer(
		ctx,
		turndb.TurnByAnswerParams{ConversationID: set.ConversationID, AssistantMessageID: answer},
	)
	if store.NoRows(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("find turn of answer: %w", err)
	}
	if unwanted.MessageID == nil {
		return false, problem.Errorf(
			problem.Conflict,
			"This answer follows a decision about a change and cannot be had again. Write a message instead.",
		)
	}
	return strings.HasPrefix(*unwanted.MessageID, ReplacedPrefix), nil
}
