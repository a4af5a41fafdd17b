package api_test

import (
	"context"
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
	"countersign/tool/kit"
)

// till has a tool of which some inputs only read, one that changes something, and operations of neither.
type till struct{ workshop }

const (
	tillDraft   = "/api/till/drafts"
	tillPreview = "/api/till/previews"
)

type order struct {
	Text string `json:"text,omitempty" jsonschema:"description=Text."`
}

func (order) Targets() []tool.Target { return nil }

func (till) tools() []tool.Tool {
	write := func(name, path string, looks ...tool.Operation) tool.Tool {
		d := tool.Definition{
			Name:        name,
			Description: "Does it.",
			Effect:      tool.Mutate,
			Rules:       []string{"till.use"},
			Impact:      tool.Impact{External: true, EffectByInput: looks != nil},
			Operations:  tool.Operations{PreviewOperations: looks},
		}
		return kit.NewWrite(d,
			func(_ context.Context, _ tool.Caller, in order) (kit.Preview[order], error) {
				return kit.Preview[order]{Summary: "Do it", Payload: in}, nil
			},
			func(in order) tool.Request { return kit.Post(path, in) }, func(o order) order { return o })
	}
	return []tool.Tool{
		write("till.draft", tillDraft, tool.Operation{Method: http.MethodPost, Path: tillPreview}),
		write("till.pay", "/api/till/payments"),
	}
}

func (till) Routes(operations huma.API) {
	register := func(id, method, path string, options ...rest.Option) {
		options = append(options, rest.SelfIdempotent(), rest.Status(http.StatusNoContent))
		huma.Register(
			operations,
			rest.Op(id, method, path, "Do it", options...),
			func(context.Context, *struct{}) (*struct{}, error) { return nil, nil },
		)
	}
	register("draft", http.MethodPost, tillDraft)
	register("preview", http.MethodPost, tillPreview, rest.ReadOnly())
	register("pay", http.MethodPost, "/api/till/payments")
	register("open-till", http.MethodPut, "/api/till")
	register("close-till", http.MethodDelete, "/api/till")
}

// A program that was let read alone passes with a call that was judged to only read, at the operation of that very tool and nowhere else.
func TestAReadOnlyProgramPassesWithACallThatOnlyReads(t *testing.T) {
	t.Parallel()
	shop := &till{}
	registry, err := tool.NewRegistry(shop.tools()...)
	require.NoError(t, err)
	require.NoError(t, registry.AddSource(shop))
	s := newServer(t, with(shop, &shop.workshop), func(o *api.Options) {
		o.Gate = &api.Gate{DB: o.DB, Log: slog.New(slog.DiscardHandler), Registry: registry, Policies: shop}
	})
	call := func(ctx context.Context, method, path, scopes string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(""))
		r.Header.Set("X-User", alice.String())
		r.Header.Set("X-Scopes", scopes)
		answer := httptest.NewRecorder()
		s.ServeHTTP(answer, r)
		return answer
	}
	const made = "/api/made/1/call"
	changing := []string{"POST " + tillDraft, "POST /api/till/payments", "PUT /api/till", "DELETE /api/till", "POST " + made}
	for _, mark := range []string{"none", "", "till.draft", "till.pay", "agent.billing.see"} {
		ctx := t.Context()
		if mark != "none" {
			ctx = tool.OnlyReading(ctx, mark)
		}
		require.Equal(t, http.StatusNoContent, call(ctx, http.MethodPost, tillPreview, principal.ScopeRead).Code, "a look is open")
		for _, operation := range changing {
			method, path, _ := strings.Cut(operation, " ")
			require.Equal(t, http.StatusNoContent, call(ctx, method, path, principal.ScopeWrite).Code, operation)
			answer := call(ctx, method, path, principal.ScopeRead)
			if mark == "till.draft" && path == tillDraft {
				require.Equal(t, http.StatusNoContent, answer.Code, "%s", answer.Body)
				continue
			}
			problemOf(t, answer, problem.Forbidden)
			require.Contains(t, answer.Body.String(), "let read alone", "%s with a call of %q", operation, mark)
		}
	}
}
