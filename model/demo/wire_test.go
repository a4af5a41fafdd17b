package demo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/model"
	"countersign/model/demo"
)

// client returns a client of a demo server of this test.
func TestTheScriptedModelHasToBeAskedFor(t *testing.T) {
	t.Parallel()
	c := client(t, demo.Options{})
	ids, err := c.Models(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{demo.Assistant}, ids)
	_, err = c.Complete(t.Context(), scripted("text=hi"))
	require.Error(t, err)
}

func client(t *testing.T, o demo.Options) *model.Client {
	t.Helper()
	server := httptest.NewServer(demo.Handler(o))
	t.Cleanup(server.Close)
	return model.New(model.Options{BaseURL: server.URL + "/v1", APIKey: o.Key, HTTPClient: server.Client()})
}

var someTools = []model.Tool{
	{Name: "ai_searchDocs", Parameters: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}}}`)},
	{Name: "ai_listDocs"},
}

func scripted(script string) model.Request {
	return model.Request{
		Model: demo.Scripted, Tools: someTools,
		Messages: []model.Message{{Role: model.RoleSystem, Content: "Be brief."}, {Role: model.RoleUser, Content: "script: " + script}},
	}
}

// next returns the request that follows a response with tool calls.
func next(request model.Request, response model.Response) model.Request {
	request.Messages = append(slices.Clone(request.Messages),
		model.Message{Role: model.RoleAssistant, Content: response.Text, ToolCalls: response.ToolCalls})
	for _, call := range response.ToolCalls {
		request.Messages = append(request.Messages, model.Message{Role: model.RoleTool, ToolCallID: call.ID, Content: `{"ok":true}`})
	}
	return request
}

func TestAssistantOverTheWire(t *testing.T) {
	t.Parallel()
	c := client(t, demo.Options{Key: "secret", Scripts: true})
	request := model.Request{Model: demo.Assistant, Messages: []model.Message{{Role: model.RoleUser, Content: "Which teams are there?"}}}
	for name := range aWorld() {
		request.Tools = append(request.Tools, model.Tool{Name: name})
	}
	response, err := c.Stream(t.Context(), request, nil)
	require.NoError(t, err)
	require.Equal(t, "Let me see which teams there are.", response.Text)
	require.Len(t, response.ToolCalls, 1)
	require.Equal(t, "catalog_listTeams", response.ToolCalls[0].Name)
	require.Equal(t, model.FinishToolCalls, response.FinishReason)
	require.Equal(t, demo.Assistant, response.Model)
	require.True(t, response.Usage.Reported)
	require.Positive(t, response.Usage.InputTokens)
	require.Positive(t, response.Usage.OutputTokens)

	request = next(request, response)
	request.Messages[len(request.Messages)-1].Content = `{"teams":[{"id":"t-1","name":"Platform"}]}`
	for name, ask := range map[string]func() (model.Response, error){
		"streamed": func() (model.Response, error) { return c.Stream(t.Context(), request, nil) },
		"whole":    func() (model.Response, error) { return c.Complete(t.Context(), request) },
	} {
		response, err = ask()
		require.NoError(t, err, name)
		require.Equal(t, "There is 1 team:\n\n- **Platform**", response.Text, name)
		require.Equal(t, model.FinishStop, response.FinishReason, name)
		require.True(t, response.Usage.Reported, name)
	}
}

func TestServerListsItsModels(t *testing.T) {
	t.Parallel()
	ids, err := client(t, demo.Options{Scripts: true}).Models(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{demo.Assistant, demo.Scripted}, ids)
}

func TestServerRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(demo.Handler(demo.Options{Key: "secret", Scripts: true}))
	t.Cleanup(server.Close)
	for _, key := range []string{"", "secre", "secret2"} {
		c := model.New(model.Options{BaseURL: server.URL + "/v1", APIKey: key})
		_, err := c.Models(t.Context())
		require.Equal(t, model.Unauthorized, model.ClassOf(err), key)
	}
	c := client(t, demo.Options{Scripts: true})
	_, err := c.Stream(t.Context(), model.Request{Model: "gpt-9", Messages: scripted("").Messages}, nil)
	require.Equal(t, model.NotFound, model.ClassOf(err))
	_, err = c.Stream(t.Context(), model.Request{Model: demo.Assistant}, nil)
	require.Equal(t, model.Invalid, model.ClassOf(err))
}

func TestScriptedRounds(t *testing.T) {
	t.Parallel()
	c := client(t, demo.Options{Scripts: true})
	request := scripted(
		`rounds=3 calls=2 tool=ai.searchDocs input={"query":"r{round} c{call}"} r2.tool=ai.listDocs r2.text="Second." text="All done:" tokens=5 reasoning=3`,
	)
	var said []string
	for range 4 {
		response, err := c.Stream(t.Context(), request, nil)
		require.NoError(t, err)
		line := response.Text
		for _, call := range response.ToolCalls {
			line += fmt.Sprintf(" %s%s", call.Name, call.Arguments)
		}
		said = append(said, strings.TrimSpace(line))
		require.Equal(t, "one two three", response.Reasoning)
		request = next(request, response)
	}
	require.Equal(t, []string{
		`ai_searchDocs{"query":"r1 c1"} ai_searchDocs{"query":"r1 c2"}`,
		`Second. ai_listDocs{} ai_listDocs{}`,
		`ai_searchDocs{"query":"r3 c1"} ai_searchDocs{"query":"r3 c2"}`,
		`All done: one two three`,
	}, said)
}

func TestArgumentsThatComeInPiecesKeepTheirCharacters(t *testing.T) {
	t.Parallel()
	c := client(t, demo.Options{Scripts: true, PerToken: time.Nanosecond})
	// Wherever a piece ends, it is inside a character for one of them.
	for lead := range 4 {
		query := strings.Repeat("x", lead) + strings.Repeat("\u201cZ\u00fcrich\u201d\U0001F680", 20)
		response, err := c.Stream(t.Context(), scripted(`tool=ai.searchDocs input={"query":"`+query+`"}`), nil)
		require.NoError(t, err)
		require.Len(t, response.ToolCalls, 1)
		require.JSONEq(t, `{"query":"`+query+`"}`, response.ToolCalls[0].Arguments)
	}
}

func TestScriptedModelAnswersWhenNoToolsAreOffered(t *testing.T) {
	t.Parallel()
	c := client(t, demo.Options{Scripts: true})
	request := scripted(`never_ends text="Enough."`)
	response, err := c.Stream(t.Context(), request, nil)
	require.NoError(t, err)
	require.Len(t, response.ToolCalls, 1)
	request.Tools = nil
	response, err = c.Stream(t.Context(), request, nil)
	require.NoError(t, err)
	require.Equal(t, "Enough.", response.Text)
}

func TestScriptedModelWithoutScriptIsTheAssistant(t *testing.T) {
	t.Parallel()
	request := scripted("")
	request.Messages[1].Content = "hello"
	response, err := client(t, demo.Options{Scripts: true}).Complete(t.Context(), request)
	require.NoError(t, err)
	require.Contains(t, response.Text, "Hello!")
}

func TestScriptErrorsAreSaid(t *testing.T) {
	t.Parallel()
	response, err := client(t, demo.Options{Scripts: true}).Stream(t.Context(), scripted("round=4"), nil)
	require.NoError(t, err)
	require.Equal(t, `The script cannot be performed: "round" is not a directive.`, response.Text)
}

// Every fault is seen by the client as it is meant: as an error of a class, or
// as an answer that the client has repaired.
func TestFaultsOverTheWire(t *testing.T) {
	t.Parallel()
	const script = `rounds=1 tool=ai_searchDocs input={"query":"x"} r1.text="Let me look that up." calls=2 fault=`
	failing := map[demo.FaultKind]model.Class{
		demo.FaultRateLimited: model.RateLimited, demo.FaultServerError: model.Unavailable, demo.FaultUnavailable: model.Unavailable,
		demo.FaultHTML: model.Unavailable, demo.FaultInvalidKey: model.Unauthorized, demo.FaultContext: model.ContextLength,
		demo.FaultRefused: model.ContentFilter, demo.FaultModelMissing: model.NotFound, demo.FaultJSONError: model.Unavailable,
		demo.FaultCut: model.Cut, demo.FaultReset: model.Cut, demo.FaultStreamError: model.Unavailable, demo.FaultFilter: model.ContentFilter,
		demo.FaultHang: model.Stalled, demo.FaultStall: model.Stalled,
	}
	answering := map[demo.FaultKind]func(t *testing.T, r model.Response){
		demo.FaultEmpty: func(t *testing.T, r model.Response) { require.True(t, r.Empty()) },
		demo.FaultMalformed: func(t *testing.T, r model.Response) {
			require.False(t, json.Valid([]byte(r.ToolCalls[1].Arguments)), r.ToolCalls[1].Arguments)
		},
		demo.FaultUnknownTool: func(t *testing.T, r model.Response) { require.Equal(t, "demo_noSuchTool", r.ToolCalls[0].Name) },
		demo.FaultDuplicateIDs: func(t *testing.T, r model.Response) {
			require.Len(t, r.ToolCalls, 1, "the same call twice under one id")
		},
		demo.FaultMissingIDs: requireTwoGoodCalls,
		demo.FaultNoIndex:    requireTwoGoodCalls,
		demo.FaultObjectArgs: requireTwoGoodCalls,
		demo.FaultNoDone:     requireTwoGoodCalls,
		demo.FaultNoUsage:    func(t *testing.T, r model.Response) { require.False(t, r.Usage.Reported) },
	}
	server := httptest.NewServer(demo.Handler(demo.Options{Scripts: true}))
	t.Cleanup(server.Close)
	patient := model.New(model.Options{BaseURL: server.URL + "/v1"})
	impatient := model.New(model.Options{BaseURL: server.URL + "/v1", StallTimeout: 2 * time.Second})
	for _, kind := range demo.FaultKinds() {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			c := patient
			if failing[kind] == model.Stalled {
				c = impatient
			}
			request := scripted(script + string(kind))
			response, err := c.Stream(t.Context(), request, nil)
			class, fails := failing[kind]
			check, answers := answering[kind]
			require.NotEqual(t, fails, answers, "the test knows the fault")
			if answers {
				require.NoError(t, err)
				check(t, response)
				return
			}
			require.Equal(t, class, model.ClassOf(err), "%v", err)
			if kind == demo.FaultCut || kind == demo.FaultStall || kind == demo.FaultReset {
				require.Equal(t, "Let me loo", response.Text, "half of the text has arrived")
			}

			again, err := patient.Stream(t.Context(), request, nil)
			require.NoError(t, err, "the next try succeeds")
			requireTwoGoodCalls(t, again)
		})
		t.Run(string(kind)+" not streamed", func(t *testing.T) {
			t.Parallel()
			c := patient
			if failing[kind] == model.Stalled {
				c = impatient
			}
			_, err := c.Complete(t.Context(), scripted("text=Hi id=whole fault="+string(kind)))
			class, fails := failing[kind]
			if !fails {
				require.NoError(t, err)
				return
			}
			require.Equal(t, class, model.ClassOf(err), "%v", err)
		})
	}
}

func requireTwoGoodCalls(t *testing.T, r model.Response) {
	t.Helper()
	require.Len(t, r.ToolCalls, 2)
	require.NotEqual(t, r.ToolCalls[0].ID, r.ToolCalls[1].ID)
	for _, call := range r.ToolCalls {
		require.NotEmpty(t, call.ID)
		require.Equal(t, "ai_searchDocs", call.Name)
		require.JSONEq(t, `{"query":"x"}`, call.Arguments)
	}
}

func TestRateLimitSaysWhenToComeBack(t *testing.T) {
	t.Parallel()
	c := client(t, demo.Options{Scripts: true})
	for script, want := range map[string]time.Duration{
		"fault=429":                     time.Second,
		"fault=429 retry_after=250ms":   250 * time.Millisecond,
		"fault=503 retry_after=2500ms":  2500 * time.Millisecond,
		"fault=503 id=no-header-by-def": 0,
	} {
		_, err := c.Stream(t.Context(), scripted(script), nil)
		failure, ok := errors.AsType[*model.Error](err)
		require.True(t, ok)
		require.Equal(t, want, failure.RetryAfter, script)
	}
}

func TestFaultsAreCountedByTurnAndRound(t *testing.T) {
	t.Parallel()
	c := client(t, demo.Options{Scripts: true})
	class := func(request model.Request) model.Class {
		_, err := c.Stream(t.Context(), request, nil)
		return model.ClassOf(err)
	}
	request := scripted("rounds=1 fault=500@2x2 fault=429@2")
	first, err := c.Stream(t.Context(), request, nil)
	require.NoError(t, err, "the first round has no fault")
	second := next(request, first)
	require.Equal(t, model.Unavailable, class(second))
	second.Messages[0].Content = "Be brief. It is a minute later."
	require.Equal(t, model.Unavailable, class(second), "a retry is the same request, whatever the system prompt says")
	require.Equal(t, model.RateLimited, class(second))
	require.Empty(t, class(second))

	other := second
	other.User = "another conversation"
	require.Equal(t, model.Unavailable, class(other), "another conversation counts by itself")

	always := scripted("fault=500@*x*")
	for range 3 {
		require.Equal(t, model.Unavailable, class(always))
	}
}

func TestFaultCountsExpire(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	now := time.Date(2026, 3, 3, 10, 0, 0, 0, time.UTC)
	c := client(t, demo.Options{Scripts: true, Clock: func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return now
	}})
	request := scripted("fault=500")
	_, err := c.Stream(t.Context(), request, nil)
	require.Equal(t, model.Unavailable, model.ClassOf(err))
	_, err = c.Stream(t.Context(), request, nil)
	require.NoError(t, err)
	mu.Lock()
	now = now.Add(time.Hour)
	mu.Unlock()
	_, err = c.Stream(t.Context(), request, nil)
	require.Equal(t, model.Unavailable, model.ClassOf(err))
}

// recorder is a response writer that notes when each token was flushed.
type recorder struct {
	*httptest.ResponseRecorder
	begin time.Time
	at    []time.Duration
}

func (r *recorder) Flush() { r.at = append(r.at, time.Since(r.begin)) }

func TestServerKeepsThePace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		handler := demo.Handler(demo.Options{Scripts: true, FirstToken: 300 * time.Millisecond, PerToken: 20 * time.Millisecond})
		r := &recorder{httptest.NewRecorder(), time.Now(), nil}
		body := `{"model":"countersign-demo-script","stream":true,"messages":[{"role":"user","content":"script: tokens=5"}]}`
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/chat/completions", strings.NewReader(body))
		handler.ServeHTTP(r, request)
		require.Equal(t, []time.Duration{
			300 * time.Millisecond, 320 * time.Millisecond, 340 * time.Millisecond, 360 * time.Millisecond, 380 * time.Millisecond,
		}, r.at, "one flush a token")
		require.Equal(t, 400*time.Millisecond, time.Since(r.begin))
		require.Equal(t, 1, strings.Count(r.Body.String(), "[DONE]"))
	})
}

func TestServerStopsWithTheClient(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"fault=hang", "fault=stall", "delay_first=10m", "delay_token=1m tokens=100", "delay_token=1s chunk=3 tokens=1000"} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
			defer cancel()
			body := fmt.Sprintf(`{"model":"countersign-demo-script","stream":true,"messages":[{"role":"user","content":"script: %s"}]}`, script)
			request := httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/chat/completions", strings.NewReader(body))
			begin := time.Now()
			demo.Handler(demo.Options{Scripts: true}).ServeHTTP(httptest.NewRecorder(), request)
			require.Equal(t, 90*time.Second, time.Since(begin), script)
		})
	}
}

func TestServe(t *testing.T) {
	t.Parallel()
	_, _, err := demo.Serve(t.Context(), "127.0.0.1:0", demo.Options{})
	require.ErrorContains(t, err, "key")
	_, _, err = demo.Serve(t.Context(), "0.0.0.0:0", demo.Options{Key: "k", Scripts: true})
	require.ErrorContains(t, err, "loopback")

	base, stop, err := demo.Serve(t.Context(), "127.0.0.1:0", demo.Options{Key: "k", Scripts: true})
	require.NoError(t, err)
	c := model.New(model.Options{BaseURL: base, APIKey: "k"})
	_, err = c.Models(t.Context())
	require.NoError(t, err)

	waiting := make(chan error, 1)
	go func() {
		_, err := c.Stream(t.Context(), scripted("tokens=100 delay_token=1m"), func(model.Delta) { waiting <- nil })
		waiting <- err
	}()
	<-waiting // the first token has arrived
	require.NoError(t, stop(t.Context()), "a stream that waits does not keep the server from stopping")
	require.Error(t, <-waiting)
	require.NoError(t, stop(t.Context()), "stopping twice is harmless")
	_, err = c.Models(t.Context())
	require.Equal(t, model.Unavailable, model.ClassOf(err))

	ctx, cancel := context.WithCancel(t.Context())
	base, stop, err = demo.Serve(ctx, "127.0.0.1:0", demo.Options{Key: "k", Scripts: true})
	require.NoError(t, err)
	cancel()
	require.Eventually(t, func() bool {
		_, err := model.New(model.Options{BaseURL: base, APIKey: "k"}).Models(t.Context())
		return err != nil
	}, time.Minute, time.Millisecond, "the server ends with its context")
	require.NoError(t, stop(t.Context()))
}
