package connection_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/rest"
	"countersign/model"
	"countersign/modules/connection"
)

// headerCanary is recognisable wherever it might leak to.
const headerCanary = "gw-canary-77777777"

// withHeaders is a connection with two headers and everything else that can be said of requests.
func withHeaders(name string) map[string]any {
	return map[string]any{
		"name": name, "baseUrl": "https://models.example.org/v1", "defaultModel": "gpt-x",
		"extraHeaders": []map[string]string{{"name": "x-gateway-key", "value": headerCanary}, {"name": "X-Title", "value": "Operations desk"}},
		"extraBody":    map[string]any{"service_tier": "flex", "seed": json.Number("9007199254740993")}, "reasoningEffort": "low",
		"streaming": "off", "textCalls": "on", "firstTokenSeconds": 240, "maxTools": 40,
	}
}

func (a *app) made(t *testing.T, body map[string]any) connection.Connection {
	t.Helper()
	answer := a.do(t, connection.Manage+","+connection.Read, http.MethodPost, "/api/ai/connections", body)
	require.Equal(t, http.StatusCreated, answer.Status, answer.Body)
	require.NotContains(t, answer.Body, headerCanary)
	return apitest.Decode[connection.Connection](t, answer)
}

func (a *app) patched(t *testing.T, c connection.Connection, change map[string]any) connection.Connection {
	t.Helper()
	answer := a.do(t, connection.Manage+","+connection.Read, http.MethodPatch, "/api/ai/connections/"+c.ID.String(), change)
	require.Equal(t, http.StatusOK, answer.Status, answer.Body)
	require.NotContains(t, answer.Body, headerCanary)
	return apitest.Decode[connection.Connection](t, answer)
}

// requests are the options of a model client, as a turn gets them.
func (a *app) requests(t *testing.T, c connection.Connection) model.Options {
	t.Helper()
	found, err := a.ForTurn(t.Context(), &c.ID)
	require.NoError(t, err)
	options, err := a.Requests(found)
	require.NoError(t, err)
	return options
}

func TestAConnectionSaysHowRequestsAreMade(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	made := a.made(t, withHeaders("Gateway"))
	require.Equal(t, []string{"X-Gateway-Key", "X-Title"}, made.ExtraHeaderNames)
	require.Equal(t, rest.Object{"service_tier": "flex", "seed": json.Number("9007199254740993")}, made.ExtraBody)
	require.Equal(t, "low", made.ReasoningEffort)
	require.Equal(t, "off", made.Streaming)
	require.Equal(t, "on", made.TextCalls)
	require.Equal(t, 240, *made.FirstTokenSeconds)
	require.Equal(t, 40, *made.MaxTools)

	sent := a.requests(t, made)
	require.Equal(t, http.Header{"X-Gateway-Key": {headerCanary}, "X-Title": {"Operations desk"}}, sent.Headers)
	require.JSONEq(t, `{"service_tier":"flex","seed":9007199254740993}`, string(sent.ExtraBody))
	require.Contains(t, string(sent.ExtraBody), "9007199254740993")
	require.Equal(t, "low", sent.ReasoningEffort)
	require.Equal(t, model.StreamNever, sent.Streaming)
	require.Equal(t, model.TextCallsMade, sent.TextCalls)

	plain := a.made(t, map[string]any{"name": "Plain", "baseUrl": "https://models.example.org/v1", "defaultModel": "gpt-x"})
	require.Empty(t, plain.ExtraHeaderNames)
	require.Equal(t, "auto", plain.Streaming)
	require.Equal(t, "auto", plain.TextCalls)
	require.Empty(t, a.requests(t, plain).TextCalls)
	require.Nil(t, plain.MaxTools)
	require.Empty(t, a.requests(t, plain).Streaming)
}

// Some gateways take keys in the body, so only those who could have written it read it.
func TestExtraMembersAreShownToManagersOnly(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	made := a.made(t, withHeaders("Gateway"))
	for rules, shown := range map[string]bool{connection.Read: false, connection.Read + "," + connection.Manage: true} {
		for _, path := range []string{"", "/" + made.ID.String()} {
			answer := a.do(t, rules, http.MethodGet, "/api/ai/connections"+path, nil)
			require.Equal(t, http.StatusOK, answer.Status)
			require.Contains(t, answer.Body, "X-Gateway-Key")
			require.Equal(t, shown, strings.Contains(answer.Body, "service_tier"), rules+path)
		}
	}
}

