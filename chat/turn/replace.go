package turn

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"countersign/chat/turn/turndb"
	"countersign/principal"
	"countersign/problem"
	"countersign/store"
)

// ReplacedPrefix begins the ids that messages have once they are replaced: see ReplaceFrom. No client makes such an id.
const ReplacedPrefix = "replaced/"

// Again says which message of a conversation is to be answered again.
type Again struct {
	// Regenerate asks for another answer to the same text. Without it, the same text is the same request as before.
	Regenerate bool
	// Answer is the answer that is not wanted; "" for whichever there is. One that was replaced before tells that the request
	// is a repeat.
	Answer string
}

// AcceptAgain takes the message with the id of m, and what came after it, out of the conversation, and accepts m in its place;
// a message that the conversation does not hold is accepted as AcceptMessage does. created is false when this had happened
// before. What was replaced stays stored, and what its tools did stays done; what it has proposed and nobody has decided is withdrawn.
func (s *Store) AcceptAgain(ctx context.Context, set Settings, m Message, again Again) (t Turn, created bool, err error) {
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

// Withdrawals take back what turns have proposed whose messages are replaced.
type Withdrawals interface {
	// Withdraw declines what nobody has decided, in the transaction of ctx, and returns it for Withdrawn, which comes after that.
	Withdraw(ctx context.Context, p principal.Principal, turns []uuid.UUID) ([]uuid.UUID, error)
	Withdrawn(ctx context.Context, ids []uuid.UUID)
}

// Replaced reports whether the messages of a turn are no part of their conversation any more.
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
	again Again,
	withdrawn *[]uuid.UUID,
) (t Turn, created bool, err error) {
	// Accepting a message takes these locks in the same order, so whoever holds them is alone with the conversation.
	if _, err := turndb.New(s.db.Locked(ctx, running(set))).LockConversation(ctx, set.ConversationID); err != nil && !store.NoRows(err) {
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

// wasReplaced reports whether the answer that is not wanted has made place for the one of row before.
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
