package app_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
)

// A script of a check is compiled and its types are checked before it is saved, wherever it comes from.
func TestScriptsOfChecksAreCompiledBeforeTheyAreSaved(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	body := func(name, collector, source string) map[string]any {
		return map[string]any{
			"name": name, "strategyId": "healthcheck-script.script", "config": map[string]any{}, "intervalSeconds": 60,
			"collectors": []any{map[string]any{
				"id": uuid.NewString(), "collectorId": "healthcheck-script." + collector, "config": map[string]any{"script": source},
			}},
		}
	}
	type verdict struct {
		Valid  bool
		Errors []struct{ Path, Message string }
	}
	var valid string
	for i, c := range []struct{ collector, source, says string }{
		{"inline-script", `const x: number = 'a'; export default () => nope`, "line 1, column 7: Type 'string' is not assignable to type 'number'"},
		{"inline-script", `export default () => nope`, "Cannot find name 'nope'"},
		{"inline-script", `export default ( => true`, "does not compile"},
		{"inline-script", `import fs from "fs"; export default () => true`, "does not compile"},
		{"inline-script", `export const ready = true;`, "export default"},
		{"inline-script", `export default async () => { const r = await fetch("http://web.test/"); return r.status === 200; }`, ""},
		{"inline-script", `export default (context) => ({ success: true, message: context.config.url })`, ""},
		{"execute", `if true; then echo ok`, "is no shell script: 1:1: "},
		{"execute", `echo "open`, "is no shell script"},
		{"execute", `curl -sf http://web.test:8000/ok | grep -q up && [[ -n $HOME ]]`, ""},
	} {
		var found verdict
		definition := body("", c.collector, c.source)
		delete(definition, "name")
		p.Admin.Post(t, "/api/healthcheck/validate", definition, &found)
		saved := body(fmt.Sprintf("Script %d", i), c.collector, c.source)
		if c.says == "" {
			require.True(t, found.Valid, "%s: %v", c.source, found.Errors)
			var made struct{ ID uuid.UUID }
			p.Admin.Post(t, "/api/healthcheck/checks", saved, &made)
			valid = made.ID.String()
			continue
		}
		require.False(t, found.Valid, c.source)
		require.Equal(t, "collectors[0].config.script", found.Errors[0].Path)
		require.Contains(t, found.Errors[0].Message, c.says)
		refused := p.Admin.Refused(t, problem.Invalid, http.MethodPost, "/api/healthcheck/checks", saved)
		require.Equal(t, "collectors[0].config.script", refused.Issues[0].Path)
	}
	t.Log("a proposal that could not be applied gets no card")
	const wrong = `const x: number = 'a'; export default () => x`
	for tool, input := range map[string]map[string]any{
		"healthcheck.propose": body("Proposed", "inline-script", wrong),
		"healthcheck.update":  {"id": valid, "collectors": body("", "inline-script", wrong)["collectors"]},
	} {
		refused := p.Admin.Refused(t, problem.Invalid, http.MethodPost, "/api/ai/tools/"+tool+"/propose", map[string]any{"input": input})
		require.Equal(t, "collectors[0].config.script", refused.Issues[0].Path, tool)
		require.Contains(t, refused.Issues[0].Message, "line 1, column 7: Type 'string' is not assignable to type 'number'", tool)
	}
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_proposals`))
}
