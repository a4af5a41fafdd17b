package app_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/auth"
	"countersign/internal/problem"
	"countersign/tool/proposal"
)

// checked is a product whose checks reach this machine, and a server that counts what it is sent by method.
func checked(t *testing.T) (p *apptest.Product, provider *apptest.Provider, url string, sent func(method string) int64) {
	t.Helper()
	provider = apptest.NewProvider(t)
	env := provider.Env()
	env["COUNTERSIGN_CHECK_EGRESS_ALLOW"], env["COUNTERSIGN_EGRESS_ALLOW"] = "127.0.0.0/8", "127.0.0.0/8"
	counts := map[string]*atomic.Int64{"GET": {}, "DELETE": {}, "POST": {}}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { counts[r.Method].Add(1) }))
	t.Cleanup(server.Close)
	return apptest.Start(t, apptest.Options{Env: env}), provider, server.URL, func(method string) int64 { return counts[method].Load() }
}

// drafted is a draft of a check that makes one request.
func drafted(method, url string) string {
	return `{"configuration":{"intervalSeconds":60,"strategyId":"healthcheck-http.http","config":{},` +
		`"collectors":[{"collectorId":"healthcheck-http.request","config":{"method":"` + method + `","url":"` + url + `/orders/7"}}]}}`
}

func TestADraftThatChangesSomethingIsProposed(t *testing.T) {
	t.Parallel()
	p, provider, url, sent := checked(t)
	chat := p.Admin.Conversation(t, apptest.Settings{})
	turn := chat.Perform(t, `r1.tool=healthcheck.testDraft r1.input=`+drafted("GET", url))
	require.NotContains(t, turn.Types(), "data-proposal", "a GET without content only reads")
	require.EqualValues(t, 1, sent("GET"))

	fresh := p.Admin.Conversation(t, apptest.Settings{})
	card := fresh.Perform(t, `r1.tool=healthcheck.testDraft r1.input=`+drafted("DELETE", url)).Card(t, "proposal")
	require.Zero(t, sent("DELETE"), "nothing is sent before a person decides")
	shown := strings.Join(card.Effects, "\n")
	require.Contains(t, shown, "DELETE "+url+"/orders/7")
	before := len(provider.Requests())
	require.Equal(t, proposal.Applied, p.Admin.Apply(t, card.ProposalID).Status)
	require.EqualValues(t, 1, sent("DELETE"))
	fresh.Decide(t, card.ProposalID, "apply")
	told := provider.Requests()[before:]
	require.NotEmpty(t, told)
	require.Contains(t, told[len(told)-1].Raw, "statusCode", "the follow-up turn is told what was found")
}

// A policy holds what a draft changes, on every way, and lets what reads through.
func TestAPolicyHoldsADraftThatChangesSomething(t *testing.T) {
	t.Parallel()
	p, _, url, sent := checked(t)
	person := p.Person(t, p.Role(t, "healthcheck.healthcheck.manage", "ai.proposal.manage", "ai.chat.read"))
	second := p.Person(t, p.Role(t, "healthcheck.healthcheck.manage", "ai.proposal.manage", "ai.chat.read"))
	setPolicy(t, p, "healthcheck.testDraft", map[string]any{"twoPerson": true})
	const path = "/api/healthcheck/draft-runs"
	body := func(method string) any { return json.RawMessage(drafted(method, url)) }
	person.Post(t, path, body("GET"), nil)
	require.EqualValues(t, 1, sent("GET"))
	w := waits(t, person, http.MethodPost, path, body("POST"))
	require.Zero(t, sent("POST"))
	require.Equal(t, proposal.Applied, second.Apply(t, w.ProposalID).Status)
	require.EqualValues(t, 1, sent("POST"))
	// With a key it runs once.
	setPolicy(t, p, "healthcheck.testDraft", map[string]any{"twoPerson": false})
	key := apptest.Header{Name: "Idempotency-Key", Value: uuid.NewString()}
	for range 2 {
		person.Post(t, path, body("POST"), nil, key)
	}
	require.EqualValues(t, 2, sent("POST"))
}

