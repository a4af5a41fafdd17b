package agent_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/modules/agent"
)

// A tool goes from a draft to the live revision, and back.
func TestARevisionIsWrittenFrozenPromotedAndRolledBack(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	made := a.agent(t, "helper")
	require.Equal(t, "owner", string(made.Access))
	first := a.draft(t, "helper")
	empty := a.bundle(t, first)
	require.Equal(t, agent.Bundle{Skills: []agent.Skill{}, Tools: []agent.Tool{}}, empty.Bundle)
	require.Equal(t, agent.Draft, empty.State)

	a.ok(t, http.MethodPut, first+"/agent_md", compactObject{"content": "You help."})
	a.ok(t, http.MethodPut, first+"/skills/reading", compactObject{"description": "How to read.", "content": "Slowly."})
	written := apitest.Decode[agent.ToolWritten](
		t,
		a.ok(t, http.MethodPut, first+"/tools/echo", tool("one\nODD", compactObject{"effect": "read"})),
	)
	require.True(t, written.OK && written.Changed)
	require.Equal(t, "echo", written.ToolID)
	require.Equal(t, []string{}, written.Capabilities.SecretRefs)
	require.Equal(t, 2, written.Warnings[0].Line)

	frozen := apitest.Decode[agent.Frozen](t, a.ok(t, http.MethodPost, first+"/freeze", nil))
	require.Equal(t, agent.Ready, frozen.State)
	require.False(t, frozen.Idempotent)
	again := apitest.Decode[agent.Frozen](t, a.ok(t, http.MethodPost, first+"/freeze", nil, "If-Match", `"1"`))
	require.True(t, again.Idempotent, "who has lost the first answer gets it again")
	require.Equal(t, frozen.BundleSHA256, again.BundleSHA256)

	live := apitest.Decode[agent.Revision](t, a.ok(t, http.MethodPost, first+"/promote", nil))
	require.Equal(t, agent.Live, live.State)
	require.NotNil(t, live.PromotedAt)
	twice := a.ok(t, http.MethodPost, first+"/promote", nil)
	require.Equal(t, live.Revision, apitest.Decode[agent.Revision](t, twice).Revision, "one that is live stays as it is")

	second := a.frozen(t, "helper", "two")
	a.ok(t, http.MethodPost, second+"/promote", nil)
	require.Equal(t, agent.Archived, a.revision(t, first).State)
	one := apitest.Decode[agent.Agent](t, a.ok(t, http.MethodGet, agents+"/helper", nil))
	require.Equal(t, &agent.LiveRevision{ID: a.revision(t, second).ID, Number: 2}, one.LiveRevision)

	a.ok(t, http.MethodPost, first+"/promote", nil)
	require.Equal(t, agent.Live, a.revision(t, first).State, "to go back is to promote")
	require.Equal(t, agent.Archived, a.revision(t, second).State)
	a.ok(t, http.MethodPost, first+"/archive", nil)
	a.ok(t, http.MethodPost, first+"/archive", nil)
	one = apitest.Decode[agent.Agent](t, a.ok(t, http.MethodGet, agents+"/"+made.ID.String(), nil))
	require.Nil(t, one.LiveRevision)
}

// What a state does not allow is a conflict that says which state it is.
func TestOnlyDraftsAreWritten(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.agent(t, "helper")
	draft, ready := a.draft(t, "helper"), a.frozen(t, "helper", "one")
	live := a.frozen(t, "helper", "two")
	a.ok(t, http.MethodPost, live+"/promote", nil)
	archived := a.frozen(t, "helper", "three")
	a.ok(t, http.MethodPost, archived+"/archive", nil)
	before := a.rows(t)
	for state, path := range map[string]string{"ready": ready, "live": live, "archived": archived} {
		for _, c := range []struct {
			method, path string
			body         any
		}{
			{"PUT", "/tools/echo", tool("one")},
			{"PUT", "/tools/echo", compactObject{"nonsense": true}}, // the state is looked at before the body
			{"DELETE", "/tools/echo", nil},
			{"PUT", "/bundle", compactObject{"agent_md": "", "tools": []any{}, "spec": compactObject{}}},
			{"PUT", "/agent_md", compactObject{"content": "x"}},
			{"PUT", "/spec", spec(compactObject{})},
			{"PUT", "/skills/x", compactObject{"description": "x", "content": "x"}},
			{"DELETE", "/skills/x", nil},
			{"POST", "/clone_from", compactObject{"source_revision_id": uuid.NewString()}},
			{"DELETE", "", nil},
		} {
			e := a.Do(t, "root", c.method, path+c.path, c.body).Refused(t, problem.Conflict)
			require.Equal(t, "revision_not_draft", e.Extra["error"], "%s %s", c.method, c.path)
			require.Equal(t, state, e.Extra["state"])
		}
	}
	for _, to := range []string{"/promote", "/archive"} {
		e := a.Do(t, "root", http.MethodPost, draft+to, nil).Refused(t, problem.Conflict)
		require.Equal(t, "draft", e.Extra["state"])
	}
	require.Equal(t, before, a.rows(t))
}