// A change keeps the values that it does not have, and null clears.
func TestHeadersAreChangedWithoutBeingShown(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	made := a.made(t, withHeaders("Gateway"))
	changed := a.patched(
		t,
		made,
		map[string]any{"extraHeaders": []map[string]string{{"name": "X-Gateway-Key"}, {"name": "x-new", "value": "n"}}},
	)
	require.Equal(t, []string{"X-Gateway-Key", "X-New"}, changed.ExtraHeaderNames)
	require.Equal(t, http.Header{"X-Gateway-Key": {headerCanary}, "X-New": {"n"}}, a.requests(t, changed).Headers)

	cleared := a.patched(t, made, map[string]any{
		"extraHeaders":      nil,
		"extraBody":         nil,
		"reasoningEffort":   nil,
		"streaming":         "auto",
		"textCalls":         "auto",
		"firstTokenSeconds": nil,
		"maxTools":          nil,
	})
	require.Empty(t, cleared.ExtraHeaderNames)
	require.Empty(t, cleared.ExtraBody)
	require.Empty(t, cleared.ReasoningEffort)
	require.Nil(t, cleared.FirstTokenSeconds)
	require.Nil(t, cleared.MaxTools)
	require.Empty(t, a.requests(t, cleared).Headers)
}

// Values of headers are for the server that they were given for.
func TestHeadersAreNotTakenToAnotherServer(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	made := a.made(t, withHeaders("Gateway"))
	for name, change := range map[string]map[string]any{
		"kept":   {"baseUrl": "https://other.example.org/v1"},
		"listed": {"baseUrl": "https://other.example.org/v1", "extraHeaders": []map[string]string{{"name": "X-Gateway-Key"}}},
	} {
		answer := a.do(t, connection.Manage, http.MethodPatch, "/api/ai/connections/"+made.ID.String(), change)
		require.Equal(t, http.StatusUnprocessableEntity, answer.Status, name)
		require.Contains(t, answer.Body, "extraHeaders", name)
	}
	moved := a.patched(t, made, map[string]any{
		"baseUrl": "https://other.example.org/v1", "extraHeaders": []map[string]string{{"name": "X-Gateway-Key", "value": "another"}},
	})
	require.Equal(t, http.Header{"X-Gateway-Key": {"another"}}, a.requests(t, moved).Headers)
	onward := a.patched(t, made, map[string]any{"baseUrl": "https://third.example.org/v1", "extraHeaders": nil})
	require.Empty(t, onward.ExtraHeaderNames)
}

func TestSettingsOfRequestsAreChecked(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	header := func(name, value string) any { return []map[string]string{{"name": name, "value": value}} }
	many := make([]map[string]string, 21)
	for i := range many {
		many[i] = map[string]string{"name": "X-" + strings.Repeat("a", i+1), "value": "v"}
	}
	for name, test := range map[string]struct {
		field string
		value any
		says  string
	}{
		"authorization":     {"extraHeaders", header("authorization", "Bearer x"), "must not be Authorization"},
		"host":              {"extraHeaders", header("Host", "elsewhere"), "must not be Host"},
		"content type":      {"extraHeaders", header("Content-Type", "x"), "must not be Content-Type"},
		"content length":    {"extraHeaders", header("content-length", "1"), "must not be Content-Length"},
		"hop":               {"extraHeaders", header("Transfer-Encoding", "x"), "must not be Transfer-Encoding"},
		"proxy":             {"extraHeaders", header("Proxy-Authorization", "x"), "must not be Proxy-Authorization"},
		"no name":           {"extraHeaders", header("X Y", "x"), "must be the name of a header"},
		"a second line":     {"extraHeaders", header("X-A", "a\r\nAuthorization: b"), "must be printable ASCII"},
		"no value":          {"extraHeaders", []map[string]string{{"name": "X-A"}}, "must be given"},
		"twice":             {"extraHeaders", []map[string]string{{"name": "X-A", "value": "1"}, {"name": "x-a", "value": "2"}}, "is there twice"},
		"too many":          {"extraHeaders", many, "20"},
		"messages":          {"extraBody", map[string]any{"messages": []any{}}, "must not have the member messages"},
		"tools, in capital": {"extraBody", map[string]any{"TOOLS": []any{}}, "must not have the member TOOLS"},
		"stream":            {"extraBody", map[string]any{"stream": false}, "must not have the member stream"},
		"effort":            {"extraBody", map[string]any{"reasoning_effort": "low"}, "must not have the member reasoning_effort"},
		"a long body":       {"extraBody", map[string]any{"x": strings.Repeat("x", 9000)}, "at most 8192 bytes"},
		"a list":            {"extraBody", []any{1}, "extraBody"},
		"another effort":    {"reasoningEffort", "extreme", "reasoningEffort"},
		"another streaming": {"streaming", "sometimes", "streaming"},
		"other text calls":  {"textCalls", "sometimes", "textCalls"},
		"no time":           {"firstTokenSeconds", -1, "firstTokenSeconds"},
		"too long":          {"firstTokenSeconds", 3601, "firstTokenSeconds"},
		"few tools":         {"maxTools", 7, "maxTools"},
		"many tools":        {"maxTools", 1001, "maxTools"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := withHeaders("Refused " + name)
			body[test.field] = test.value
			answer := a.do(t, connection.Manage, http.MethodPost, "/api/ai/connections", body)
			require.Equal(t, http.StatusUnprocessableEntity, answer.Status, answer.Body)
			require.Contains(t, answer.Body, test.says)
			require.NotContains(t, answer.Body, headerCanary)
		})
	}
}

