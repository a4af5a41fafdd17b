package agent_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/modules/agent"
	product "countersign/tool"
)

// minter makes placeholders that tell what they stand for.
type minter struct{}

// Mint implements agent.Placeholders.
func (*minter) Mint(_ context.Context, _ principal.Principal, _, _ uuid.UUID, _ string, secrets []string) (map[string]string, error) {
	made := map[string]string{}
	for _, name := range secrets {
		made[name] = "nonce_of_" + name
	}
	return made, nil
}

// ran is how many calls of live tools have run: what freezing tries is none.
func (a *app) ran() int {
	a.runs.mu.Lock()
	defer a.runs.mu.Unlock()
	n := 0
	for _, c := range a.runs.calls {
		if strings.HasPrefix(c.Tool, "agent.") {
			n++
		}
	}
	return n
}

// live makes an agent whose live revision has the tools echo, which reads, and write.
func (a *app) live(t testing.TB, slug, source string, spec compactObject, more ...compactObject) string {
	t.Helper()
	a.agent(t, slug, more...)
	return a.goes(t, slug, source, spec)
}

// goes takes a new revision of an agent live.
func (a *app) goes(t testing.TB, slug, source string, spec compactObject) string {
	t.Helper()
	path := a.draft(t, slug)
	if spec != nil {
		a.ok(t, http.MethodPut, path+"/spec", compactObject{"spec": spec})
	}
	a.ok(
		t,
		http.MethodPut,
		path+"/tools/echo",
		tool(
			source,
			compactObject{
				"effect": "read",
				"args_schema": compactObject{
					"type":                 "object",
					"properties":           compactObject{"n": compactObject{"type": "integer"}},
					"additionalProperties": false,
				},
			},
		),
	)
	a.ok(t, http.MethodPut, path+"/tools/write", tool(source))
	a.ok(t, http.MethodPost, path+"/freeze", nil)
	a.ok(t, http.MethodPost, path+"/promote", nil)
	return path
}

func (a *app) offered(t testing.TB, who string) []string {
	t.Helper()
	tools, err := a.module.Source(slog.New(slog.DiscardHandler)).Offered(t.Context(), a.Principal(who))
	require.NoError(t, err)
	names := []string{}
	for _, one := range tools {
		names = append(names, one.Name)
	}
	return names
}

func (a *app) called(t testing.TB, as, path string, args any) agent.Called {
	t.Helper()
	return apitest.Decode[agent.Called](t, a.Do(t, as, http.MethodPost, path, compactObject{"args": args}))
}

func TestTheToolsOfLiveRevisionsAreOfferedToWhoMaySeeTheAgent(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.Person("reader", agent.Read)
	a.Person("nobody")
	require.Empty(t, a.offered(t, "root"))
	a.live(t, "billing", "export default 1", nil)
	a.live(t, "closed", "export default 1", nil, compactObject{"private": true})
	a.agent(t, "drafts")
	a.frozen(t, "drafts", "export default 1")
	require.Equal(
		t,
		[]string{"agent.billing.echo", "agent.billing.write", "agent.closed.echo", "agent.closed.write"},
		a.offered(t, "root"),
		"what is frozen and not live is not offered",
	)
	require.Equal(t, []string{"agent.billing.echo", "agent.billing.write"}, a.offered(t, "reader"))
	require.Empty(t, a.offered(t, "nobody"))
	a.SignIn("service", principal.Principal{Kind: principal.Service, Rules: []string{principal.Admin}})
	require.Empty(t, a.offered(t, "service"))

	source := a.module.Source(slog.New(slog.DiscardHandler))
	for _, name := range []string{"agent.closed.echo", "agent_closed_echo"} {
		found, ok, err := source.Known(t.Context(), name)
		require.NoError(t, err)
		require.True(t, ok, name)
		require.Equal(t, "agent.closed.echo", found.Name)
		require.Equal(t, product.Read, found.Effect)
		require.Equal(t, []string{"agent.closed"}, found.Policy.Covers)
	}
	whole, ok, err := source.Known(t.Context(), "agent.closed")
	require.NoError(t, err)
	require.True(t, ok && whole.Access.Hidden)
	for _, name := range []string{"agent.none", "agent.closed.none", "agent_closed_none", "agent", "agent.", "catalog.listSystems", "agent.DROP TABLE.x", "agent_"} {
		_, ok, err := source.Known(t.Context(), name)
		require.NoError(t, err)
		require.False(t, ok, name)
	}
	a.ok(t, http.MethodPost, agents+"/billing/revisions/1/archive", nil)
	require.Empty(t, a.offered(t, "reader"), "what is archived is offered no longer")
}

