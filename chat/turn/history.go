package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/chat/assistant"
	"countersign/chat/turn/turndb"
	"countersign/model"
)

// Row is one stored message of the conversation in the form for the model: a person's message, or an answer with its
// tool calls and results.
type Row struct {
	Position int64
	// IsCurrent is set for the message that the turn answers.
	IsCurrent bool
	Messages  []model.Message
	// PersonText are the person's own words, "" for an answer and for a picked option of a question, which a model wrote.
	PersonText string
}

// rowsOf converts stored messages for the model. A message with an unreadable record falls back to its text.
func rowsOf(stored []turndb.TurnHistoryRow, current uuid.UUID) (rows []Row, lastSeen time.Time) {
	var before uuid.UUID
	for _, m := range stored {
		row := Row{Position: m.Position, IsCurrent: m.TurnID == current}
		if !row.IsCurrent {
			lastSeen = m.CreatedAt
		}
		switch {
		case len(m.ModelMessages) > 0 && json.Unmarshal(m.ModelMessages, &row.Messages) == nil:
		case m.Content != "":
			row.Messages = []model.Message{{Role: m.Role, Content: m.Content}}
			if m.Role == model.RoleUser && (len(rows) == 0 || !rows[len(rows)-1].hasOption(m.Content)) {
				row.PersonText = m.Content
			}
		}
		if len(row.Messages) > 0 && m.TurnID == before {
			row.Messages = restoreContext(row.Messages, &rows[len(rows)-1])
		}
		before = uuid.Nil
		if len(row.Messages) > 0 {
			rows, before = append(rows, row), m.TurnID
		}
	}
	return rows, lastSeen
}

// restoreContext moves the context that is stored with an answer back behind the question, and returns the rest.
func restoreContext(answer []model.Message, asked *Row) []model.Message {
	first := answer[0]
	if first.Role != model.RoleUser || len(answer) == 1 || len(asked.Messages) != 1 || asked.Messages[0].Role != model.RoleUser {
		return answer
	}
	asked.Messages = []model.Message{{Role: model.RoleUser, Content: assistant.WithContext(asked.Messages[0].Content, first.Content)}}
	return answer[1:]
}

// hasOption reports whether the answer asked a question with this text as an option.
func (r Row) hasOption(text string) bool {
	text = strings.Join(strings.Fields(text), " ")
	for _, m := range r.Messages {
		for _, call := range m.ToolCalls {
			var asked struct {
				Options []struct {
					Label string `json:"label"`
				} `json:"options"`
			}
			if json.Unmarshal([]byte(call.Arguments), &asked) != nil {
				continue
			}
			for _, option := range asked.Options {
				if strings.EqualFold(strings.Join(strings.Fields(option.Label), " "), text) {
					return true
				}
			}
		}
	}
	return false
}

// Rows returns the messages up to the one that the turn answers, except summarized ones.
func (s *Session) Rows() []Row {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.rows)
}

// History is the conversation before this turn, with the turn's own message last.
func (s *Session) History() []model.Message {
	var messages []model.Message
	for _, row := range s.Rows() {
		messages = append(messages, row.Messages...)
	}
	return messages
}

// HistoryWith is History that ends with the person's message or a note about a decision, followed by the turn's
// context.
func (s *Session) HistoryWith(note, turnContext string) []model.Message {
	messages := s.History()
	if note != "" || !s.answeredRow().IsCurrent {
		return append(messages, model.Message{Role: model.RoleUser, Content: assistant.WithContext(note, turnContext)})
	}
	last := &messages[len(messages)-1]
	last.Content = assistant.WithContext(last.Content, turnContext)
	return messages
}

// Words returns the person's own words in the conversation, except summarized ones.
func (s *Session) Words() []string {
	var words []string
	for _, row := range s.Rows() {
		if row.PersonText != "" {
			words = append(words, row.PersonText)
		}
	}
	return words
}

// ReplaceAwaited replaces tool results that say a proposal waits for a decision.
func (s *Session) ReplaceAwaited(of func(proposal uuid.UUID) (content string, ok bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.rows {
		messages := slices.Clone(s.rows[i].Messages)
		for k, m := range messages {
			if id, waits := assistant.AwaitedProposal(m); waits {
				if content, ok := of(id); ok {
					messages[k].Content = content
				}
			}
		}
		s.rows[i].Messages = messages
	}
}

// Summary replaces the messages before Rows; "" when there are none.
func (s *Session) Summary() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.summary
}

// IsSummaryClipped reports whether this turn made a summary without a part of a message, in whichever process.
func (s *Session) IsSummaryClipped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.isClipped
}

// IsFirst reports whether the turn is the first of its conversation.
func (s *Session) IsFirst() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.summary == "" && !slices.ContainsFunc(s.rows, func(r Row) bool { return !r.IsCurrent })
}

// StartsTopic reports whether the turn's message is the first of its conversation that says what it is about.
func (s *Session) StartsTopic() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.summary == "" && !slices.ContainsFunc(s.rows, func(r Row) bool {
		said, _ := assistant.SplitContext(r.Messages[0].Content)
		return !r.IsCurrent && r.Messages[0].Role == model.RoleUser && !assistant.SaysNothing(said)
	})
}