// The author of a model connection decides what answers, so auto mode asks until an administrator has confirmed it.
func TestAConnectionThatALesserUserChangedTaintsTurns(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	var listed struct {
		Connections []struct {
			ID                   uuid.UUID `json:"id"`
			Name                 string    `json:"name"`
			IsDefault            bool      `json:"isDefault"`
			UnconfirmedChangesBy []string  `json:"unconfirmedChangesBy"`
			Revision             int64     `json:"revision"`
		} `json:"connections"`
	}
	list := func() { p.Admin.Get(t, "/api/ai/connections", &listed) }
	list()
	c := listed.Connections[0]
	require.True(t, c.IsDefault)
	require.Empty(t, c.UnconfirmedChangesBy, "what the environment names is the administrator's")
	create := `r1.tool=catalog.createSystem r1.input={"name":"NAME"}`
	perform := func(name string) *apptest.Turn {
		chat := p.Admin.Conversation(t, apptest.Settings{"permissionMode": "auto"})
		return chat.Perform(t, strings.ReplaceAll(create, "NAME", name))
	}
	perform("First").Card(t, "applied")

	lesser := p.Person(t, p.Role(t, "ai.connection.read", "ai.connection.manage"))
	path := "/api/ai/connections/" + c.ID.String()
	lesser.Patch(t, path, map[string]any{"contextWindowTokens": 100000}, nil)
	card := perform("Second").Card(t, "proposal")
	require.Len(t, card.Outside, 1)
	require.Equal(t, "connection", string(card.Outside[0].Kind))
	require.Contains(t, card.Outside[0].Source, c.Name)
	require.Contains(t, card.WhyConfirm, "content from outside")

	list()
	require.Len(t, listed.Connections[0].UnconfirmedChangesBy, 1)
	revision := p.Admin.Get(t, path, nil).Header.Get("ETag")
	at := apptest.Header{Name: "If-Match", Value: revision}
	lesser.Refused(t, problem.Forbidden, http.MethodPut, path+"/confirmed", nil, at)
	e := p.Admin.Refused(t, problem.PreconditionRequired, http.MethodPut, path+"/confirmed", nil)
	require.Contains(t, e.Detail, "If-Match")
	p.Admin.Refused(t, problem.Precondition, http.MethodPut, path+"/confirmed", nil, apptest.Header{Name: "If-Match", Value: `"99"`})
	require.Equal(t, http.StatusOK, p.Admin.Call(t, http.MethodPut, path+"/confirmed", nil, at).Status)
	list()
	require.Empty(t, listed.Connections[0].UnconfirmedChangesBy)
	perform("Third").Card(t, "applied")

	// The default counts, and so does an application.
	require.Equal(t, http.StatusOK, lesser.Call(t, http.MethodPut, path+"/default", nil).Status)
	perform("Fourth").Card(t, "proposal")
	revision = p.Admin.Get(t, path, nil).Header.Get("ETag")
	require.Equal(t, http.StatusOK, p.Admin.Call(t, http.MethodPut, path+"/confirmed", nil,
		apptest.Header{Name: "If-Match", Value: revision}).Status)
	perform("Fifth").Card(t, "applied")
	p.Application(t, auth.AdminRole).Patch(t, path, map[string]any{"contextWindowTokens": 200000}, nil)
	perform("Sixth").Card(t, "proposal")

	setPolicy(t, p, "ai.setDefaultConnection", map[string]any{"twoPerson": true})
	waits(t, p.Admin, http.MethodPut, path+"/default", nil)
	// Disabling and deleting the default chooses another one, so the same policy holds them; a change that leaves the
	// default is none.
	p.Admin.Patch(t, path, map[string]any{"contextWindowTokens": 150000}, nil)
	waits(t, p.Admin, http.MethodPatch, path, map[string]any{"enabled": false})
	waits(t, p.Admin, http.MethodDelete, path, nil)
	var other struct {
		ID uuid.UUID `json:"id"`
	}
	p.Admin.Post(t, "/api/ai/connections", map[string]any{"name": "Other", "baseUrl": "http://127.0.0.1:9/v1", "defaultModel": "m"}, &other)
	require.Equal(t, http.StatusNoContent, p.Admin.Call(t, http.MethodDelete, "/api/ai/connections/"+other.ID.String(), nil).Status)
}