func TestALongNameIsFoundByItsWireName(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	slug := "a_very-long-slug-of-an-agent-that-goes-on-and-on-to-the-very-end"
	a.live(t, slug, "export default 1", nil)
	name := "agent." + slug + ".echo"
	found, ok, err := a.module.Source(slog.New(slog.DiscardHandler)).Known(t.Context(), product.WireNameOf(name))
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, name, found.Name)
}

func TestALiveToolIsCalledByWhoMaySeeItsAgent(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	reader := a.Person("reader", agent.Read)
	a.Person("nobody")
	a.live(t, "billing", "export default 1", nil)
	path := agents + "/billing/tools/echo/call"
	called := a.called(t, "reader", path, compactObject{"n": 7})
	require.True(t, called.OK)
	require.JSONEq(t, `{"n":7}`, string(called.Result))
	require.Equal(t, 1, called.Revision)

	a.Do(t, "nobody", http.MethodPost, path, compactObject{"args": compactObject{}}).Refused(t, problem.NotFound)
	a.Do(t, "reader", http.MethodPost, agents+"/billing/tools/none/call", compactObject{"args": compactObject{}}).Refused(t, problem.NotFound)
	a.Do(t, "reader", http.MethodPost, agents+"/none/tools/echo/call", compactObject{"args": compactObject{}}).Refused(t, problem.NotFound)
	refused := a.Do(t, "reader", http.MethodPost, path, compactObject{"args": compactObject{"n": "x", "m": 1}}).Refused(t, problem.Invalid)
	require.Len(t, refused.Issues, 2)
	a.Do(t, "reader", http.MethodPost, path, compactObject{"args": compactObject{}}, "If-Match", `"another"`).Refused(t, problem.Precondition)
	require.Equal(t, 1, a.ran(), "what is refused does not run")

	// It is on record: who called what, with which arguments by their hash, and how it went.
	uses := apitest.Decode[struct{ Uses []agent.Use }](t, a.Do(t, "root", http.MethodGet, agents+"/billing/uses", nil))
	require.Len(t, uses.Uses, 1)
	require.Equal(t, reader.ID, uses.Uses[0].By.ID)
	require.Equal(t, product.Hash(json.RawMessage(`{"n":7}`)), uses.Uses[0].ArgsSHA256)
	require.Equal(
		t,
		1,
		a.Count(
			t,
			"SELECT count(*) FROM ai_tool_calls WHERE tool_name = 'agent.billing.echo' AND status = 'executed' AND principal_id = $1",
			reader.ID,
		),
	)
	require.Equal(t, 1, a.Count(t, "SELECT count(*) FROM ai_audit_entries WHERE action = 'ran' AND object_type = 'agent.agent'"))
	other := a.Person("other", agent.Read)
	require.NotEqual(t, reader.ID, other.ID)
	require.Empty(
		t,
		apitest.Decode[struct{ Uses []agent.Use }](t, a.Do(t, "other", http.MethodGet, agents+"/billing/uses", nil)).Uses,
		"others see their own calls",
	)

	// A program that was let read alone calls what only reads.
	limited := reader
	limited.Client = &principal.Client{ID: "https://editor.example.com/client", Name: "Editor", Scopes: []string{principal.ScopeRead}}
	a.SignIn("editor", limited)
	require.True(t, a.called(t, "editor", path, compactObject{"n": 8}).OK)
	before := a.ran()
	a.Do(
		t,
		"editor",
		http.MethodPost,
		agents+"/billing/tools/write/call",
		compactObject{"args": compactObject{}},
	).Refused(
		t,
		problem.Forbidden,
	)
	require.Equal(t, before, a.ran())

	// What the tool does wrong is an answer.
	a.goes(t, "billing", "FAILING", nil)
	failed := a.called(t, "reader", path, compactObject{})
	require.False(t, failed.OK)
	require.Equal(t, agent.CallError{Code: "tool_invoke_failed", Message: "no", Line: 2}, *failed.Error)
	require.Equal(t, 2, failed.Revision)
}

