package conversation

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"countersign/chat/conversation/conversationdb"
	"countersign/chat/stream"
	"countersign/internal/principal"
	"countersign/internal/secret/scrub"
)

const (
	// maxExchanges bounds the compared part of a history: its newest exchanges.
	maxExchanges = 64
	// maxStored bounds the messages of a conversation that a history is compared with: the newest.
	maxStored = 200
	// maxCandidateExchanges bounds the same with client histories included.
	maxCandidateExchanges = 4 * maxStored
)

// Exchange is a message of the person and its answer, as a client sends them. The first one of a truncated history has
// only an answer.
type Exchange struct {
	Asked    string
	Answered string
	// Turn is the turn by which a client refers to the answer in place of its text, or beside it.
	Turn uuid.UUID
	// Results are those of the client's own tools.
	Results []string
}

func (e Exchange) empty() bool {
	return e.Asked == "" && e.Answered == "" && e.Turn == uuid.Nil && len(e.Results) == 0
}

// ClientInput is the content of a client that keeps the history itself: instructions, the exchanges so far, and the new
// message.
type ClientInput struct {
	Instructions []string
	Exchanges    []Exchange
	Message      string
}

// Continuation is the place of a client's new message in a conversation.
type Continuation struct {
	Conversation uuid.UUID
	// NextMessageID is the id of the person's message that the conversation already has there, "" at its end; RepeatsNext says that it
	// equals the new one.
	NextMessageID string
	RepeatsNext   bool
	// ClientHistory is the part of the sent history that the conversation does not hold.
	ClientHistory ClientHistory
}

// ClientHistory is a client's own history before its message, without messages that are known here.
type ClientHistory struct {
	Messages []ClientMessage
	// LeftOut counts the messages beyond the limits.
	LeftOut int

	asked, answered [][]byte
}

// ClientMessage is a message of a client's own history.
type ClientMessage struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// Continue finds the conversation and place that the new message of input continues: the one with the best run of the
// sent exchanges. Any such run matches, as clients drop the oldest messages, summarize them, or send another text than
// the first time; see match. ok is false without a match, or when the conversation has continued differently since;
// ClientHistory then has the whole history.
//
// within is the conversation that the client has named. With nil, the candidates are what the same token has sent:
// neither requests of another program of the person match, nor a conversation that the person or another program has
// continued since. An application is one program, whatever its current token.
func (s *Service) Continue(
	ctx context.Context, p principal.Principal, input ClientInput, within *uuid.UUID,
) (continuation Continuation, ok bool, err error) {
	sent, older := newestOf(input.Exchanges)
	hashed := hashesOf(sent)
	var ids []uuid.UUID
	if within != nil {
		ids = []uuid.UUID{*within}
	} else if ids, err = s.candidates(ctx, p, hashed); err != nil {
		return continuation, false, err
	}
	candidates, err := s.exchanges(ctx, p, ids, within != nil)
	if err != nil {
		return continuation, false, err
	}
	if len(candidates) == 0 {
		return Continuation{ClientHistory: unknownHistory(input.Instructions, sent, hashed, nil, older)}, false, nil
	}
	found, ok := match(hashed, candidates, older > 0, hash(input.Message), within != nil)
	switch {
	case !ok && within == nil:
		return Continuation{ClientHistory: unknownHistory(input.Instructions, sent, hashed, nil, older)}, false, nil
	case !ok:
		// The message is the next one there, whatever the client believes.
		found = matched{conversation: *within, known: candidates[0].knows(hashed), edited: candidates[0].edited(hashed)}
	}
	if err := s.reduceEdited(ctx, found, sent, hashed); err != nil {
		return continuation, false, err
	}
	return Continuation{
		Conversation: found.conversation, NextMessageID: found.next, RepeatsNext: found.same,
		ClientHistory: unknownHistory(nil, sent, hashed, found.known, 0),
	}, true, nil
}