// The same bytes are the same version, whoever writes them again; anything else is another one.
func TestTheSameBytesChangeNothing(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.agent(t, "helper")
	path := a.draft(t, "helper")
	write := func(where string, body any) (agent.Written, string) {
		answer := a.ok(t, http.MethodPut, path+where, body)
		return apitest.Decode[agent.Written](t, answer), answer.Header.Get("ETag")
	}
	for _, c := range []struct {
		where        string
		first, other any
	}{
		{"/tools/echo", tool("one"), tool("two")},
		{"/tools/echo", tool("three"), tool("three", compactObject{"args_schema": compactObject{"type": "object", "required": []string{"a"}}})},
		{"/tools/echo", tool("four"), tool("four", compactObject{"effect": "read"})},
		{"/agent_md", compactObject{"content": "a"}, compactObject{"content": "b"}},
		{"/spec", spec(compactObject{}), spec(compactObject{"limits": compactObject{"timeout_ms": 500}})},
		{"/skills/s", compactObject{"description": "d", "content": "c"}, compactObject{"description": "d", "content": "e"}},
		{"/bundle", compactObject{"agent_md": "m", "spec": compactObject{}, "tools": []any{}}, compactObject{"agent_md": "n", "spec": compactObject{}, "tools": []any{}}},
	} {
		_, tag := write(c.where, c.first)
		before := a.rows(t)
		again, same := write(c.where, c.first)
		require.False(t, again.Changed, c.where)
		require.Equal(t, tag, same, c.where)
		require.Equal(t, before, a.rows(t), c.where)
		other, next := write(c.where, c.other)
		require.True(t, other.Changed, c.where)
		require.NotEqual(t, tag, next, c.where)
	}
}

// What is wrong with a source is said all at once, and nothing of it is written.
func TestAToolWithErrorsLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.agent(t, "helper")
	path := a.draft(t, "helper")
	a.ok(t, http.MethodPut, path+"/tools/echo", tool("one"))
	before := a.rows(t)
	e := a.Do(t, "root", http.MethodPut, path+"/tools/echo", tool("fine\nWRONG\nWRONG too\nODD")).Refused(t, problem.Invalid)
	require.Equal(t, "tool_compile_failed", e.Extra["error"])
	require.Equal(t, "echo", e.Extra["tool_id"])
	require.Len(t, e.Issues, 2)
	require.Contains(t, e.Detail, "line 2")
	data, err := json.Marshal(e.Extra["errors"])
	require.NoError(t, err)
	require.JSONEq(
		t,
		`[{"code":"syntax","severity":"error","message":"is wrong","hint":"Write it right.","line":2,"column":1,"end_line":2,"end_column":6},
		{"code":"syntax","severity":"error","message":"is wrong","hint":"Write it right.","line":3,"column":1,"end_line":3,"end_column":6}]`,
		string(data),
	)

	e = a.Do(t, "root", http.MethodPut, path+"/bundle", compactObject{"agent_md": "new", "spec": compactObject{}, "tools": []compactObject{
		{"id": "good", "description": "d", "args_schema": compactObject{}, "source": "one"},
		{"id": "bad", "description": "d", "args_schema": compactObject{}, "source": "WRONG"},
		{"id": "worse", "description": "d", "args_schema": compactObject{}, "source": "WRONG\nWRONG"},
	}}).Refused(t, problem.Invalid)
	tools, ok := e.Extra["tools"].([]any)
	require.True(t, ok)
	require.Len(t, tools, 2, "all tools are compiled")
	for _, c := range []struct {
		path, names string
		body        any
	}{
		{"/tools/echo", "args_schema", tool("two", compactObject{"args_schema": "object"})},
		{"/tools/echo", "args_schema", tool("two", compactObject{"args_schema": []any{}})},
		{"/tools/echo", "args_schema", `{"description":"d","source":"s","args_schema":` + strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40) + "}"},
		{"/tools/echo", "source", tool(" \n")},
		{"/tools/echo", "source", tool("a\x00b")},
		{"/tools/echo", "source", tool(strings.Repeat("x", agent.MaxSource+1))},
		{"/tools/echo", "description", tool("two", compactObject{"description": ""})},
		{"/tools/echo", "description", tool("two", compactObject{"description": "\u202edrow"})},
		{"/tools/echo", "effect", tool("two", compactObject{"effect": "destroy"})},
		{"/tools/echo", "kind", tool("two", compactObject{"kind": "native"})},
		{"/tools/BadID", "tool", tool("two")},
		{"/tools/-x", "tool", tool("two")},
		{"/bundle", "tools[1].id", compactObject{"agent_md": "", "spec": compactObject{}, "tools": []compactObject{tool("x", compactObject{"id": "a"}), tool("x", compactObject{"id": "a"})}}},
	} {
		refused := a.Do(t, "root", http.MethodPut, path+c.path, c.body).Refused(t, problem.Invalid)
		require.Contains(t, fmt.Sprint(refused.Issues), c.names, "%s %.100v", c.path, c.body)
	}
	require.Equal(t, before, a.rows(t))
	checked := apitest.Decode[agent.ToolChecked](t, a.ok(t, http.MethodPost, path+"/tools/new/check", tool("WRONG\nODD")))
	require.False(t, checked.OK)
	require.Len(t, checked.Diagnostics, 2)
	require.Equal(t, before, a.rows(t), "a check stores nothing")
	a.Do(t, "root", http.MethodDelete, path+"/tools/ghost", nil).Refused(t, problem.NotFound)
}