func TestCallsOfAnAgentComeInPages(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.live(t, "billing", "export default 1", nil)
	var made []string
	for n := range 5 {
		a.called(t, "root", agents+"/billing/tools/echo/call", compactObject{"n": n})
		made = append([]string{product.Hash(json.RawMessage(fmt.Sprintf(`{"n":%d}`, n)))}, made...)
	}
	type page struct {
		Uses       []agent.Use `json:"uses"`
		NextCursor string      `json:"nextCursor"`
	}
	var seen []string
	for cursor := ""; ; {
		got := apitest.Decode[page](t, a.ok(t, http.MethodGet, agents+"/billing/uses?limit=2&cursor="+cursor, nil))
		for _, u := range got.Uses {
			seen = append(seen, u.ArgsSHA256)
		}
		if cursor = got.NextCursor; cursor == "" {
			break
		}
		require.Len(t, got.Uses, 2)
	}
	require.Equal(t, made, seen, "the newest first, each once")
	for _, cursor := range []string{"eA", "!", base64.RawURLEncoding.EncodeToString([]byte(`{"at":1}`))} {
		a.Do(t, "root", http.MethodGet, agents+"/billing/uses?cursor="+cursor, nil).Refused(t, problem.Invalid)
	}
}

func TestACallGetsPlaceholdersForWhatItWasFoundToReferTo(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.secret(t, "API_TOKEN")
	a.secret(t, "OTHER")
	secrets := []compactObject{
		{"name": "API_TOKEN", "allowed_hosts": []string{"api.example.com"}},
		{"name": "OTHER", "allowed_hosts": []string{"http://other.example.com:8080"}},
	}
	spec := compactObject{"secrets": secrets, "tools": compactObject{"echo": compactObject{"read_with_secrets": true}}}
	a.live(t, "billing", `ctx.secrets.ref("API_TOKEN")`, spec)
	a.called(t, "root", agents+"/billing/tools/echo/call", compactObject{})
	require.Equal(t, map[string]string{"API_TOKEN": "nonce_of_API_TOKEN"}, a.runs.last().Secrets, "and for nothing else")
	spec["tools"] = compactObject{
		"echo":  compactObject{"read_with_secrets": true, "allow_dynamic_secret_refs": true},
		"write": compactObject{"allow_dynamic_secret_refs": true},
	}
	a.goes(t, "billing", `DYNAMIC`, spec)
	a.called(t, "root", agents+"/billing/tools/echo/call", compactObject{})
	require.Equal(
		t,
		map[string]string{"API_TOKEN": "nonce_of_API_TOKEN", "OTHER": "nonce_of_OTHER"},
		a.runs.last().Secrets,
		"of what cannot be told, what the spec names",
	)

	// What the secrets are pinned to is told of the live revision alone.
	live := apitest.Decode[agent.Agent](t, a.ok(t, http.MethodGet, agents+"/billing", nil))
	ctx := principal.NewContext(t.Context(), a.Principal("root"))
	name, pins, err := a.module.Pins(ctx, live.ID, live.LiveRevision.ID)
	require.NoError(t, err)
	require.Equal(t, "Agent billing", name)
	require.Equal(t, map[string][]string{"API_TOKEN": {"api.example.com"}, "OTHER": {"http://other.example.com:8080"}}, pins)
	a.Person("nobody")
	_, _, err = a.module.Pins(principal.NewContext(t.Context(), a.Principal("nobody")), live.ID, live.LiveRevision.ID)
	require.True(t, problem.Is(err, problem.NotFound))
	a.goes(t, "billing", "export default 1", nil)
	_, _, err = a.module.Pins(ctx, live.ID, live.LiveRevision.ID)
	require.True(t, problem.Is(err, problem.NotFound), "another revision is live")
}