// reduceEdited reduces exchanges whose questions the client has edited to these questions, for the model. A question that
// was sent inside another text, such as one with documents, is not an edited one.
func (s *Service) reduceEdited(ctx context.Context, found matched, sent []Exchange, hashed []hashes) error {
	if len(found.edited) == 0 {
		return nil
	}
	rows, err := s.queries(ctx).MessageTexts(ctx, conversationdb.MessageTextsParams{
		ConversationID: found.conversation, Ids: slices.Collect(maps.Values(found.edited)),
	})
	if err != nil {
		return fmt.Errorf("load edited messages: %w", err)
	}
	texts := map[string]string{}
	for _, row := range rows {
		texts[row.ID] = comparableText(row.Content)
	}
	for i, id := range found.edited {
		if !strings.Contains(texts[id], comparableText(sent[i].Asked)) {
			sent[i], hashed[i], found.known[i] = Exchange{Asked: sent[i].Asked}, hashes{asked: hashed[i].asked}, false
		}
	}
	return nil
}

// newestOf is the compared part of a history, with the number of older messages.
func newestOf(all []Exchange) (newest []Exchange, older int) {
	all = slices.DeleteFunc(slices.Clone(all), Exchange.empty)
	cut := max(len(all)-maxExchanges, 0)
	for _, e := range all[:cut] {
		older += len(e.messages())
	}
	return all[cut:], older
}

func (s *Service) candidates(ctx context.Context, p principal.Principal, sent []hashes) ([]uuid.UUID, error) {
	find := conversationdb.SentCandidatesParams{ClientID: clientOf(p), OwnerID: p.ID}
	for _, e := range sent {
		if e.asked != nil {
			find.Questions = append(find.Questions, e.asked)
		}
		if e.answered != nil {
			find.Answers = append(find.Answers, e.answered)
		}
		if e.turn != uuid.Nil {
			find.Turns = append(find.Turns, e.turn)
		}
	}
	if len(sent) == 0 {
		return nil, nil
	}
	ids, err := s.queries(ctx).SentCandidates(ctx, find)
	if err != nil {
		return nil, fmt.Errorf("find conversations of a history: %w", err)
	}
	return ids, nil
}

func (s *Service) exchanges(ctx context.Context, p principal.Principal, ids []uuid.UUID, named bool) ([]candidate, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := s.queries(ctx).SentExchanges(ctx, conversationdb.SentExchangesParams{Conversations: ids, Most: maxStored})
	if err != nil {
		return nil, fmt.Errorf("load exchanges of a history: %w", err)
	}
	client := clientOf(p)
	var all []candidate
	byID := map[uuid.UUID]int{}
	for _, row := range rows {
		at, ok := byID[row.ConversationID]
		if !ok {
			at = len(all)
			byID[row.ConversationID] = at
			all = append(all, candidate{conversation: row.ConversationID})
		}
		c := &all[at]
		for i, asked := range row.ToldAsked {
			c.exchanges = append(c.exchanges, exchange{hashes: hashes{
				asked:    notEmpty(asked),
				answered: notEmpty(row.ToldAnswered[i]),
			}, fromClient: true})
		}
		c.exchanges = append(c.exchanges, exchange{
			hashes: hashes{asked: row.QuestionHash, answered: row.AnswerHash, turn: row.TurnID},
			id:     row.ID, canContinue: row.ClientID != nil && (named || *row.ClientID == client), at: row.CreatedAt,
		})
		c.stored++
	}
	for i := range all {
		all[i].cut = all[i].stored == maxStored
		if older := len(all[i].exchanges) - maxCandidateExchanges; older > 0 {
			all[i].exchanges, all[i].cut = all[i].exchanges[older:], true
		}
	}
	return all, nil
}

// clientOf is the id of the calling program: the sign-in of a chat token, or the application.
func clientOf(p principal.Principal) uuid.UUID {
	if p.Kind == principal.Application {
		return p.ID
	}
	return p.SessionID
}

