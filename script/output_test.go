package script_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/sandbox"
	"countersign/script"
	"countersign/script/sdk"
	"countersign/script/typescript"
)

func TestWhatTheContextDoesNotKnowIsNamed(t *testing.T) {
	t.Parallel()
	e := &engine{outcome: sandbox.Outcome{Kind: sandbox.OK, Result: json.RawMessage("null")}}
	out := run(t, e, script.TestInput{Context: sdk.HealthCheckScript, Source: "x", TimeoutMs: 1_000, SampleContext: map[string]any{
		"enviroment": map[string]any{}, "CHECK": map[string]any{"id": "other"}, "env": map[string]any{"A": "b"},
		"system": map[string]any{"nam": "Shop"}, "environment": map[string]any{"fields": map[string]any{"anything": 1}},
	}})
	require.Len(t, out.Warnings, 4)
	for i, start := range []string{"sampleContext.CHECK was", "sampleContext.env was", "sampleContext.enviroment was", "sampleContext.system.nam was"} {
		require.True(t, strings.HasPrefix(out.Warnings[i], start), out.Warnings[i])
	}
	var told sdk.HealthCheckContext
	require.NoError(t, json.Unmarshal(e.last().Input, &told))
	require.Equal(t, "test-check", told.Check.ID)
	require.Empty(t, told.Env)
	require.Contains(t, told.Environment.Fields, "anything")
}

func TestVariablesReachBothLanguages(t *testing.T) {
	t.Parallel()
	e := &engine{outcome: sandbox.Outcome{Kind: sandbox.OK, Result: json.RawMessage("null")}}
	for _, c := range sdk.Contexts() {
		out := run(t, e, script.TestInput{
			Context:   c,
			Source:    "x",
			TimeoutMs: 1_000,
			Env:       map[string]string{"MODE": "fast"},
			SecretEnv: map[string]string{
				"TOKEN": "${{ secrets.API }}",
				"KEY":   "${{ secrets.KEY }}",
			},
			SecretOverrides: map[string]string{"KEY": "typed in"},
		})
		require.Empty(t, out.Warnings)
		got := e.last().Env
		if c.Language() == sdk.TypeScript {
			var told struct{ Env map[string]string }
			require.NoError(t, json.Unmarshal(e.last().Input, &told))
			got = told.Env
		}
		require.Equal(t, []string{"fast", "__SECRET_API__", "typed in"}, []string{got["MODE"], got["TOKEN"], got["KEY"]}, c)
	}
}

const typedIn = `ty"ped-Value/42`

func overridden(c sdk.Context) script.TestInput {
	return script.TestInput{
		Context:         c,
		Source:          "x",
		TimeoutMs:       1_000,
		SecretEnv:       map[string]string{"TOKEN": "${{ secrets.API }}"},
		SecretOverrides: map[string]string{"TOKEN": typedIn},
	}
}

// echo is an outcome that has a text wherever a script can put one.
func echo(text string) sandbox.Outcome {
	result, _ := json.Marshal(map[string]any{"success": true, "message": text})
	return sandbox.Outcome{
		Kind:   sandbox.OK,
		Result: result,
		Stdout: text + "\n",
		Stderr: "a " + text,
		Logs:   []sandbox.Log{{Level: "info", Text: text}},
		Failure: &sandbox.Failure{
			Name:    text,
			Message: "failed: " + text,
			Stack:   []sandbox.Frame{{Function: text, File: "script.sh", Line: 1, Column: 1}},
		},
	}
}

