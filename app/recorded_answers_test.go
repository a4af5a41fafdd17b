package app_test

import (
	"maps"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// withAnswers adds examples of what people do with the answers that they got.
func withAnswers(examples map[string]func(s stage) request) map[string]func(s stage) request {
	maps.Copy(examples, map[string]func(s stage) request{
		"give-feedback": func(s stage) request {
			return request{s.p.Admin, http.MethodPut, feedbackOf(s.answered()), map[string]any{"verdict": "up"}}
		},
		"share-conversation": func(s stage) request {
			return request{s.p.Admin, http.MethodPost, s.conversation() + "/shares", map[string]any{"email": s.p.Person(s).Email}}
		},
		"unshare-conversation": func(s stage) request {
			path, person := s.conversation()+"/shares", s.p.Person(s)
			s.p.Admin.Post(s, path, map[string]any{"email": person.Email}, nil)
			return request{s.p.Admin, http.MethodDelete, path + "/" + person.ID.String(), nil}
		},
		"take-back-feedback": func(s stage) request {
			path := feedbackOf(s.answered())
			s.put(path, map[string]any{"verdict": "down", "comment": "No."})
			return request{s.p.Admin, http.MethodDelete, path, nil}
		},
	})
	return examples
}

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
