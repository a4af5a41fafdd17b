package mcpserver_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/auth"
	"countersign/internal/egress"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/internal/store/exactlyonce"
	"countersign/internal/store/quota"
	"countersign/modules/mcpserver"
	"countersign/tool"
	"countersign/tool/budget"
)

const servers = "/api/mcp/servers"

type object = map[string]any

// value is that of the secret TICKETS_TOKEN.
const value = "s3cr3t-of-the-tickets/x+y=="

// app is the module, and a server of the test.
type app struct {
	*apitest.Server
	*mcpserver.Module

	auth   *auth.Auth
	remote *remote
	vault  map[string]string
	uses   []string
	keys   *secret.Keyset
	// options are what the module was made of, for another process of the same installation.
	options mcpserver.Options
}

// Exist implements mcpserver.Secrets.
func (a *app) Exist(_ context.Context, names []string) error {
	for _, name := range names {
		if a.vault[name] == "" {
			return problem.Errorf(problem.Conflict, "These secrets do not exist: %s.", name)
		}
	}
	return nil
}

// Use implements mcpserver.Secrets.
func (a *app) Use(_ context.Context, p principal.Principal, names []string, purpose string) (map[string]secret.Value, error) {
	values := map[string]secret.Value{}
	for _, name := range names {
		a.uses = append(a.uses, p.Name+": "+purpose)
		values[name] = secret.NewValue(a.vault[name])
	}
	return values, nil
}

// remote is a server of others. It counts what it is asked.
type remote struct {
	*httptest.Server

	protocol *sdk.Server
	mu       sync.Mutex
	requests int
	calls    []string
	// before sees each request; it answers those for which it returns false.
	before func(w http.ResponseWriter, r *http.Request) bool
}

func newRemote(t *testing.T) *remote {
	t.Helper()
	x := &remote{protocol: sdk.NewServer(&sdk.Implementation{Name: "tickets", Version: "1.2"}, nil)}
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return x.protocol }, &sdk.StreamableHTTPOptions{Stateless: true})
	x.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x.mu.Lock()
		x.requests++
		before := x.before
		x.mu.Unlock()
		if before == nil || before(w, r) {
			handler.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(x.Close)
	x.adds(
		"find",
		"Find tickets.",
		`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"],"additionalProperties":false}`,
		nil,
	)
	x.adds("createTicket", "Create a ticket.", `{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}`, nil)
	return x
}

// adds gives the server a tool, in place of one of the same name. Without do it answers what it was called with, and its headers.
func (x *remote) adds(name, description, schema string, do sdk.ToolHandler) {
	x.protocol.AddTool(
		&sdk.Tool{Name: name, Description: description, InputSchema: json.RawMessage(schema)},
		func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			x.mu.Lock()
			x.calls = append(x.calls, name+" "+string(req.Params.Arguments))
			x.mu.Unlock()
			if do != nil {
				return do(ctx, req)
			}
			text := name + " " + string(req.Params.Arguments)
			if req.Extra != nil {
				text += " " + req.Extra.Header.Get("Authorization") + " " + req.Extra.Header.Get("X-Key")
			}
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
		},
	)
}

func (x *remote) called() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return append([]string{}, x.calls...)
}

func (x *remote) asked() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.requests
}

func (x *remote) meets(before func(w http.ResponseWriter, r *http.Request) bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.before = before
}

// names are what the DNS of the tests knows.
type names map[string]string

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if address, ok := n[strings.TrimSuffix(host, ".")]; ok {
		return []netip.Addr{netip.MustParseAddr(address)}, nil
	}
	return []netip.Addr{netip.MustParseAddr("9.9.9.9")}, nil
}

func newApp(t *testing.T) *app {
	t.Helper()
	policy, err := egress.ParsePolicy("127.0.0.1")
	require.NoError(t, err)
	known := names{"inside.example.org": "10.1.2.3", "rebound.example.org": "169.254.169.254"}
	a := &app{Server: apitest.New(t), remote: newRemote(t), vault: map[string]string{"TICKETS_TOKEN": value, "OTHER": "other-value"}}
	rules, err := auth.NewRegistry(new(auth.Auth).Rules(), new(mcpserver.Module).Rules())
	require.NoError(t, err)
	a.auth, err = auth.New(auth.Options{DB: a.DB, Log: slog.New(slog.DiscardHandler), Rules: rules, DelegationKey: make([]byte, 32)})
	require.NoError(t, err)
	a.keys, err = secret.New()
	require.NoError(t, err)
	a.options = mcpserver.Options{
		Grants:  a.auth.Grants,
		DB:      a.DB,
		Log:     slog.New(slog.NewTextHandler(&a.Log, nil)),
		Guard:   egress.New(egress.Options{Policy: policy, Resolver: known}),
		Public:  egress.New(egress.Options{Resolver: known}),
		Secrets: a,
		Calls:   budget.New(a.DB, budget.Limits{Calls: 1_000, Window: time.Hour}),
		Quota:   quota.New(a.DB),
		Most:    5,
		Once:    exactlyonce.New(a.DB),
		Version: "test",
		Sealer:  a.keys,
		URL:     "https://countersign.example.org",
	}
	a.Module = mcpserver.New(a.options)
	a.auth.Grants.Bind(a.Module)
	a.Mount(t, a.Module, a.auth)
	a.Person("root", principal.Admin)
	a.Person("manager", mcpserver.Manage, mcpserver.Read)
	a.Person("user", mcpserver.Use, mcpserver.Read)
	a.Person("nobody")
	return a
}