func TestWhatATesterTypesInForASecretComesBackNowhere(t *testing.T) {
	t.Parallel()
	forms := []string{
		typedIn, base64.StdEncoding.EncodeToString([]byte("user:" + typedIn)), url.QueryEscape(typedIn), strings.ToLower(url.PathEscape(typedIn)),
		"https://example.com/" + strings.ReplaceAll(typedIn, `"`, "%22"), fmt.Sprintf("%x", typedIn), fmt.Sprintf("%q", typedIn),
	}
	for _, c := range sdk.Contexts() {
		for _, form := range forms {
			for _, kind := range []sandbox.Kind{sandbox.OK, sandbox.Failed} {
				outcome := echo(form)
				outcome.Kind = kind
				in := overridden(c)
				out := run(t, &engine{outcome: outcome}, in)
				data, err := json.Marshal(out)
				require.NoError(t, err)
				part, _ := json.Marshal(form[len(form)/4 : len(form)-2])
				require.NotContains(t, string(data), strings.Trim(string(part), `"`), "%s %s", c, kind)
				require.Contains(t, out.Stdout, "****")
			}
		}
	}
	cut := sandbox.Outcome{
		Kind:      sandbox.OK,
		OutputCut: true,
		Stdout:    "x" + typedIn[:9],
		Logs:      []sandbox.Log{{Level: "stdout", Text: typedIn[:9]}},
	}
	out := run(t, &engine{outcome: cut}, overridden(sdk.ActionShell))
	require.Equal(t, "x****", out.Stdout, "the limit of the output cut the value")
	require.Equal(t, "****", out.Logs[0].Text)
}

func TestTheRowOfATestShowsNoValue(t *testing.T) {
	t.Parallel()
	e := &engine{outcome: echo(typedIn)}
	h, db := newHost(t, e)
	keys, err := secret.New()
	require.NoError(t, err)
	h.Sealer = keys
	row := func(id uuid.UUID) (text string) {
		require.NoError(
			t,
			db.Conn(
				t.Context(),
			).QueryRow(
				t.Context(),
				`SELECT encode(request || coalesce(answer, ''), 'escape') FROM script_tests WHERE id = $1`,
				id,
			).Scan(
				&text,
			),
		)
		return text
	}
	h.start = func(id uuid.UUID) error {
		before := row(id)
		require.Contains(t, before, "sealed")
		require.NoError(t, h.Execute(t.Context(), id))
		require.NotContains(t, before+row(id), "ped-Value")
		return nil
	}
	out, err := h.Test(asSomebody(t), nil, overridden(sdk.HealthCheckShell))
	require.NoError(t, err)
	require.Equal(t, "****\n", out.Stdout)
	require.Equal(t, typedIn, e.last().Env["TOKEN"])
}

func TestAValueThatCannotBeUsedIsRefusedWithoutIt(t *testing.T) {
	t.Parallel()
	h := script.New(script.Options{})
	for value, path := range map[string]string{"abc": "TOKEN", "ab\x00cdef": "TOKEN", "\xff\xfe\xfd\xfc": "TOKEN", "undeclared-value": "OTHER", strings.Repeat("x", 70_000): "TOKEN"} {
		in := overridden(sdk.HealthCheckShell)
		in.SecretOverrides = map[string]string{path: value}
		_, err := h.Test(asSomebody(t), nil, in)
		require.True(t, problem.Is(err, problem.Invalid), path)
		require.True(t, strings.HasPrefix(problem.As(err).Issues[0].Path, "secretOverrides"))
		require.NotContains(t, fmt.Sprintf("%+v", problem.As(err).Issues), value)
	}
}

func TestWhatIsNoErrorOfTheScriptHasOneNameInBothLanguages(t *testing.T) {
	t.Parallel()
	for _, kind := range []sandbox.Kind{sandbox.Timeout, sandbox.Memory, sandbox.HostCalls, sandbox.Stalled, sandbox.Trap} {
		for _, c := range []sdk.Context{sdk.ActionScript, sdk.ActionShell} {
			out := run(
				t,
				&engine{outcome: sandbox.Outcome{Kind: kind, Failure: &sandbox.Failure{Name: "NameOfTheEngine", Message: "Too much."}}},
				script.TestInput{Context: c, Source: "x"},
			)
			require.Equal(t, string(kind), out.Error.Name)
		}
	}
}

