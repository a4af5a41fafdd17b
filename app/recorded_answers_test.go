package app_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

func feedbackOf(turn uuid.UUID) string { return "/api/ai/turns/" + turn.String() + "/feedback" }

// answered is a turn of the administrator with an answer.
func (s stage) answered() uuid.UUID {
	s.Helper()
	chat := s.p.Admin.Conversation(s, nil)
	turn := chat.Perform(s, "text=hi")
	chat.Idle(s)
	return turn.Metadata.TurnID
}

// feedbackFrom says something about an answer as its person.
func feedbackFrom(t *testing.T, c *apptest.Client, turn uuid.UUID, body map[string]any) {
	t.Helper()
	answer := c.Call(t, http.MethodPut, feedbackOf(turn), body)
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
}