// What was learned of requests that are made otherwise does not hold, and a number of tools that somebody says replaces
// the learned one.
func TestLessonsAreForgottenWithHowRequestsAreMade(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	for name, test := range map[string]struct {
		change map[string]any
		kept   bool
	}{
		"streaming":        {map[string]any{"streaming": "auto"}, false},
		"effort":           {map[string]any{"reasoningEffort": "high"}, false},
		"body":             {map[string]any{"extraBody": map[string]any{"service_tier": "flex"}}, false},
		"headers":          {map[string]any{"extraHeaders": nil}, false},
		"the same headers": {map[string]any{"extraHeaders": []map[string]string{{"name": "X-Title"}, {"name": "x-gateway-key"}}}, true},
		"the same body":    {map[string]any{"extraBody": map[string]any{"seed": json.Number("9007199254740993"), "service_tier": "flex"}}, true},
		"the same effort":  {map[string]any{"reasoningEffort": "low"}, true},
		"first token":      {map[string]any{"firstTokenSeconds": 9}, true},
		"text calls":       {map[string]any{"textCalls": "off"}, true},
		"number of tools":  {map[string]any{"maxTools": 50}, true},
		"the same number":  {map[string]any{"maxTools": 40}, true},
		"nothing of these": {map[string]any{"enabled": false}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := a.made(t, withHeaders("Taught "+name))
			require.NoError(t, a.AddQuirks(t.Context(), made, []model.ModelQuirk{{Model: "gpt-x", Quirk: "no_user"}}))
			_, _ = learn(t, a, made, "gpt-x", model.Figures{MaxTools: 20, WindowTokens: 9000})
			changed := a.patched(t, made, test.change)
			require.Equal(t, test.kept, len(changed.LearnedQuirks) == 1)
			require.Equal(t, test.kept, changed.FiguresOf("gpt-x").WindowTokens == 9000)
			if name == "number of tools" {
				require.Zero(t, changed.FiguresOf("gpt-x").MaxTools)
			} else if test.kept {
				require.Equal(t, 20, changed.FiguresOf("gpt-x").MaxTools)
			}
		})
	}
}

// The demo model has no provider that headers could be for.
func TestTheDemoModelTakesNoHeaders(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	_, err := a.Bootstrap(t.Context(), connection.Environment{})
	require.NoError(t, err)
	list, err := a.List(manager(t))
	require.NoError(t, err)
	answer := a.do(t, connection.Manage, http.MethodPatch, "/api/ai/connections/"+list[0].ID.String(),
		map[string]any{"extraHeaders": []map[string]string{{"name": "X-A", "value": "1"}}})
	require.Equal(t, http.StatusConflict, answer.Status, answer.Body)
}

// Rotation seals headers with the newest key as well.
func TestRotationSealsHeadersWithTheNewestKey(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	made := a.made(t, withHeaders("Gateway")) // without an API key
	rotated, err := a.keys.Rotate()
	require.NoError(t, err)
	for _, want := range []int{1, 0} {
		n, err := connection.Reseal(t.Context(), a.DB, rotated)
		require.NoError(t, err)
		require.Equal(t, want, n)
	}
	after, err := connection.New(
		connection.Options{DB: a.DB, Sealer: rotated, Demo: func() connection.Endpoint { return connection.Endpoint{} }},
	)
	require.NoError(t, err)
	found, err := after.ForTurn(t.Context(), &made.ID)
	require.NoError(t, err)
	headers, err := after.OpenHeaders(found)
	require.NoError(t, err)
	require.Equal(t, headerCanary, headers.Get("X-Gateway-Key"))
}
