package attack_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// connection is what a program holds that a person has connected.
type connection struct {
	client, manage, code, access, refresh string
}

// registers makes a program.
func registers(t *testing.T, p *apptest.Product) (c connection) {
	t.Helper()
	var registered struct {
		ID     string `json:"client_id"`
		Manage string `json:"registration_access_token"`
	}
	p.Anonymous().Post(t, "/oauth/register", map[string]any{"client_name": "Editor", "redirect_uris": []string{callback}}, &registered)
	return connection{client: registered.ID, manage: registered.Manage}
}

const callback = "http://127.0.0.1:1/back"

// lets lets a person connect a program.
func (c connection) lets(t *testing.T, p *apptest.Product, person *apptest.Client, scope string) connection {
	t.Helper()
	verifier := strings.Repeat("v", 64)
	sum := sha256.Sum256([]byte(verifier))
	query := url.Values{
		"response_type": {"code"}, "client_id": {c.client}, "redirect_uri": {callback}, "scope": {scope},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}
	var decided struct{ Redirect string }
	person.Post(
		t,
		"/api/oauth/decision",
		map[string]any{"request": "q" + base64.RawURLEncoding.EncodeToString([]byte(query.Encode())), "allow": true},
		&decided,
	)
	at, err := url.Parse(decided.Redirect)
	require.NoError(t, err)
	c.code = at.Query().Get("code")
	response, err := http.PostForm(p.URL+"/oauth/token", url.Values{
		"grant_type": {"authorization_code"}, "client_id": {c.client}, "redirect_uri": {callback}, "code": {c.code}, "code_verifier": {verifier},
	})
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	var tokens struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	require.NoError(t, json.NewDecoder(response.Body).Decode(&tokens))
	require.NotEmpty(t, tokens.Access)
	c.access, c.refresh = tokens.Access, tokens.Refresh
	return c
}

// connects makes a program that a person connects.
func connects(t *testing.T, p *apptest.Product, person *apptest.Client, scope string) connection {
	t.Helper()
	return registers(t, p).lets(t, p, person, scope)
}

// chatToken is one that a person makes.
func chatToken(t *testing.T, person *apptest.Client) string {
	t.Helper()
	var made struct{ Token string }
	person.Post(t, "/api/auth/chat-tokens", map[string]any{"name": "Editor"}, &made)
	return made.Token
}

// asProgram sends a request of MCP with a bearer token; body may be any text.
func asProgram(t *testing.T, p *apptest.Product, token, body string, headers ...apptest.Header) apptest.Answer {
	t.Helper()
	return p.Bearer(
		p.Admin.ID,
		token,
	).Call(
		t,
		http.MethodPost,
		"/mcp",
		body,
		append([]apptest.Header{{Name: "Accept", Value: "application/json, text/event-stream"}}, headers...)...)
}

// calling is a call of a tool over MCP.
func calling(tool, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":` + encode(tool) + `,"arguments":` + arguments + `}}`
}

// scripted is a product whose chats do what the message says, in every protocol.
func scripted(t *testing.T, env map[string]string) *apptest.Product {
	t.Helper()
	maps.Copy(env, apptest.NewProvider(t).Env())
	return apptest.Start(t, apptest.Options{Env: env})
}