// Same content, same hash; and every part of the content counts.
func TestTheHashIsThatOfTheContent(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.agent(t, "helper")
	a.agent(t, "other")
	build := func(slug string, change func(path string)) string {
		path := a.draft(t, slug)
		a.ok(t, http.MethodPut, path+"/agent_md", compactObject{"content": "You help."})
		a.ok(t, http.MethodPut, path+"/skills/s", compactObject{"description": "d", "content": "c"})
		a.ok(t, http.MethodPut, path+"/tools/echo", tool("one"))
		change(path)
		draft := apitest.Decode[agent.Manifest](t, a.ok(t, http.MethodGet, path+"/manifest", nil))
		frozen := apitest.Decode[agent.Frozen](t, a.ok(t, http.MethodPost, path+"/freeze", nil))
		sealed := apitest.Decode[agent.Manifest](t, a.ok(t, http.MethodGet, path+"/manifest", nil))
		require.Equal(t, draft.BundleSHA256, frozen.BundleSHA256)
		require.Equal(t, draft.Files, sealed.Files)
		require.Equal(t, frozen.BundleSHA256, a.revision(t, path).BundleSHA256)
		return frozen.BundleSHA256
	}
	same := build("helper", func(string) {})
	require.Equal(t, same, build("other", func(string) {}))
	require.Equal(t, same, build("helper", func(path string) {
		a.ok(t, http.MethodPut, path+"/tools/more", tool("two"))
		a.ok(t, http.MethodDelete, path+"/tools/more", nil)
	}))
	seen := map[string]bool{same: true}
	for name, change := range map[string]func(path string){
		"text": func(path string) { a.ok(t, http.MethodPut, path+"/agent_md", compactObject{"content": "You harm."}) },
		"skill": func(path string) {
			a.ok(t, http.MethodPut, path+"/skills/s", compactObject{"description": "d", "content": "x"})
		},
		"skill words": func(path string) {
			a.ok(t, http.MethodPut, path+"/skills/s", compactObject{"description": "x", "content": "c"})
		},
		"tool": func(path string) { a.ok(t, http.MethodPut, path+"/tools/echo", tool("two")) },
		"schema": func(path string) {
			a.ok(t, http.MethodPut, path+"/tools/echo", tool("one", compactObject{"args_schema": compactObject{}}))
		},
		"effect": func(path string) {
			a.ok(t, http.MethodPut, path+"/tools/echo", tool("one", compactObject{"effect": "read"}))
		},
		"spec": func(path string) {
			a.ok(t, http.MethodPut, path+"/spec", spec(compactObject{"limits": compactObject{"timeout_ms": 500}}))
		},
		"name": func(path string) { a.ok(t, http.MethodPut, path+"/tools/echo2", tool("one")) },
	} {
		sum := build("helper", change)
		require.False(t, seen[sum], name)
		seen[sum] = true
	}
}

