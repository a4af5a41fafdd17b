package api_test

import (
	"context"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/internal/rest"
)

type span struct {
	From time.Time `json:"from"`
}

type diary struct{}

func (diary) Routes(api huma.API) {
	huma.Register(api, rest.Op("write-diary", http.MethodPost, "/api/diary", "Write", rest.Rules("r"), rest.Status(http.StatusOK)),
		func(_ context.Context, in *struct {
			Since time.Time `query:"since"`
			Body  struct {
				At    *time.Time           `json:"at,omitempty"`
				Spans []span               `json:"spans,omitempty"`
				Named map[string]time.Time `json:"named,omitempty"`
				Text  string               `json:"text,omitempty"`
			}
		},
		) (*struct{ Body struct{ At, Since string } }, error) {
			out := &struct{ Body struct{ At, Since string } }{}
			if in.Body.At != nil {
				out.Body.At = in.Body.At.UTC().Format(time.RFC3339)
			}
			out.Body.Since = in.Since.UTC().Format(time.RFC3339)
			return out, nil
		})
}

func TestTheTimesOfRequestsAreReadByTheGrammar(t *testing.T) {
	t.Parallel()
	s := newServer(t, with(diary{}))
	for body, path := range map[string]string{
		`{"at":"2026-07-14T09:30:00+24:00"}`:                                    "at",
		`{"at":"2026-07-14T09:30:00,5Z"}`:                                       "at",
		`{"at":"2026-07-14T9:30:00Z"}`:                                          "at",
		`{"at":"2026-07-14T09:30:00"}`:                                          "at",
		`{"spans":[{"from":"2026-07-14T09:30:00Z"},{"from":"2026-07-14"}]}`:     "spans[1].from",
		`{"named":{"a":"2026-07-14T09:30:00+23:60"},"text":"2026-07-14T09:30"}`: "named.a",
	} {
		e := s.refused(t, problem.Invalid, http.MethodPost, "/api/diary", body, "X-Rules", "r")
		require.Len(t, e.Issues, 1, body)
		require.Equal(t, path, e.Issues[0].Path, body)
		require.Contains(t, e.Issues[0].Message, "; write date, time and offset as in 2026-07-14T", body)
	}
	query := "/api/diary?since=" + url.QueryEscape("2026-07-14T9:30:00Z")
	require.Equal(t, "query.since", s.refused(t, problem.Invalid, http.MethodPost, query, `{}`, "X-Rules", "r").Issues[0].Path)

	query = "/api/diary?since=" + url.QueryEscape("2026-07-14T09:30:00+02:00")
	answer := s.do(t, http.MethodPost, query, `{"at":"2026-07-14T09:30:00.5-01:00","named":{"a":"2026-07-14T00:00:00Z"}}`, "X-Rules", "r")
	require.Equal(t, http.StatusOK, answer.Code, answer.Body)
	require.Contains(t, answer.Body.String(), "2026-07-14T10:30:00Z")
	require.Contains(t, answer.Body.String(), "2026-07-14T07:30:00Z")
}