// Each credential opens the address that it is for, and no other, however that is written.
func TestEachTokenOpensTheAddressThatItIsFor(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	ada := p.Person(t, p.Role(t, "catalog.system.read", "catalog.system.manage"))
	program := connects(t, p, ada, "countersign:read countersign:write")
	own := ada.Propose(t, "catalog.createSystem", map[string]any{"name": "Waits"})
	chat := chatToken(t, ada)
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
	doors := map[string]func(token string) int{
		"the API": func(token string) int { return p.Bearer(ada.ID, token).Call(t, http.MethodGet, "/api/me", nil).Status },
		"the chat": func(token string) int {
			return p.Bearer(ada.ID, token).Call(t, http.MethodPost, "/api/ai/chat", `{}`).Status
		},
		"a stream": func(token string) int {
			return p.Bearer(ada.ID, token).Call(t, http.MethodGet, "/api/ai/chat/x/stream", nil).Status
		},
		"agents' pages": func(token string) int {
			return p.Bearer(ada.ID, token).Call(t, http.MethodPost, "/api/ai/agui", `{}`).Status
		},
		"OpenAI clients": func(token string) int {
			return p.Bearer(ada.ID, token).Call(t, http.MethodGet, "/v1/models", nil).Status
		},
		"MCP": func(token string) int { return asProgram(t, p, token, list).Status },
		"a registration": func(token string) int {
			return p.Bearer(ada.ID, token).Call(t, http.MethodGet, "/oauth/register/"+program.client, nil).Status
		},
	}
	tokens := map[string]struct {
		text  string
		opens []string
	}{
		"of an application": {
			p.Application(t, p.Role(t, "ai.chat.read")).Token(),
			[]string{"the API", "the chat", "a stream", "agents' pages", "OpenAI clients", "MCP"},
		},
		"of a program":           {program.access, []string{"MCP"}},
		"for chats":              {chat, []string{"OpenAI clients"}},
		"of a registration":      {program.manage, []string{"a registration"}},
		"to refresh":             {program.refresh, nil},
		"a code":                 {program.code, nil},
		"of a proposal":          {own.Token, nil},
		"a session":              {ada.Cookie(t), nil},
		"a refresh as access":    {"cso_" + strings.TrimPrefix(program.refresh, "csr_"), nil},
		"an access as a chat":    {"cst_" + strings.TrimPrefix(program.access, "cso_"), nil},
		"an access as the API's": {"csa_" + strings.TrimPrefix(program.access, "cso_"), nil},
		"a chat as access":       {"cso_" + strings.TrimPrefix(chat, "cst_"), nil},
		"of a turn, made up":     {"csd_" + base64.RawURLEncoding.EncodeToString(make([]byte, 90)), nil},
		"nothing":                {"-", nil},
	}
	for _, name := range slices.Sorted(maps.Keys(tokens)) {
		for door, status := range doors {
			got := status(tokens[name].text)
			require.Less(t, got, 500, "%s %s", name, door)
			if slices.Contains(tokens[name].opens, door) {
				require.NotEqual(t, http.StatusUnauthorized, got, "%s opens %s", name, door)
			} else {
				require.Contains(t, []int{http.StatusUnauthorized, http.StatusTooManyRequests}, got, "%s does not open %s", name, door)
			}
		}
	}
	for _, path := range []string{"/v1/../api/me", "/v1/%2e%2e/api/me", "/v1/..%2fapi/me", "/v1//api/me", "//api/me", "/api/me/../../v1/models", "/mcp/../api/me", "/mcp/%2e%2e/api/me", "/api/me?path=/mcp", "/api/me;/mcp"} {
		for name, token := range map[string]string{"for chats": chat, "of a program": program.access} {
			answer := p.Bearer(ada.ID, token).Call(t, http.MethodGet, path, nil, apptest.Header{Name: "X-Forwarded-Prefix", Value: "/mcp"},
				apptest.Header{Name: "X-Original-URL", Value: "/mcp"}, apptest.Header{Name: "X-Rewrite-URL", Value: "/v1/models"})
			require.NotContains(t, string(answer.Body), ada.Email, "%s at %s", name, path)
			require.Less(t, answer.Status, 500, "%s at %s", name, path)
		}
	}
}