// RecordClientMessage stores that the new message of input was accepted in a conversation of p as this turn, and its client
// history. It joins the transaction that accepted the turn.
func (s *Service) RecordClientMessage(ctx context.Context, p principal.Principal, conversation, turn uuid.UUID, message string,
	input ClientInput, history ClientHistory,
) error {
	err := s.queries(ctx).RecordClientMessage(ctx, conversationdb.RecordClientMessageParams{
		ConversationID: conversation, MessageID: message, OwnerID: p.ID, ClientID: clientOf(p), QuestionHash: hash(input.Message),
	})
	if err != nil {
		return fmt.Errorf("keep message of a client: %w", err)
	}
	return s.StoreClientHistory(ctx, turn, history)
}

// InitialClientHistory is the client history for the model with the first message of a conversation. Later messages use the
// conversation itself, whatever the client believes. Instructions without a history belong to the client.
func (s *Service) InitialClientHistory(
	ctx context.Context, conversation uuid.UUID, message string, input ClientInput,
) (history ClientHistory, err error) {
	sent, older := newestOf(input.Exchanges)
	if len(sent) == 0 {
		return history, nil
	}
	begun, err := s.queries(ctx).ConversationBegun(ctx,
		conversationdb.ConversationBegunParams{ConversationID: conversation, MessageID: message})
	if err != nil {
		return history, fmt.Errorf("look for messages of a conversation: %w", err)
	}
	if begun {
		return history, nil
	}
	return unknownHistory(input.Instructions, sent, hashesOf(sent), nil, older), nil
}

// StoreClientHistory stores the part of a sent history that the model gets in a turn. It joins the transaction that
// accepted the turn.
func (s *Service) StoreClientHistory(ctx context.Context, turn uuid.UUID, history ClientHistory) error {
	if history.Empty() {
		return nil
	}
	messages, err := json.Marshal(history.Messages)
	if err != nil {
		return fmt.Errorf("encode history of a client: %w", err)
	}
	err = s.queries(ctx).StoreClientHistory(ctx, conversationdb.StoreClientHistoryParams{
		TurnID: turn, Messages: messages, LeftOut: int32(history.LeftOut), Asked: history.asked, Answered: history.answered,
	})
	if err != nil {
		return fmt.Errorf("keep history of a client: %w", err)
	}
	return nil
}

// RecordClientAnswer stores the answer that a client got to a message that RecordClientMessage has stored.
func (s *Service) RecordClientAnswer(ctx context.Context, conversation uuid.UUID, message, answer string) error {
	err := s.queries(ctx).RecordClientAnswer(ctx, conversationdb.RecordClientAnswerParams{
		ConversationID: conversation,
		MessageID:      message, AnswerHash: hash(answer),
	})
	if err != nil {
		return fmt.Errorf("keep answer: %w", err)
	}
	return nil
}

// hashes are those of an exchange; nil where there is no text.
type hashes struct {
	asked, answered []byte
	turn            uuid.UUID
}

func hashesOf(exchanges []Exchange) []hashes {
	all := make([]hashes, len(exchanges))
	for i, e := range exchanges {
		all[i] = hashes{asked: hash(e.Asked), answered: hash(e.Answered), turn: e.Turn}
	}
	return all
}

// hash is that of a text, nil for no text.
func hash(text string) []byte {
	text = comparableText(text)
	if text == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

// comparableText is a stored text without what clients change in it: spaces and the Unicode normalization form.
func comparableText(text string) string {
	return strings.Join(strings.Fields(scrub.Text(stream.Clean(norm.NFC.String(text)))), " ")
}

func notEmpty(hash []byte) []byte {
	if len(hash) == 0 {
		return nil
	}
	return hash
}

// candidate is a conversation that a history is compared with.
type candidate struct {
	conversation uuid.UUID
	exchanges    []exchange
	// stored counts those that are messages here. cut says that there may be older ones.
	stored int
	cut    bool
}

// exchange is one exchange of a conversation: a message of the person, or one of a client's history.
type exchange struct {
	hashes

	id         string
	fromClient bool
	// canContinue says that the client may continue behind it.
	canContinue bool
	at          time.Time
}
