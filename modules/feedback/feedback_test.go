package feedback_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/modules/feedback"
)

type object = map[string]any

// desk is the API with feedback, beside conversations of the test.
type desk struct {
	*apitest.Server
	module *feedback.Module
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{Server: apitest.New(t)}
	d.module = feedback.New(d.DB)
	d.Mount(t, d.module)
	return d
}

// asks makes a conversation of a person with one answer, and returns it with its turn.
func (d *desk) asks(t *testing.T, owner principal.Principal, status string) (conversation, turn uuid.UUID) {
	t.Helper()
	conversation, turn = uuid.New(), uuid.New()
	d.Exec(t, `INSERT INTO ai_conversations (id, owner_id) VALUES ($1, $2)`, conversation, owner.ID)
	d.Exec(
		t,
		`INSERT INTO ai_turns (id, conversation_id, kind, message_id, assistant_message_id, status, principal_kind, principal_id, session_id, connection_id, model, permission_mode, finished_at)
		VALUES ($1, $2, 'message', 'm', 'a', $3, 'user', $4, $4, $4, 'small', 'approve', CASE WHEN $3 = 'running' THEN NULL ELSE now() END)`,
		turn,
		conversation,
		status,
		owner.ID,
	)
	if status != "running" {
		d.Exec(
			t,
			`INSERT INTO ai_messages (conversation_id, id, turn_id, role, content, parts, metadata) VALUES ($1, 'a', $2, 'assistant', 'Yes.', '[]', '{}')`,
			conversation,
			turn,
		)
	}
	return conversation, turn
}

func of(turn uuid.UUID) string { return "/api/ai/turns/" + turn.String() + "/feedback" }

type answer struct {
	feedback.Feedback
	Changed bool `json:"changed"`
	Removed bool `json:"removed"`
}

func (d *desk) list(t *testing.T, as string, conversation uuid.UUID) []feedback.Feedback {
	t.Helper()
	return apitest.Decode[struct{ Feedback []feedback.Feedback }](
		t,
		d.Do(t, as, http.MethodGet, "/api/ai/conversations/"+conversation.String()+"/feedback", nil),
	).Feedback
}

func TestFeedbackConforms(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	apitest.Conform(t, apitest.Subject{
		Server: d.Server, Module: d.module, Foreign: []string{feedback.ChatRead, feedback.TurnRead},
		Unpaged: map[string]string{
			"/api/ai/conversations/{id}/feedback": "at most one for each answer of a conversation, which is shown whole",
			"/api/ai/feedback":                    "sums, of 50 models at most",
		},
		Unrevised: map[string]string{"give-feedback": "one person says it, the last word counts", "take-back-feedback": "one person says it"},
	})
}

func TestFeedbackIsGivenChangedAndTakenBack(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ada := d.Person("ada", feedback.ChatRead)
	conversation, turn := d.asks(t, ada, "done")
	require.Empty(t, d.list(t, "ada", conversation))
	put := func(body any) answer {
		return apitest.Decode[answer](t, d.Do(t, "ada", http.MethodPut, of(turn), body))
	}

	first := put(object{"verdict": "up"})
	require.True(t, first.Changed)
	require.Equal(t, feedback.Up, first.Verdict)
	require.False(t, put(object{"verdict": "up"}).Changed, "said before")
	second := put(object{"verdict": "down", "comment": "  It names \r\n the wrong team.  "})
	require.True(t, second.Changed)
	require.Equal(t, "It names \n the wrong team.", second.Comment)
	require.False(t, put(object{"verdict": "down", "comment": "It names \n the wrong team."}).Changed)
	given := d.list(t, "ada", conversation)
	require.Len(t, given, 1)
	require.Equal(t, second.Comment, given[0].Comment)
	require.Empty(t, put(object{"verdict": "down"}).Comment, "a comment is taken back by leaving it out")

	remove := func() answer { return apitest.Decode[answer](t, d.Do(t, "ada", http.MethodDelete, of(turn), nil)) }
	require.True(t, remove().Removed)
	require.False(t, remove().Removed)
	require.Empty(t, d.list(t, "ada", conversation))

	const entries = `SELECT count(*) FROM ai_audit_entries WHERE object_type = 'ai.conversation' AND object_id = $1`
	require.Equal(t, 4, d.Count(t, entries, conversation.String()), "each change, and no repeat")
	require.Zero(
		t,
		d.Count(t, entries+` AND concat_ws(' ', summary, fields) LIKE '%wrong team%'`, conversation.String()),
		"the audit log holds no text of people",
	)
}

func TestAnAnswerOfAnotherDoesNotExist(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ada := d.Person("ada", feedback.ChatRead)
	d.Person("bob", feedback.ChatRead, feedback.TurnRead)
	d.Person("nobody")
	conversation, turn := d.asks(t, ada, "done")
	for _, id := range []uuid.UUID{turn, uuid.New()} {
		require.Contains(t, d.Do(t, "bob", http.MethodPut, of(id), object{"verdict": "up"}).Refused(t, problem.NotFound).Detail, id.String())
		d.Do(t, "bob", http.MethodDelete, of(id), nil).Refused(t, problem.NotFound)
	}
	d.Do(t, "bob", http.MethodGet, "/api/ai/conversations/"+conversation.String()+"/feedback", nil).Refused(t, problem.NotFound)
	d.Do(t, "nobody", http.MethodPut, of(turn), object{"verdict": "up"}).Refused(t, problem.Forbidden)
	d.Do(t, "ada", http.MethodGet, "/api/ai/feedback", nil).Refused(t, problem.Forbidden)

	// Neither a program of hers nor a turn speaks for her.
	program, inTurn, application := ada, ada, ada
	program.Client = &principal.Client{ID: "c", Scopes: []string{principal.ScopeRead, principal.ScopeWrite}}
	inTurn.TurnID = uuid.New()
	application.Kind = principal.Application
	for name, p := range map[string]principal.Principal{"program": program, "turn": inTurn, "application": application} {
		d.SignIn(name, p)
		d.Do(t, name, http.MethodPut, of(turn), object{"verdict": "up"}).Refused(t, problem.Forbidden)
		d.Do(t, name, http.MethodDelete, of(turn), nil).Refused(t, problem.Forbidden)
	}
	require.Empty(t, d.list(t, "ada", conversation))
}