// Programs, sessions and protocols of one person have one budget.
func TestManyProgramsHaveOneBudget(t *testing.T) {
	t.Parallel()
	p := scripted(t, map[string]string{"COUNTERSIGN_TOOL_BUDGET_CALLS": "6", "COUNTERSIGN_TOOL_BUDGET_WINDOW": "1h"})
	ada := p.Person(t)
	one, two := connects(t, p, ada, "countersign:read"), connects(t, p, ada, "countersign:read countersign:write")
	read := calling("ai_listDocs", `{}`)
	for _, token := range []string{one.access, two.access, one.access} {
		require.Equal(t, http.StatusOK, asProgram(t, p, token, read).Status)
	}
	ada.Post(t, "/api/ai/tools/ai.listDocs/call", map[string]any{"input": map[string]any{}}, nil)
	ada.Conversation(t, nil).Perform(t, `tool=ai.listDocs text="Done."`)
	said := p.Bearer(ada.ID, chatToken(t, ada)).Post(t, "/v1/chat/completions", map[string]any{
		"model": "countersign", "messages": []any{map[string]any{"role": "user", "content": `script: tool=ai.listDocs text="Done."`}},
	}, nil)
	require.Contains(t, string(said.Body), "Done.")
	require.Equal(t, 6, p.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE principal_id = $1 AND number IS NOT NULL`, ada.ID))
	three := connects(t, p, ada, "countersign:read")
	for name, token := range map[string]string{"the first": one.access, "the second": two.access, "a new one": three.access} {
		refused := asProgram(t, p, token, read)
		require.Equal(t, http.StatusTooManyRequests, refused.Status, name)
		require.Contains(t, string(refused.Body), "-32010", name)
	}
	require.Equal(
		t,
		http.StatusTooManyRequests,
		ada.Call(t, http.MethodPost, "/api/ai/tools/ai.listDocs/call", map[string]any{"input": map[string]any{}}).Status,
	)
}

// What a client of MCP sends is read in one way only, or not at all, and a tool has the names that it has.
func TestWhatAProgramSendsIsReadInOneWay(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	token := p.Application(t, p.Role(t, "ai.chat.read", "catalog.system.read", "catalog.system.manage")).Token()
	deep := strings.Repeat(`{"a":`, 2000) + "1" + strings.Repeat("}", 2000)
	for name, arguments := range map[string]string{
		"a member twice":          `{"name":"One","name":"Two"}`,
		"a member twice, escaped": `{"name":"One","n\u0061me":"Two"}`,
		"a member unknown":        `{"name":"One","ownerId":"x"}`,
		"another case":            `{"Name":"One"}`,
		"two cases":               `{"name":"One","Name":"Two"}`,
		"a lone surrogate":        `{"name":"One \ud800"}`,
		"a NUL":                   `{"name":"One\u0000"}`,
		"right to left":           `{"name":"abc\u202edcba"}`,
		"invisible":               `{"name":"Pay\u200bments"}`,
		"a tag character":         `{"name":"Pay\udb40\udc41ments"}`,
		"a filler":                `{"name":"Pay\u3164ments"}`,
		"a line break":            `{"name":"One\nTwo"}`,
		"too deep":                `{"name":"One","metadata":` + deep + `}`,
		"a text":                  `"{\"name\":\"One\"}"`,
		"a list":                  `[{"name":"One"}]`,
	} {
		answer := asProgram(t, p, token, calling("catalog_createSystem", arguments))
		require.Less(t, answer.Status, 500, "%s: %s", name, answer.Body)
	}
	for _, tool := range []string{
		"catalog_createSystem\u200b", "catalog_createSystem ", " catalog.createSystem", "Catalog_createSystem", "catalog__createSystem", "catalog_createSystem\x00", "catalog_сreateSystem",
		"any", "", "../catalog_createSystem", strings.Repeat("a", 100_000),
	} {
		answer := asProgram(t, p, token, calling(tool, `{"name":"One"}`))
		require.Less(t, answer.Status, 500, "%.40q: %.200s", tool, answer.Body)
		require.Contains(t, string(answer.Body), `"error"`, "%.40q", tool)
	}
	for name, body := range map[string]string{
		"a method twice":     `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"catalog_createSystem","arguments":{"name":"One"}}}`,
		"a nested batch":     "[[" + calling("catalog_createSystem", `{"name":"One"}`) + "]]",
		"a batch of nothing": "[]",
		"very deep":          strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000),
		"many members":       `{"jsonrpc":"2.0","id":1,"method":"ping"` + strings.Repeat(` `, 900_000) + `}`,
	} {
		require.Less(t, asProgram(t, p, token, body).Status, 500, name)
	}
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_proposals`))
	require.Zero(t, p.Count(t, `SELECT count(*) FROM catalog_systems`))

	// So it is with clients of other protocols.
	pit := strings.Repeat(`[`, 50_000) + strings.Repeat(`]`, 50_000)
	chat := p.Bearer(p.Admin.ID, chatToken(t, p.Admin))
	for path, c := range map[string]struct {
		by   *apptest.Client
		body string
	}{
		"/v1/chat/completions": {chat, `{"model":"countersign","messages":[{"role":"user","content":"x"}],"x":` + pit + `}`},
		"/api/ai/agui":         {p.Admin, `{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"x"}],"state":` + pit + `}`},
		"/api/ai/chat":         {p.Admin, `{"id":"c","messages":[{"id":"m","role":"user","parts":[{"type":"text","text":"x"}],"x":` + pit + `}]}`},
		"/oauth/register":      {p.Anonymous(), `{"redirect_uris":["https://client.example/"],"x":` + pit[:7_000] + strings.Repeat("]", 7_000) + `}`},
		"/api/oauth/question":  {p.Admin, `{"request":"q","x":` + pit + `}`},
	} {
		answer := c.by.Call(t, http.MethodPost, path, c.body)
		require.GreaterOrEqual(t, answer.Status, 400, path)
		require.Less(t, answer.Status, 500, "%s: %s", path, answer.Body)
	}
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_turns`))
}

// Who is disabled hears no more, and nothing that acts for them comes back when they are enabled again.
func TestADisabledPersonHasNoProgramsAndNoStreams(t *testing.T) {
	t.Parallel()
	p := scripted(t, map[string]string{"COUNTERSIGN_STREAM_HEARTBEAT": "50ms"})
	ada := p.Person(t)
	program, chat := connects(t, p, ada, "countersign:read"), p.Bearer(ada.ID, chatToken(t, ada))
	const endless = "script: tokens=10000 delay_token=20ms"
	streams := []*apptest.Stream{
		ada.Stream(t, http.MethodPost, "/api/ai/chat", map[string]any{"id": "one", "messages": []any{
			map[string]any{"id": "m1", "role": "user", "parts": []any{map[string]any{"type": "text", "text": endless}}},
		}}),
		chat.Stream(t, http.MethodPost, "/v1/chat/completions", map[string]any{
			"model": "countersign", "stream": true, "messages": []any{map[string]any{"role": "user", "content": endless}},
		}),
		ada.Stream(t, http.MethodPost, "/api/ai/agui", map[string]any{
			"threadId": "three", "runId": "r1", "messages": []any{map[string]any{"id": "m1", "role": "user", "content": endless}},
		}),
	}
	list := calling("ai_listDocs", `{}`)
	require.Equal(t, http.StatusOK, asProgram(t, p, program.access, list).Status)
	p.Admin.Patch(t, "/api/users/"+ada.ID.String(), map[string]any{"disabled": true}, nil)
	for _, stream := range streams {
		stream.BreaksOff(t) // or ends with its turn, which ends with the session too
	}
	for _, disabled := range []bool{true, false} {
		p.Admin.Patch(t, "/api/users/"+ada.ID.String(), map[string]any{"disabled": disabled}, nil)
		require.Equal(t, http.StatusUnauthorized, asProgram(t, p, program.access, list).Status)
		require.Equal(t, http.StatusUnauthorized, chat.Call(t, http.MethodGet, "/v1/models", nil).Status)
		require.Equal(t, http.StatusUnauthorized, ada.Call(t, http.MethodGet, "/api/me", nil).Status)
		response, err := http.PostForm(
			p.URL+"/oauth/token",
			url.Values{"grant_type": {"refresh_token"}, "client_id": {program.client}, "refresh_token": {program.refresh}},
		)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusBadRequest, response.StatusCode)
	}
}