// What answered stays with the conversation, by whatever protocol it was asked.
func TestAnUnconfirmedConnectionTaintsConversationsOfEveryClient(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	lesser := p.Person(t, p.Role(t, "ai.connection.read", "ai.connection.manage"))
	program := p.Bearer(p.Admin.ID, newChatToken(t, p.Admin).Token)
	connection := "/api/ai/connections/" + p.Column(t, `SELECT id::text FROM ai_connections WHERE is_default`)[0]
	named := func(c *apptest.Client, path string, body any) uuid.UUID {
		return uuid.MustParse(c.Post(t, path, body, nil).Header.Get("Countersign-Conversation"))
	}
	ways := map[string]func(n, text string) uuid.UUID{
		"chat completions": func(n, text string) uuid.UUID {
			return named(
				program,
				"/v1/chat/completions",
				map[string]any{"model": "countersign", "messages": []any{map[string]any{"role": "user", "content": text + " #" + n}}},
			)
		},
		"responses": func(n, text string) uuid.UUID {
			return named(program, "/v1/responses", map[string]any{"model": "countersign", "input": text + " #" + n + " again"})
		},
		"AG-UI": func(n, text string) uuid.UUID {
			return named(p.Admin, "/api/ai/agui", runInput("thread-"+n, aguiSays("u-"+n, text)))
		},
		"a stock chat": func(n, text string) uuid.UUID {
			return named(p.Admin, "/api/ai/chat", sdkChat("chat-"+n, nil, userSays("u-"+n, text)))
		},
	}
	tainted := func(id uuid.UUID) bool {
		return slices.ContainsFunc(outsideOf(t, p.Admin, id).Outside, func(o outsideEntry) bool { return o.Kind == "connection" })
	}
	said := map[string]uuid.UUID{}
	lesser.Patch(t, connection, map[string]any{"contextWindowTokens": 100000}, nil)
	for way, say := range ways {
		said[way] = say("1", `script: text="Hello."`)
		require.True(t, tainted(said[way]), way)
	}
	at := apptest.Header{Name: "If-Match", Value: p.Admin.Get(t, connection, nil).Header.Get("ETag")}
	require.Equal(t, http.StatusOK, p.Admin.Call(t, http.MethodPut, connection+"/confirmed", nil, at).Status)
	for way, say := range ways {
		p.Admin.Patch(t, "/api/ai/conversations/"+said[way].String(), map[string]any{"permissionMode": "auto"}, nil)
		card := p.Admin.Known(said[way]).Perform(t, `r1.tool=catalog.createSystem r1.input={"name":"Of `+way+`"}`).Card(t, "proposal")
		require.Contains(t, card.WhyConfirm, "content from outside", way)
		require.False(t, tainted(say("2", `script: text="Hello."`)), "%s over the confirmed connection", way)
	}
	require.Empty(t, names(t, p.Admin))
}

// In auto mode an AG-UI run over such a connection asks, where it applies at once over a confirmed one.
func TestAnAutoRunOverAnUnconfirmedConnectionAsks(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	lesser := p.Person(t, p.Role(t, "ai.connection.read", "ai.connection.manage"))
	connection := "/api/ai/connections/" + p.Column(t, `SELECT id::text FROM ai_connections WHERE is_default`)[0]
	run := func(thread, name string) {
		_, _, chat := aguiRun(t, p.Admin, runInput(thread, aguiSays("u1", `script: text="Hello."`)))
		p.Admin.Patch(t, "/api/ai/conversations/"+chat.ID.String(), map[string]any{"permissionMode": "auto"}, nil)
		if thread == "changed" {
			lesser.Patch(t, connection, map[string]any{"contextWindowTokens": 100000}, nil)
		}
		aguiRun(t, p.Admin, runInput(thread, aguiSays("u2", `script: r1.tool=catalog.createSystem r1.input={"name":"`+name+`"}`)))
	}
	run("confirmed", "First")
	require.Equal(t, []string{"First"}, names(t, p.Admin))
	run("changed", "Second")
	require.Equal(t, []string{"First"}, names(t, p.Admin))
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM ai_proposals WHERE status = 'proposed'`))
}

// A request to another server is asked about in auto mode once the conversation holds what is the installation's own.
func TestAutoModeAsksBeforeARequestCarriesAnythingOut(t *testing.T) {
	t.Parallel()
	p, _, url, sent := checked(t)
	request := `=http.request NN.input={"method":"POST","url":"` + url + `/in","body":"b"}`
	call := func(n string) string { return n + ".tool" + strings.ReplaceAll(request, "NN", n) }
	empty := p.Admin.Conversation(t, apptest.Settings{"permissionMode": "auto"})
	empty.Perform(t, call("r1")).Card(t, "applied")
	require.EqualValues(t, 1, sent("POST"))

	loaded := p.Admin.Conversation(t, apptest.Settings{"permissionMode": "auto"})
	card := loaded.Perform(t, `r1.tool=catalog.listSystems `+call("r2")).Card(t, "proposal")
	require.Contains(t, card.WhyConfirm, "could send it to others")
	require.EqualValues(t, 1, sent("POST"))
}
