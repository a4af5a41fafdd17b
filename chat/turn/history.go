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

// Row is one stored message of the conversation as the model is shown it: a person's message, or an answer with the
// tool calls and results that led to it.
type Row struct {
	Position int64
	// Own is set for the message that the turn answers.
	Own      bool
	Messages []model.Message
	// Words are those of the person, "" for an answer and for an option of a question that was picked: a model wrote that.
	Words string
}

// rowsOf turns stored messages into what the model is shown. A message whose record cannot be read falls back to text.
func rowsOf(stored []turndb.TurnHistoryRow, current uuid.UUID) (rows []Row, lastSeen time.Time) {
	var before uuid.UUID
	for _, m := range stored {
		row := Row{Position: m.Position, Own: m.TurnID == current}
		if !row.Own {
			lastSeen = m.CreatedAt
		}
		switch {
		case len(m.ModelMessages) > 0 && json.Unmarshal(m.ModelMessages, &row.Messages) == nil:
		case m.Content != "":
			row.Messages = []model.Message{{Role: m.Role, Content: m.Content}}
			if m.Role == model.RoleUser && (len(rows) == 0 || !rows[len(rows)-1].offers(m.Content)) {
				row.Words = m.Content
			}
		}
		if len(row.Messages) > 0 && m.TurnID == before {
			row.Messages = giveContext(row.Messages, &rows[len(rows)-1])
		}
		before = uuid.Nil
		if len(row.Messages) > 0 {
			rows, before = append(rows, row), m.TurnID
		}
	}
	return rows, lastSeen
}

// giveContext puts the context with which an answer is stored back behind the message that it answers, and returns the rest.
func giveContext(answer []model.Message, asked *Row) []model.Message {
	first := answer[0]
	if first.Role != model.RoleUser || len(answer) == 1 || len(asked.Messages) != 1 || asked.Messages[0].Role != model.RoleUser {
		return answer
	}
	asked.Messages = []model.Message{{Role: model.RoleUser, Content: assistant.WithContext(asked.Messages[0].Content, first.Content)}}
	return answer[1:]
}

// offers reports whether the answer has asked something with this text as an option.
func (r Row) offers(text string) bool {
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

// Rows are the messages before and with the one that the turn answers, as far as no summary stands for them.
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

// Told is History that ends with what the turn answers, the person's message or a note about a decision, and the turn's context
// behind that.
func (s *Session) Told(note, told string) []model.Message {
	messages := s.History()
	if note != "" || !s.own().Own {
		return append(messages, model.Message{Role: model.RoleUser, Content: assistant.WithContext(note, told)})
	}
	last := &messages[len(messages)-1]
	last.Content = assistant.WithContext(last.Content, told)
	return messages
}

// Words are what the person has written in the conversation, as far as no summary stands for it.
func (s *Session) Words() []string {
	var words []string
	for _, row := range s.Rows() {
		if row.Words != "" {
			words = append(words, row.Words)
		}
	}
	return words
}

// Retell replaces the results of tools that say of a proposal that it waits for a decision.
func (s *Session) Retell(of func(proposal uuid.UUID) (content string, ok bool)) {
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

// Summary stands for the messages before Rows; "" when there are none.
func (s *Session) Summary() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.summary
}

// First reports whether the turn is the first of its conversation.
func (s *Session) First() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.summary == "" && !slices.ContainsFunc(s.rows, func(r Row) bool { return !r.Own })
}

// Opens reports whether the turn's message is the first of its conversation that says what it is about.
func (s *Session) Opens() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.summary == "" && !slices.ContainsFunc(s.rows, func(r Row) bool {
		said, _ := assistant.SplitContext(r.Messages[0].Content)
		return !r.Own && r.Messages[0].Role == model.RoleUser && !assistant.SaysNothing(said)
	})
}

// Asked is Question in the person's own words, "" when they have picked an option.
func (s *Session) Asked() string {
	return s.own().Words
}

// Question is the person's message that the turn answers; "" in the turn that follows a decision.
func (s *Session) Question() string {
	if own := s.own(); own.Own {
		return own.Messages[0].Content
	}
	return ""
}

// own is the row of the message that the turn answers; zero in the turn that follows a decision.
func (s *Session) own() Row {
	for _, row := range s.Rows() {
		if row.Own {
			return row
		}
	}
	return Row{}
}

// Summarize puts a summary in the place of the first n rows, for this turn and all later ones. Of messages that were taken out of the
// conversation since they were read, nothing may come back by way of a summary: then it is an error.
func (s *Session) Summarize(ctx context.Context, n int, summary string) error {
	s.mu.Lock()
	through := s.rows[n-1].Position
	s.mu.Unlock()
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		q := turndb.New(s.db.Conn(ctx))
		// Whoever takes messages out holds the conversation, and what is looked at below is as they have left it.
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
		_, err = q.SummarizeConversation(ctx, turndb.SummarizeConversationParams{ID: s.ConversationID, Summary: summary, Through: through})
		return err
	})
	if err != nil {
		return fmt.Errorf("store summary: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows, s.summary = s.rows[n:], summary
	return nil
}

var errReplaced = errors.New("messages were taken out of the conversation meanwhile")

// NameConversation replaces the name that the conversation was given when it began, and reports whether it did: a name
// that the person chose stays.
func (s *Session) NameConversation(ctx context.Context, given, title string) (bool, error) {
	n, err := turndb.New(s.db.Conn(ctx)).NameConversation(ctx, turndb.NameConversationParams{ID: s.ConversationID, Given: given, Title: title})
	if err != nil {
		return false, fmt.Errorf("name conversation: %w", err)
	}
	return n == 1, nil
}

// AnswersCard reports whether the message answers a question or a card: the turn before has ended with one.
func (s *Session) AnswersCard() bool {
	rows := s.Rows()
	for i, row := range rows {
		if row.Own && i > 0 {
			before := rows[i-1].Messages
			return before[len(before)-1].Role == model.RoleTool
		}
	}
	return false
}