func (a *app) ok(t *testing.T, method, path string, body any, headers ...string) apitest.Answer {
	t.Helper()
	answer := a.Do(t, "root", method, path, body, headers...)
	require.Less(t, answer.Status, 300, "%s %s: %s", method, path, answer.Body)
	return answer
}

// added adds the server of the test.
func (a *app) added(t *testing.T, more ...object) mcpserver.Server {
	t.Helper()
	body := object{"slug": "tickets", "name": "Tickets", "address": a.remote.URL + "/mcp"}
	for _, m := range more {
		maps.Copy(body, m)
	}
	return apitest.Decode[mcpserver.Server](t, a.ok(t, http.MethodPost, servers, body))
}

func at(id uuid.UUID, more ...string) string {
	return servers + "/" + id.String() + strings.Join(more, "")
}

func (a *app) refreshed(t *testing.T, id uuid.UUID) mcpserver.Server {
	t.Helper()
	return apitest.Decode[mcpserver.Server](t, a.ok(t, http.MethodPost, at(id, "/refresh"), nil))
}

// tools are those of a server by id.
func (a *app) tools(t *testing.T, id uuid.UUID) map[string]mcpserver.Tool {
	t.Helper()
	byID := map[string]mcpserver.Tool{}
	list := apitest.Decode[struct{ Tools []mcpserver.Tool }](t, a.ok(t, http.MethodGet, at(id, "/tools"), nil))
	for _, one := range list.Tools {
		byID[one.ID] = one
	}
	return byID
}

// accepts accepts a tool as it is now.
func (a *app) accepts(t *testing.T, id uuid.UUID, name, effect string, more ...object) {
	t.Helper()
	choice := object{"id": name, "hash": a.tools(t, id)[name].Hash, "effect": effect}
	for _, m := range more {
		maps.Copy(choice, m)
	}
	a.ok(t, http.MethodPut, at(id, "/tools"), object{"tools": []object{choice}})
}

// ready is the server of the test with its tools accepted: find reads, create_ticket changes.
func (a *app) ready(t *testing.T, more ...object) mcpserver.Server {
	t.Helper()
	s := a.added(t, more...)
	a.refreshed(t, s.ID)
	a.accepts(t, s.ID, "find", "read")
	a.accepts(t, s.ID, "create_ticket", "mutate")
	return s
}

func (a *app) offered(t *testing.T, who string) []string {
	t.Helper()
	tools, err := a.Source().Offered(t.Context(), a.Principal(who))
	require.NoError(t, err)
	found := []string{}
	for _, one := range tools {
		found = append(found, one.Name)
	}
	return found
}

func (a *app) tool(t *testing.T, who, name string) tool.Tool {
	t.Helper()
	found, ok, err := a.Source().Usable(t.Context(), a.Principal(who), name)
	require.NoError(t, err)
	require.True(t, ok, name)
	return found
}

func (a *app) call(t *testing.T, as string, id uuid.UUID, name string, args any, headers ...string) apitest.Answer {
	t.Helper()
	return a.Do(t, as, http.MethodPost, at(id, "/tools/", name, "/call"), object{"args": args}, headers...)
}

// hides requires that nothing which the product has kept or said has the secret in it.
func (a *app) hides(t *testing.T, texts ...string) {
	t.Helper()
	var all strings.Builder
	// Bytes are shown as text, so that what is not sealed is found.
	sealed := `(SELECT encode(unnest(ARRAY[registration, connection]), 'escape') FROM mcp_sign_ins UNION ALL SELECT encode(flow, 'escape') FROM mcp_sign_in_attempts)`
	for _, table := range []string{sealed, "mcp_servers", "mcp_tools", "mcp_sign_ins", "mcp_sign_in_attempts", "http_requests", "ai_tool_calls", "ai_audit_entries", "held_places"} {
		rows, err := a.DB.Conn(t.Context()).Query(t.Context(), "SELECT row_to_json(t)::text FROM "+table+" t")
		require.NoError(t, err)
		for rows.Next() {
			var text string
			require.NoError(t, rows.Scan(&text))
			all.WriteString(text)
		}
		require.NoError(t, rows.Err())
	}
	for _, text := range append(texts, all.String(), a.Log.String()) {
		require.NotContains(t, text, "s3cr3t")
	}
}
