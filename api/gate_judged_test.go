package api_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/tool"
	"countersign/tool/disposition"
	"countersign/tool/kit"
)

// workshop has one tool, which reads, of a version that changes. Its operation notes by which version it was let through.
type workshop struct {
	version string
	calls   []string
}

func (w *workshop) tool() (tool.Tool, bool, error) {
	input, err := kit.ParseSchema(json.RawMessage(`{"type":"object"}`))
	if err != nil {
		return tool.Tool{}, false, err
	}
	t, err := kit.NewMade(kit.Making{
		Definition: tool.Definition{
			Name:        "agent.billing.see",
			Description: "Looks.",
			Effect:      tool.Read,
			Identity:    tool.Identity{Version: w.version},
		},
		Input: input,
		Run:   func(_ context.Context, _ tool.Caller, input json.RawMessage) (any, error) { return input, nil },
	})
	return t, err == nil, err
}

func (w *workshop) Offered(context.Context, principal.Principal) ([]tool.Tool, error) {
	return nil, nil
}
func (w *workshop) Known(context.Context, string) (tool.Tool, bool, error) { return w.tool() }
func (w *workshop) Usable(context.Context, principal.Principal, string) (tool.Tool, bool, error) {
	return w.tool()
}

func (w *workshop) Shared() []tool.Operation {
	return []tool.Operation{{Method: http.MethodPost, Path: "/api/made/{id}/call"}}
}

func (w *workshop) Governing(context.Context, tool.Operation, []string) (tool.Tool, bool, error) {
	return w.tool()
}

func (w *workshop) Routes(operations huma.API) {
	huma.Register(
		operations,
		rest.Op("call-made", http.MethodPost, "/api/made/{id}/call", "Call it", rest.SelfIdempotent(), rest.Status(http.StatusNoContent)),
		func(ctx context.Context, _ *struct {
			ID string `path:"id"`
		},
		) (*struct{}, error) {
			for _, version := range []string{`"v1"`, `"v2"`} {
				if tool.CheckDecidedVersion(ctx, "agent.billing.see", version) == nil {
					w.calls = append(w.calls, version)
				}
			}
			return nil, nil
		},
	)
}

// Policies implements disposition.Policies.
func (w *workshop) Exceptions(context.Context) (map[string]disposition.Policy, error) {
	return nil, nil
}

func TestTheGatePassesOnWhatItHasDecidedBy(t *testing.T) {
	t.Parallel()
	w := &workshop{version: `"v1"`}
	registry, err := tool.NewRegistry()
	require.NoError(t, err)
	require.NoError(t, registry.AddSource(w))
	s := newServer(t, with(w), func(o *api.Options) {
		o.Gate = &api.Gate{DB: o.DB, Log: slog.New(slog.DiscardHandler), Registry: registry, Policies: w}
	})
	call := func(ctx context.Context) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/api/made/1/call", strings.NewReader(""))
		r.Header.Set("X-User", alice.String())
		answer := httptest.NewRecorder()
		s.ServeHTTP(answer, r)
		return answer
	}
	require.Equal(t, http.StatusNoContent, call(t.Context()).Code)
	require.Equal(t, []string{`"v1"`}, w.calls)
	require.Equal(t, http.StatusNoContent, call(tool.WithDecidedVersion(t.Context(), "agent.billing.see", `"v1"`)).Code)

	w.version, w.calls = `"v2"`, nil
	problemOf(t, call(tool.WithDecidedVersion(t.Context(), "agent.billing.see", `"v1"`)), problem.Precondition)
	require.Empty(t, w.calls)
	require.Equal(
		t,
		http.StatusNoContent,
		call(tool.WithDecidedVersion(t.Context(), "agent.another.see", `"v1"`)).Code,
		"that was another tool",
	)
	require.Equal(t, []string{`"v2"`}, w.calls)
}