// A type error beside an import that is refused is not what keeps a script from running.
func TestTheErrorThatStopsAScriptIsTheOneThatIsNamed(t *testing.T) {
	t.Parallel()
	finding := func(rule typescript.Rule, line int) typescript.Diagnostic {
		return typescript.Diagnostic{Rule: rule, Severity: typescript.Error, Message: string(rule), Line: line, Column: 1}
	}
	for _, stop := range []bool{false, true} {
		r := &script.Runner{
			Compiler: compiler{
				typescript.Compiled{
					Report: typescript.Report{Diagnostics: []typescript.Diagnostic{finding(typescript.Types, 1), finding(typescript.Imports, 2)}},
				},
			},
			Policies: policies{},
		}
		out, err := r.Run(t.Context(), script.TestInput{Context: sdk.ActionScript, Source: "x", StopOnTypeError: stop})
		require.NoError(t, err)
		require.Equal(t, "ImportError", out.Error.Name)
		require.Equal(t, 2, out.Error.Stack[0].Line)
	}
}

func TestLinesThatAreManyAreListedInPart(t *testing.T) {
	t.Parallel()
	out := run(
		t,
		&engine{outcome: sandbox.Outcome{Kind: sandbox.OK, Stdout: "all", Logs: make([]sandbox.Log, 5_001)}},
		script.TestInput{Context: sdk.ActionShell, Source: "x", TimeoutMs: 1_000},
	)
	require.Len(t, out.Logs, 5_000)
	require.Contains(t, out.Warnings[0], "first 5000 of 5001")
	require.Equal(t, "all", out.Stdout)
}

func TestAModelReadsWhatMattersOfALongOutput(t *testing.T) {
	t.Parallel()
	long := script.TestOutput{
		Stdout: strings.Repeat("ä", 50_000) + "the end", Stderr: "short", Logs: make([]script.LogLine, 5_000), Warnings: []string{"first"},
		Diagnostics: make([]script.Diagnostic, 100), Result: json.RawMessage(`"` + strings.Repeat("r", 100_000) + `"`), SandboxDowngraded: true,
	}
	brief := long.Brief()
	data, err := json.Marshal(brief)
	require.NoError(t, err)
	require.Less(t, len(data), 12_000)
	require.True(t, brief.SandboxDowngraded)
	require.Contains(t, brief.Stdout, "bytes are left out here")
	require.True(t, strings.HasSuffix(brief.Stdout, "the end"))
	require.NotContains(t, brief.Stdout, "\ufffd")
	require.Equal(t, "short", brief.Stderr)
	require.Len(t, brief.Warnings, 4)
	require.Len(t, long.Warnings, 1)

	short := script.TestOutput{
		Stdout:   "a\n",
		Logs:     []script.LogLine{{Level: "info", Text: "a"}},
		Result:   json.RawMessage(`{"a":1}`),
		Warnings: []string{},
	}
	require.Equal(t, short, short.Brief())
}

// The compiler keeps its findings for whoever comes with the same source.
func TestMaskingLeavesTheFindingsOfTheCompilerAlone(t *testing.T) {
	t.Parallel()
	known := []typescript.Diagnostic{{Rule: typescript.Types, Severity: typescript.Error, Message: "not " + typedIn, Line: 1, Column: 1}}
	r := &script.Runner{
		Compiler:   compiler{typescript.Compiled{JS: "x", Report: typescript.Report{Diagnostics: known, Checked: true}}},
		JavaScript: &engine{outcome: sandbox.Outcome{Kind: sandbox.OK, Result: json.RawMessage("null")}}, Policies: policies{},
	}
	out, err := r.Run(t.Context(), overridden(sdk.ActionScript))
	require.NoError(t, err)
	require.Equal(t, "not ****", out.Diagnostics[0].Message)
	require.Equal(t, "not "+typedIn, known[0].Message)
}
