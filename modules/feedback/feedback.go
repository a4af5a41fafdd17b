// Package feedback stores people's ratings of answers: helpful or not, with a short comment.
//
// Administrators of the assistant read it beside the turn report (package inspector). Models never see it, and it is
// deleted with its conversation.
package feedback

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret/scrub"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/modules/feedback/feedbackdb"
)

// Access rules of other packages: ChatRead is for a person's own chats, TurnRead for administrators of the assistant.
const (
	ChatRead = "ai.chat.read"
	TurnRead = "ai.turn.read"
)

// MaxComment limits a comment, in characters.
const MaxComment = 1000

// countedDays is the period of the counts.
const countedDays = 30

// Verdict is the rating of an answer.
type Verdict string

// The verdicts.
const (
	Up   Verdict = "up"
	Down Verdict = "down"
)

// Feedback is a person's rating of an answer.
type Feedback struct {
	TurnID    uuid.UUID `json:"turnId" doc:"Of the turn that the answer belongs to, as in the metadata of its message"`
	Verdict   Verdict   `json:"verdict" enum:"up,down"`
	Comment   string    `json:"comment,omitempty"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// Said is the input of a rating.
type Said struct {
	Verdict Verdict `json:"verdict" enum:"up,down" doc:"Whether the answer helped"`
	Comment string  `json:"comment,omitempty" maxLength:"1000" doc:"Why, without credentials, which are taken out. Readers of all turns can read it."`
}

// Counts are the numbers of ratings.
type Counts struct {
	Up       int64 `json:"up"`
	Down     int64 `json:"down"`
	Comments int64 `json:"comments" doc:"How many of them have a comment"`
}

// ModelCounts are the ratings of one model's answers.
type ModelCounts struct {
	Model string `json:"model"`
	Counts
}

// Summary counts the ratings of the last days.
type Summary struct {
	Days int `json:"days" doc:"How far back it reaches"`
	Counts
	Models []ModelCounts `json:"models" nullable:"false" doc:"Those with the most feedback first, at most 50"`
}

// Module stores feedback. It is safe for concurrent use.
type Module struct{ db *store.DB }

// New makes a Module.
func New(db *store.DB) *Module { return &Module{db} }

func (m *Module) queries(ctx context.Context) *feedbackdb.Queries {
	return feedbackdb.New(m.db.Conn(ctx))
}

// speaks returns the person of ctx, who must act in person: a program acting for a user cannot rate for them.
func speaks(ctx context.Context) (principal.Principal, error) {
	p := principal.FromContext(ctx)
	if !p.ByHand() {
		return p, problem.Errorf(problem.Forbidden, "Feedback on answers is for people who have signed in.")
	}
	return p, nil
}

func missing(turn uuid.UUID) error {
	return problem.Errorf(problem.NotFound, "You have no answer with the turn id %s.", turn)
}

// Give stores p's rating of an answer in their own conversation and replaces an earlier one. It reports whether this
// call changed it.
func (m *Module) Give(ctx context.Context, turn uuid.UUID, said Said) (Feedback, bool, error) {
	p, err := speaks(ctx)
	if err != nil {
		return Feedback{}, false, err
	}
	var issues problem.Issues
	if said.Verdict != Up && said.Verdict != Down {
		issues.Report("verdict", `must be "up" or "down"`)
	}
	said.Comment = text.Lines(&issues, "comment", scrub.Text(strings.TrimSpace(said.Comment)), MaxComment)
	if err := issues.Err(); err != nil {
		return Feedback{}, false, err
	}
	var changed bool
	given, err := store.InTx(ctx, m.db, func(ctx context.Context) (Feedback, error) {
		q := m.queries(ctx)
		answer, err := q.LockAnswer(ctx, feedbackdb.LockAnswerParams{TurnID: turn, PersonID: p.ID})
		switch {
		case store.NoRows(err):
			return Feedback{}, missing(turn)
		case err != nil:
			return Feedback{}, fmt.Errorf("find answer: %w", err)
		case answer.Running:
			return Feedback{}, problem.Errorf(problem.Conflict, "This answer is still being written. Say what you think of it when it is complete.")
		case !answer.Answered:
			return Feedback{}, problem.Errorf(problem.Conflict, "Another answer has taken the place of this one.")
		}
		before, err := q.Feedback(ctx, turn)
		if err != nil && !store.NoRows(err) {
			return Feedback{}, fmt.Errorf("load feedback: %w", err)
		}
		if err == nil && before.Verdict == string(said.Verdict) && store.Value(before.Comment) == said.Comment {
			return of(before), nil
		}
		params := feedbackdb.PutFeedbackParams{TurnID: turn, ConversationID: answer.ConversationID, PersonID: p.ID, Verdict: string(said.Verdict)}
		if said.Comment != "" {
			params.Comment = &said.Comment
		}
		row, err := q.PutFeedback(ctx, params)
		if err != nil {
			return Feedback{}, fmt.Errorf("keep feedback: %w", err)
		}
		changed = true
		var fields audit.Fields
		fields.Compare("verdict", before.Verdict, row.Verdict)
		fields.Mention("comment", store.Value(before.Comment) != said.Comment)
		return of(row), m.record(ctx, p, answer.ConversationID, "An answer was given feedback", fields)
	})
	return given, changed, err
}

// TakeBack deletes p's rating of an answer. It reports whether this call did it.
func (m *Module) TakeBack(ctx context.Context, turn uuid.UUID) (bool, error) {
	p, err := speaks(ctx)
	if err != nil {
		return false, err
	}
	return store.InTx(ctx, m.db, func(ctx context.Context) (bool, error) {
		q := m.queries(ctx)
		answer, err := q.LockAnswer(ctx, feedbackdb.LockAnswerParams{TurnID: turn, PersonID: p.ID})
		if store.NoRows(err) {
			return false, missing(turn)
		}
		if err != nil {
			return false, fmt.Errorf("find answer: %w", err)
		}
		n, err := q.DeleteFeedback(ctx, turn)
		if err != nil {
			return false, fmt.Errorf("take feedback back: %w", err)
		}
		if n == 0 {
			return false, nil
		}
		return true, m.record(ctx, p, answer.ConversationID, "Feedback on an answer was taken back", nil)
	})
}

// Given returns p's ratings in one of their conversations, oldest first.
func (m *Module) Given(ctx context.Context, conversation uuid.UUID) ([]Feedback, error) {
	p := principal.FromContext(ctx)
	owns, err := m.queries(ctx).OwnsConversation(ctx, feedbackdb.OwnsConversationParams{ID: conversation, PersonID: p.ID})
	if err != nil {
		return nil, fmt.Errorf("find conversation: %w", err)
	}
	if !owns {
		return nil, problem.Errorf(
			problem.NotFound,
			"You have no conversation with the id %s. GET /api/ai/conversations lists yours.",
			conversation,
		)
	}
	rows, err := m.queries(
		ctx,
	).FeedbackInConversation(
		ctx,
		feedbackdb.FeedbackInConversationParams{ConversationID: conversation, PersonID: p.ID},
	)
	if err != nil {
		return nil, fmt.Errorf("list feedback: %w", err)
	}
	given := make([]Feedback, len(rows))
	for i, r := range rows {
		given[i] = Feedback{TurnID: r.TurnID, Verdict: Verdict(r.Verdict), Comment: r.Comment, UpdatedAt: r.UpdatedAt}
	}
	return given, nil
}

// Summary counts the ratings of the last days.
func (m *Module) Summary(ctx context.Context) (Summary, error) {
	rows, err := m.queries(ctx).FeedbackOfModels(ctx, countedDays)
	if err != nil {
		return Summary{}, fmt.Errorf("count feedback: %w", err)
	}
	s := Summary{Days: countedDays, Models: make([]ModelCounts, len(rows))}
	for i, r := range rows {
		s.Models[i] = ModelCounts{Model: r.Model, Counts: Counts{Up: r.Up, Down: r.Down, Comments: r.Comments}}
		s.Up, s.Down, s.Comments = s.Up+r.Up, s.Down+r.Down, s.Comments+r.Comments
	}
	return s, nil
}

// record writes an audit event without the comment, in the transaction of the change.
func (m *Module) record(ctx context.Context, p principal.Principal, conversation uuid.UUID, summary string, fields audit.Fields) error {
	return audit.Record(ctx, m.db, audit.Event{
		Action: audit.Changed, Object: audit.Object("ai.conversation", conversation, ""), Summary: summary, Fields: fields, Actor: p,
	})
}

func of(row feedbackdb.AiFeedback) Feedback {
	return Feedback{TurnID: row.TurnID, Verdict: Verdict(row.Verdict), Comment: store.Value(row.Comment), UpdatedAt: row.UpdatedAt}
}
