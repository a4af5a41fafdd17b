package app_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/modules/feedback"
	"countersign/modules/inspector"
)

// What a person says about an answer is read by those who look after the assistant, found by it, downloaded with the person's chats
// and heard of in their other windows; no model is ever told.
func TestFeedbackReachesOperatorsAndNoModel(t *testing.T) {
	t.Parallel()
	p, provider := withProvider(t)
	asker, operator := p.Person(t), p.Person(t, p.Role(t, inspector.Read))
	chat := asker.Conversation(t, nil)
	good := chat.Perform(t, "text=hi")
	finished(t, chat, good)
	bad := chat.Perform(t, "text=hi")
	finished(t, chat, bad)
	feedbackFrom(t, asker, good.Metadata.TurnID, map[string]any{"verdict": "up"})
	changes := asker.Changes(t, "")
	feedbackFrom(t, asker, bad.Metadata.TurnID, map[string]any{"verdict": "down", "comment": "It invents a canary."})
	changes.Hears(t, "conversation", `{"id":"`+chat.ID.String()+`"}`)

	ids := func(query string) []string { return turnIDs(t, operator, query) }
	up, down := good.Metadata.TurnID.String(), bad.Metadata.TurnID.String()
	require.Equal(t, []string{up}, ids("?feedback=up"))
	require.Equal(t, []string{down}, ids("?feedback=down"))
	require.Equal(t, []string{down}, ids("?feedback=comment&status=done"))
	require.Len(t, ids(""), 2)
	operator.Refused(t, problem.Invalid, http.MethodGet, "/api/ai/turns?feedback=sideways", nil)
	report := reportOf(t, operator, down)
	require.False(t, report.Readable)
	require.Equal(t, "down", report.Verdict)
	require.True(t, report.Commented)
	require.Equal(t, "It invents a canary.", report.Comment)
	require.NotNil(t, report.SaidAt)
	var summary feedback.Summary
	operator.Get(t, "/api/ai/feedback", &summary)
	require.Equal(t, feedback.Counts{Up: 1, Down: 1, Comments: 1}, summary.Counts)
	asker.Refused(t, problem.Forbidden, http.MethodGet, "/api/ai/feedback", nil)

	finished(t, chat, chat.Perform(t, "text=hi"))
	requests := provider.Requests()
	require.Contains(t, requests[len(requests)-1].Raw, "hi", "the model is told the conversation")
	for _, r := range requests {
		require.NotContains(t, r.Raw, "canary")
	}
	require.Contains(t, string(asker.Call(t, http.MethodGet, "/api/ai/conversations/export", nil).Body), "It invents a canary.")
	require.NotContains(t, string(operator.Call(t, http.MethodGet, "/api/ai/conversations/export", nil).Body), "canary")

	// Another answer begins without.
	again := chat.Perform(t, "text=hi")
	finished(t, chat, again)
	require.Empty(t, reportOf(t, operator, again.Metadata.TurnID.String()).Verdict)

	// It is erased with the person.
	var preview struct {
		Other map[string]int64 `json:"other"`
	}
	p.Admin.Get(t, "/api/ai/privacy/people/"+asker.ID.String(), &preview)
	require.EqualValues(t, 2, preview.Other["feedback"])
	var erasure struct {
		ID         uuid.UUID `json:"id"`
		FinishedAt *string   `json:"finishedAt"`
	}
	p.Admin.Post(t, "/api/ai/privacy/erasures", map[string]any{"personId": asker.ID, "email": asker.Email}, &erasure)
	apptest.Eventually(t, "the erasure is finished", func() bool {
		p.Admin.Get(t, "/api/ai/privacy/erasures/"+erasure.ID.String(), &erasure)
		return erasure.FinishedAt != nil
	})
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_feedback`))
}