// OwnQuestion is Question in the person's own words, "" for a picked option.
func (s *Session) OwnQuestion() string {
	return s.answeredRow().PersonText
}

// Question is the message that the turn answers; "" in the turn that follows a decision.
func (s *Session) Question() string {
	if own := s.answeredRow(); own.IsCurrent {
		return own.Messages[0].Content
	}
	return ""
}

// answeredRow is the row of the message that the turn answers; zero in the turn that follows a decision.
func (s *Session) answeredRow() Row {
	for _, row := range s.Rows() {
		if row.IsCurrent {
			return row
		}
	}
	return Row{}
}

// Summarize replaces the first n rows by a summary, for this turn and all later ones. It fails when messages were
// removed from the conversation since they were read, so that no removed content returns through a summary. isClipped says that
// it lacks a part of a message.
func (s *Session) Summarize(ctx context.Context, n int, summary string, isClipped bool) error {
	s.mu.Lock()
	through := s.rows[n-1].Position
	s.mu.Unlock()
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		q := turndb.New(s.db.Conn(ctx))
		// Removing messages takes the same lock, so the check below is current.
		if _, err := q.LockConversation(ctx, s.ConversationID); err != nil {
			return err
		}
		kept, err := q.MessageIsKept(ctx, turndb.MessageIsKeptParams{ConversationID: s.ConversationID, Position: through})
		if err == nil && !kept {
			err = errReplaced
		}
		if err != nil {
			return err
		}
		_, err = q.SummarizeConversation(ctx, turndb.SummarizeConversationParams{
			ID: s.ConversationID, Summary: summary, Through: through, IsClipped: isClipped, TurnID: s.ID,
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("store summary: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows, s.summary, s.isClipped = s.rows[n:], summary, s.isClipped || isClipped
	return nil
}

// Withheld is content that the model of a turn does not get, by keys of content.
type Withheld struct {
	// Refused are the keys that are left out; Due are suspected ones, which this turn sends again.
	Refused map[string]bool
	Due     []string
}

// maxSuspectTries is the number of turns that suspect content before it counts as refused.
const maxSuspectTries = 3

// Refuser is the model that refuses content, at a revision of its connection. Content that it has refused since the provider
// revision stays withheld: before, requests went elsewhere.
type Refuser struct {
	Model                      string
	Revision, ProviderRevision int64
}

// WithheldContent returns the content of the conversation that a model refuses to read.
func (s *Session) WithheldContent(ctx context.Context, by Refuser) (Withheld, error) {
	rows, err := turndb.New(s.db.Conn(ctx)).WithheldContent(ctx, turndb.WithheldContentParams{
		ConversationID: s.ConversationID, ConnectionID: s.ConnectionID, Model: by.Model, ProviderRevision: by.ProviderRevision,
		TurnID: s.ID, MostTries: maxSuspectTries,
	})
	if err != nil {
		return Withheld{}, fmt.Errorf("read withheld content: %w", err)
	}
	w := Withheld{Refused: make(map[string]bool, len(rows))}
	for _, row := range rows {
		if row.IsDue {
			w.Due = append(w.Due, row.ContentKey)
		} else {
			w.Refused[row.ContentKey] = true
		}
	}
	return w, nil
}

// WithholdContent stores what a model refuses to read, for all later turns; suspected are those of the keys that may be
// harmless. due is what this turn has sent again, of which only the refused remains.
func (s *Session) WithholdContent(ctx context.Context, by Refuser, keys, suspected, due []string) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		q := turndb.New(s.db.Conn(ctx))
		if len(due) > 0 {
			err := q.ClearSuspectedContent(ctx, turndb.ClearSuspectedContentParams{
				ConversationID: s.ConversationID, ConnectionID: s.ConnectionID, Sent: due, Refused: append([]string{}, keys...),
			})
			if err != nil {
				return fmt.Errorf("clear suspected content: %w", err)
			}
		}
		if len(keys) == 0 {
			return nil
		}
		err := q.WithholdContent(ctx, turndb.WithholdContentParams{
			ConversationID: s.ConversationID, ConnectionID: s.ConnectionID, Model: by.Model, Revision: by.Revision,
			ProviderRevision: by.ProviderRevision, TurnID: s.ID, Keys: keys, Suspected: append([]string{}, suspected...),
		})
		if err != nil {
			return fmt.Errorf("store withheld content: %w", err)
		}
		return nil
	})
}

var errReplaced = errors.New("messages were taken out of the conversation meanwhile")

// NameConversation replaces the conversation's initial name, and reports whether it did: a name that the person chose
// stays.
func (s *Session) NameConversation(ctx context.Context, given, title string) (bool, error) {
	n, err := turndb.New(s.db.Conn(ctx)).NameConversation(ctx, turndb.NameConversationParams{ID: s.ConversationID, Given: given, Title: title})
	if err != nil {
		return false, fmt.Errorf("name conversation: %w", err)
	}
	return n == 1, nil
}

// AnswersCard reports whether the message answers a question or a card: the turn before ended with one.
func (s *Session) AnswersCard() bool {
	rows := s.Rows()
	for i, row := range rows {
		if row.IsCurrent && i > 0 {
			before := rows[i-1].Messages
			return before[len(before)-1].Role == model.RoleTool
		}
	}
	return false
}
