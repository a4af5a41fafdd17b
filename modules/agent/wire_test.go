package agent_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/modules/agent"
	product "countersign/tool"
)

// oneTool takes a new revision of an agent live that has one tool, which reads.
func (a *app) oneTool(t testing.TB, slug, id string) {
	t.Helper()
	a.agent(t, slug)
	path := a.draft(t, slug)
	a.ok(t, http.MethodPut, path+"/tools/"+id, tool("export default 1", compactObject{"effect": "read"}))
	a.ok(t, http.MethodPost, path+"/freeze", nil)
	a.ok(t, http.MethodPost, path+"/promote", nil)
}

// registry is what finds tools by their names for models.
func (a *app) registry(t testing.TB) *product.Registry {
	t.Helper()
	r, err := product.NewRegistry()
	require.NoError(t, err)
	require.NoError(t, r.AddSource(a.module.Source(slog.New(slog.DiscardHandler))))
	return r
}

// Whoever may make agents chooses a name so that another's tool would be hidden by it, and called in its place.
func TestNobodyTakesTheNameOfAnothersTool(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.Person("reader", agent.Read)
	a.oneTool(t, "vic_tim", "pay")
	wire := product.WireNameOf("agent.vic_tim.pay")
	all := []string{"agent.vic_tim.pay"}
	for i, id := range []string{"tim_pay", "tim_pay_4da6c0ce16db", "tim_pay" + strings.TrimPrefix(wire, "agent_vic_tim_pay")} {
		slug := "vic"
		if i > 0 {
			a.ok(t, http.MethodDelete, agents+"/vic", nil)
		}
		a.oneTool(t, slug, id)
		theirs := "agent.vic." + id
		require.ElementsMatch(t, append(all[:1:1], theirs), a.offered(t, "reader"), "neither hides the other")
		r := a.registry(t)
		for _, name := range []string{"agent.vic_tim.pay", wire} {
			found, err := r.Find(t.Context(), a.Principal("reader"), name)
			require.NoError(t, err)
			require.Equal(t, "agent.vic_tim.pay", found.Name)
			found, ok, err := r.Lookup(t.Context(), name)
			require.NoError(t, err)
			require.True(t, ok)
			require.Equal(t, "agent.vic_tim.pay", found.Name)
		}
		for _, name := range []string{theirs, product.WireNameOf(theirs)} {
			found, err := r.Find(t.Context(), a.Principal("reader"), name)
			require.NoError(t, err)
			require.Equal(t, theirs, found.Name)
		}
	}
}

// flood makes tools in a live revision, with SQL as they are many, in the name of an author.
func (a *app) flood(t testing.TB, slug string, author any, count int) {
	t.Helper()
	const copies = `INSERT INTO agent_tools (revision_id, id, description, args_schema, effect, source, source_sha256, compiled_js, source_map, capabilities, compiler, warnings)
		SELECT t.revision_id, 'more' || n, t.description, t.args_schema, t.effect, t.source, t.source_sha256, t.compiled_js,
			t.source_map, t.capabilities, t.compiler, t.warnings
		FROM agent_tools t JOIN agent_revisions r ON r.id = t.revision_id JOIN agents a ON a.id = r.agent_id, generate_series(1, $2) n WHERE a.name_key = $1 AND r.state = 'live' AND t.id = 'echo'`
	a.Exec(t, copies, slug, count)
	a.Exec(t, `UPDATE agent_revisions r SET created_by_id = $2 FROM agents a WHERE a.id = r.agent_id AND a.name_key = $1`, slug, author)
}

func TestNobodyHidesTheToolsOfOthersByMakingMany(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	reader, flooder := a.Person("reader", agent.Read), a.Person("flooder", agent.Manage)
	for i := range 3 {
		slug := fmt.Sprintf("a-flood-%d", i)
		a.live(t, slug, "export default 1", nil)
		a.flood(t, slug, flooder.ID, 300)
	}
	a.live(t, "honest", "export default 1", nil)
	a.live(t, "z-own", "export default 1", nil)
	a.flood(t, "z-own", reader.ID, 150)
	offered := a.offered(t, "reader")
	require.Subset(t, offered, []string{"agent.honest.echo", "agent.honest.write", "agent.z-own.echo", "agent.z-own.write"})
	count := map[bool]int{}
	for _, name := range offered {
		count[strings.HasPrefix(name, "agent.a-flood")]++
	}
	require.Equal(t, map[bool]int{true: 100, false: 2 + 152}, count, "an author has a share, but of the reader's own tools none is left out")

	// What is not offered is called by its name all the same.
	require.NotContains(t, offered, "agent.a-flood-2.write")
	r := a.registry(t)
	for _, name := range []string{"agent.a-flood-2.write", "agent_a-flood-2_write"} {
		found, err := r.Find(t.Context(), a.Principal("reader"), name)
		require.NoError(t, err)
		require.Equal(t, "agent.a-flood-2.write", found.Name)
	}

	// As long as there is room, nothing is left out.
	a.ok(t, http.MethodDelete, agents+"/a-flood-1", nil)
	a.ok(t, http.MethodDelete, agents+"/a-flood-2", nil)
	require.Len(t, a.offered(t, "reader"), 302+2+152)
}

// A model is told of a schema as it is, so what people cannot see must not be in it.
func TestTextsOfASchemaHideNothing(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.agent(t, "billing")
	path := a.draft(t, "billing") + "/tools/echo"
	for _, hidden := range []string{"\u202e", "\u200b", "\u0007", "\U000e0041", "\u2066"} {
		text := "a" + hidden + "b"
		for _, schema := range []compactObject{
			{"title": text},
			{"description": text},
			{"properties": compactObject{text: compactObject{"type": "string"}}},
			{"properties": compactObject{"n": compactObject{"items": compactObject{"description": text}}}},
			{"properties": compactObject{"n": compactObject{"enum": []any{1, text}}}},
			{"properties": compactObject{"n": compactObject{"const": text}}},
		} {
			refused := a.Do(
				t,
				"root",
				http.MethodPut,
				path,
				tool("export default 1", compactObject{"args_schema": schema}),
			).Refused(
				t,
				problem.Invalid,
			)
			require.Len(t, refused.Issues, 1)
			require.Equal(t, "args_schema", refused.Issues[0].Path)
		}
	}
	a.ok(t, http.MethodPut, path, tool("export default 1", compactObject{"args_schema": compactObject{"description": "Größe: 1\n\t– 2 👍"}}))
}