// A copy is of one moment, has everything, and is compiled anew when another compiler made it.
func TestACloneIsTheSameBundle(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.agent(t, "helper")
	a.agent(t, "other")
	first := a.draft(t, "helper")
	a.secret(t, "TOKEN")
	a.ok(t, http.MethodPut, first+"/agent_md", compactObject{"content": "You help."})
	a.ok(t, http.MethodPut, first+"/skills/s", compactObject{"description": "d", "content": "c"})
	a.ok(
		t,
		http.MethodPut,
		first+"/spec",
		spec(compactObject{"secrets": []compactObject{{"name": "TOKEN", "allowed_hosts": []string{"API.example.com"}}}}),
	)
	a.ok(t, http.MethodPut, first+"/tools/echo", tool(`ref("TOKEN")`))
	a.Exec(t, `UPDATE agent_tools SET examples = '[{"name":"e","args":{}}]', compiler = 'test 0', compiled_js = 'old'`)
	want := a.bundle(t, first)
	source := a.revision(t, first).ID

	second := a.draft(t, "other")
	a.ok(t, http.MethodPut, second+"/tools/mine", tool("gone"))
	a.ok(t, http.MethodPut, second+"/skills/mine", compactObject{"description": "d", "content": "gone"})
	a.ok(t, http.MethodPost, second+"/clone_from", compactObject{"source_revision_id": source})
	third := apitest.Decode[agent.Revision](t, a.ok(t, http.MethodPost, agents+"/other/revisions", compactObject{"cloneFrom": source}))
	for _, path := range []string{second, agents + "/other/revisions/" + third.ID.String()} {
		got := a.bundle(t, path)
		require.Equal(t, "test 1", got.Bundle.Tools[0].Compiler)
		got.Bundle.Tools[0].Compiler = "test 0"
		require.Equal(t, want.Bundle, got.Bundle)
		require.Equal(t, source, *a.revision(t, path).ClonedFrom)
	}
	require.Equal(t, []string{"api.example.com"}, want.Bundle.Spec.Secrets[0].AllowedHosts)
	require.Zero(t, a.Count(t, `SELECT count(*) FROM agent_tools WHERE compiled_js = 'old' AND revision_id <> $1`, source))
	a.Do(t, "root", http.MethodPost, second+"/clone_from", compactObject{"source_revision_id": uuid.New()}).Refused(t, problem.Invalid)
}

// A diff says what became of each file, with its texts.
func TestADiffIsFileByFile(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.agent(t, "helper")
	first := a.frozen(t, "helper", "one")
	alone := apitest.Decode[agent.Diff](t, a.ok(t, http.MethodGet, first+"/diff", nil))
	require.Nil(t, alone.From)
	second := a.draft(t, "helper")
	a.ok(t, http.MethodPost, second+"/clone_from", compactObject{"source_revision_id": a.revision(t, first).ID})
	require.Empty(t, apitest.Decode[agent.Diff](t, a.ok(t, http.MethodGet, second+"/diff", nil)).Files)
	a.ok(t, http.MethodPut, second+"/tools/echo", tool("two"))
	a.ok(t, http.MethodPut, second+"/tools/more", tool("three"))
	a.ok(t, http.MethodPut, second+"/agent_md", compactObject{"content": strings.Repeat("x", 300_000)})
	diff := apitest.Decode[agent.Diff](t, a.ok(t, http.MethodGet, second+"/diff?against=1", nil))
	require.Equal(t, 1, diff.From.Number)
	byPath := map[string]agent.FileDiff{}
	for _, f := range diff.Files {
		byPath[f.Path] = f
	}
	require.Equal(
		t,
		agent.FileDiff{Path: "tools/echo/source.ts", Status: "changed", Before: new("one"), After: new("two")},
		byPath["tools/echo/source.ts"],
	)
	require.Equal(t, agent.FileDiff{Path: "tools/more/source.ts", Status: "added", After: new("three")}, byPath["tools/more/source.ts"])
	require.Equal(t, agent.FileDiff{Path: "tools/more/compiled.js", Status: "added", Generated: true}, byPath["tools/more/compiled.js"])
	require.Equal(t, agent.FileDiff{Path: "agent.md", Status: "changed", Truncated: true}, byPath["agent.md"])
	back := apitest.Decode[agent.Diff](t, a.ok(t, http.MethodGet, first+"/diff?against=2", nil))
	require.Len(t, back.Files, len(diff.Files))
	a.Do(t, "root", http.MethodGet, first+"/diff?against=99", nil).Refused(t, problem.NotFound)
}