func TestOnlyAnAnswerThatIsThereGetsFeedback(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ada := d.Person("ada", feedback.ChatRead)
	_, running := d.asks(t, ada, "running")
	d.Do(t, "ada", http.MethodPut, of(running), object{"verdict": "up"}).Refused(t, problem.Conflict)
	_, replaced := d.asks(t, ada, "done")
	d.Exec(t, `UPDATE ai_messages SET replaced_at = now() WHERE turn_id = $1`, replaced)
	d.Do(t, "ada", http.MethodPut, of(replaced), object{"verdict": "up"}).Refused(t, problem.Conflict)
	for _, status := range []string{"failed", "stopped"} {
		_, turn := d.asks(t, ada, status)
		require.True(t, apitest.Decode[answer](t, d.Do(t, "ada", http.MethodPut, of(turn), object{"verdict": "down"})).Changed, status)
	}
}

func TestCommentsAreBoundedAndClean(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ada := d.Person("ada", feedback.ChatRead)
	_, turn := d.asks(t, ada, "done")
	for _, body := range []object{
		{},
		{"verdict": "sideways"},
		{"verdict": ""},
		{"verdict": "up", "comment": strings.Repeat("é", feedback.MaxComment+1)},
		{"verdict": "up", "comment": "a\u202Eb"},
		{"verdict": "up", "comment": "a\u0000b"},
		{"verdict": "up", "more": 1},
		{"verdict": "up", "comment": 1},
	} {
		d.Do(t, "ada", http.MethodPut, of(turn), body).Refused(t, problem.Invalid)
	}
	longest := strings.Repeat("é", feedback.MaxComment)
	require.Equal(
		t,
		longest,
		apitest.Decode[answer](t, d.Do(t, "ada", http.MethodPut, of(turn), object{"verdict": "up", "comment": longest})).Comment,
	)
	const key = "sk-proj-4f9aB7cD2eF8gH1iJ6kL3mN0pQ5rS"
	told := apitest.Decode[answer](
		t,
		d.Do(t, "ada", http.MethodPut, of(turn), object{"verdict": "down", "comment": "It shows api_key=" + key}),
	).Comment
	require.NotContains(t, told, key)
	require.Contains(t, told, "It shows")
}

// Whoever clicks in two windows at once leaves one verdict.
func TestFeedbackThatComesTogetherLeavesOne(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ada := d.Person("ada", feedback.ChatRead)
	conversation, turn := d.asks(t, ada, "done")
	var running sync.WaitGroup
	changed := make(chan bool, 8)
	ctx := principal.NewContext(context.WithoutCancel(t.Context()), ada)
	for range cap(changed) {
		running.Go(func() {
			_, did, err := d.module.Give(ctx, turn, feedback.Said{Verdict: feedback.Up})
			changed <- did && err == nil
		})
	}
	running.Wait()
	close(changed)
	did := 0
	for c := range changed {
		if c {
			did++
		}
	}
	require.Equal(t, 1, did)
	require.Len(t, d.list(t, "ada", conversation), 1)
}

func TestFeedbackIsCountedAndErased(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ada, bob := d.Person("ada", feedback.ChatRead), d.Person("bob", feedback.ChatRead)
	d.Person("operator", feedback.TurnRead)
	give := func(as string, who principal.Principal, body object) uuid.UUID {
		conversation, turn := d.asks(t, who, "done")
		require.True(t, apitest.Decode[answer](t, d.Do(t, as, http.MethodPut, of(turn), body)).Changed)
		return conversation
	}
	give("ada", ada, object{"verdict": "up"})
	give("ada", ada, object{"verdict": "down", "comment": "No."})
	bobs := give("bob", bob, object{"verdict": "up", "comment": "Yes."})
	count := func() feedback.Summary {
		return apitest.Decode[feedback.Summary](t, d.Do(t, "operator", http.MethodGet, "/api/ai/feedback", nil))
	}
	s := count()
	require.Equal(t, feedback.Counts{Up: 2, Down: 1, Comments: 2}, s.Counts)
	require.Equal(t, []feedback.ModelCounts{{Model: "small", Counts: s.Counts}}, s.Models)

	n, err := d.module.Count(t.Context(), ada.ID)
	require.NoError(t, err)
	require.EqualValues(t, 2, n)
	n, err = d.module.Erase(t.Context(), ada.ID)
	require.NoError(t, err)
	require.EqualValues(t, 2, n)
	require.Equal(t, feedback.Counts{Up: 1, Comments: 1}, count().Counts)
	d.Exec(t, `DELETE FROM ai_conversations WHERE id = $1`, bobs)
	require.Zero(t, count().Counts, "it goes with the conversation")
}
