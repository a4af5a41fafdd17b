package conversation

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"countersign/chat/conversation/conversationdb"
	"countersign/principal"
	"countersign/store"
)

// Said is what a client that keeps the history itself says has been said: the person's messages in order, the last of which is
// new, and the answers to those before it. What it says is used to find a conversation and for nothing else.
type Said struct {
	Asked    []string
	Answered []string
}

// Place is where in a conversation a client's new message belongs.
type Place struct {
	Conversation uuid.UUID
	// Next is the id of the person's message that the conversation has there already, "" at its end; Same says that it is the
	// new one once more.
	Next string
	Same bool
}

// Continue finds where p's conversation goes on to which the new message of said belongs: the one that shares the longest
// beginning with it. ok is false when none does, or when it has gone another way since what it shares.
//
// within is the conversation that the client has named. With nil it is looked for among what the same token has sent: what
// another program of the same person has asked is none of this one's, and neither is a conversation in which the person or
// another program has gone on since. An application is one program, whatever its token is at the moment.
func (s *Service) Continue(ctx context.Context, p principal.Principal, said Said, within *uuid.UUID) (place Place, ok bool, err error) {
	before := len(said.Asked) - 1
	if before < 1 {
		return place, false, nil
	}
	chain := chainOf(said.Asked)
	answered := make([][]byte, before)
	for i := range answered {
		answered[i] = answerHash(said.answer(i))
	}
	find := conversationdb.FindBranchParams{Asked: chain[:before], Answered: answered, OwnerID: p.ID, Within: within}
	if within == nil && p.Kind == principal.User {
		find.Session = &p.SessionID
	}
	row, err := s.queries(ctx).FindBranch(ctx, find)
	if store.NoRows(err) {
		return place, false, nil
	}
	if err != nil {
		return place, false, fmt.Errorf("find branch: %w", err)
	}
	if row.Others || int(row.Place) < before && row.NextID != "" {
		return place, false, nil
	}
	return Place{
		Conversation: row.ConversationID, Next: row.NextID,
		Same: row.NextID != "" && plain(row.NextContent) == plain(said.Asked[before]),
	}, true, nil
}

func (s Said) answer(i int) string {
	if i < len(s.Answered) {
		return s.Answered[i]
	}
	return ""
}

// Keep notes that the new message of said was accepted in a conversation of p under this id.
func (s *Service) Keep(ctx context.Context, p principal.Principal, conversation uuid.UUID, message string, said Said) error {
	chain := chainOf(said.Asked)
	err := s.queries(ctx).KeepBranch(ctx, conversationdb.KeepBranchParams{
		ConversationID: conversation, MessageID: message, OwnerID: p.ID, AskedHash: chain[len(chain)-1],
	})
	if err != nil {
		return fmt.Errorf("keep branch: %w", err)
	}
	return nil
}

// KeepAnswer notes what a client was answered to a message that Keep has noted.
func (s *Service) KeepAnswer(ctx context.Context, conversation uuid.UUID, message, answer string) error {
	err := s.queries(ctx).KeepAnswer(ctx, conversationdb.KeepAnswerParams{ConversationID: conversation, MessageID: message, AnswerHash: answerHash(answer)})
	if err != nil {
		return fmt.Errorf("keep answer: %w", err)
	}
	return nil
}

// chainOf are hashes over each beginning of a list of texts.
func chainOf(texts []string) [][]byte {
	chain := make([][]byte, len(texts))
	var before [sha256.Size]byte
	for i, text := range texts {
		own := sha256.Sum256([]byte(plain(text)))
		before = sha256.Sum256(append(before[:], own[:]...))
		chain[i] = append([]byte{}, before[:]...)
	}
	return chain
}

func answerHash(answer string) []byte {
	sum := sha256.Sum256([]byte(plain(answer)))
	return sum[:]
}

// plain is a text without what clients change of it: the spaces.
func plain(text string) string { return strings.Join(strings.Fields(text), " ") }