func TestAToolThatWantsAPersonRunsForNoProgram(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.live(t, "billing", "export default 1", compactObject{"tools": compactObject{"echo": compactObject{"requires_identity": "countersign"}}})
	a.SignIn("program", principal.Principal{Kind: principal.Application, ID: uuid.New(), Name: "program", Rules: []string{agent.Read}})
	path := agents + "/billing/tools/echo/call"
	refused := a.called(t, "program", path, compactObject{})
	require.False(t, refused.OK)
	require.Equal(t, "countersign", refused.AuthRequired.Provider)
	require.Zero(t, a.ran())
	require.True(t, a.called(t, "root", path, compactObject{}).OK)
	// An identity that nobody can confirm never lets a call through, whatever stands in the row.
	a.Exec(t, `UPDATE agent_revisions SET spec = '{"tools":{"echo":{"requires_identity":"github"}}}'`)
	a.Do(t, "root", http.MethodPost, path, compactObject{"args": compactObject{}}).Refused(t, problem.Forbidden)
	require.Equal(t, 1, a.ran())
}

// What was decided about is what runs: a proposal is bound to the bundle that it was made with.
func TestAChangeOfALiveToolIsBoundToItsBundle(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.live(t, "billing", "export default 1", compactObject{"tools": compactObject{"echo": compactObject{"requires_approval": true}}})
	find := func(name string) product.Tool {
		found, ok, err := a.module.Source(slog.New(slog.DiscardHandler)).Known(t.Context(), name)
		require.NoError(t, err)
		require.True(t, ok)
		return found
	}
	echo, write := find("agent.billing.echo"), find("agent.billing.write")
	require.Equal(t, product.Mutate, echo.Effect, "what has to be approved is proposed, whatever its effect")
	require.True(t, echo.Policy.PersonDecides && echo.Impact.External && echo.Result.Untrusted)
	require.False(t, write.Policy.PersonDecides)
	caller := a.Caller("root")
	proposed, err := write.DryRun(t.Context(), caller, json.RawMessage(`{"b":[1,2],"a":"x"}`))
	require.NoError(t, err)
	require.Equal(t, `Run the custom tool write of the agent Agent billing, with a "x", b [1,2]`, proposed.Summary)
	require.Contains(t, proposed.Effects[0], "Revision 1 of the agent runs, with the bundle "+proposed.Revision[1:13])
	require.Zero(t, a.ran(), "a proposal runs nothing")

	caller.Client.IfMatch = proposed.Revision
	result, err := write.Run(t.Context(), caller, proposed.Payload)
	require.NoError(t, err)
	require.True(t, result.(agent.Called).OK)
	a.goes(t, "billing", "export default 2", nil)
	_, err = find("agent.billing.write").Run(t.Context(), caller, proposed.Payload)
	require.True(t, problem.Is(err, problem.Precondition), "another revision is live")
	_, err = write.Run(t.Context(), caller, proposed.Payload)
	require.True(t, problem.Is(err, problem.Precondition), "also for who found the tool before")
	require.Equal(t, 1, a.ran())
}
