package tool_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

type noInput struct{}

type noteInput struct {
	Text string `json:"text" jsonschema:"minLength=1"`
}

type noteOutput struct {
	Text string `json:"text"`
}

func readTool(name string, rules ...string) tool.Tool {
	return kit.NewRead(tool.Definition{Name: name, Description: "Reads.", Effect: tool.Read, Rules: rules},
		func(context.Context, tool.Caller, noInput) (noteOutput, error) { return noteOutput{Text: "read"}, nil })
}

func writeTool(name string, effect tool.Effect, rules ...string) tool.Tool {
	return kit.NewWriteFunc(tool.Definition{Name: name, Description: "Writes.", Effect: effect, Rules: rules},
		func(_ context.Context, _ tool.Caller, in noteInput) (kit.Preview[noteInput], error) {
			in.Text += "!"
			return kit.Preview[noteInput]{Summary: "Note " + in.Text, Payload: in, Revision: `"3"`}, nil
		},
		func(_ context.Context, _ tool.Caller, in noteInput) (noteOutput, error) {
			return noteOutput(in), nil
		})
}

func person(rules ...string) principal.Principal {
	return principal.Principal{Kind: principal.User, ID: uuid.New(), Rules: rules}
}

func offered(t *testing.T, r *tool.Registry, p principal.Principal) []tool.Tool {
	t.Helper()
	tools, err := r.Resolve(t.Context(), p)
	require.NoError(t, err)
	return tools
}

func registry(t *testing.T, tools ...tool.Tool) *tool.Registry {
	t.Helper()
	r, err := tool.NewRegistry(tools...)
	require.NoError(t, err)
	return r
}

func names(tools []tool.Tool) []string {
	var list []string
	for _, t := range tools {
		list = append(list, t.Name)
	}
	return list
}

func TestARegistryRefusesToolsThatAreNotComplete(t *testing.T) {
	t.Parallel()
	good := readTool("note.list", "note.read")
	for name, breakIt := range map[string]func(*tool.Tool){
		"no module":           func(t *tool.Tool) { t.Name = "list" },
		"underscore in name":  func(t *tool.Tool) { t.Name = "note.list_all" },
		"no description":      func(t *tool.Tool) { t.Description = " \n" },
		"no rule":             func(t *tool.Tool) { t.Rules = nil },
		"unknown effect":      func(t *tool.Tool) { t.Effect = "maybe" },
		"write without a dry": func(t *tool.Tool) { t.Effect = tool.Mutate },
		"made by hand":        func(t *tool.Tool) { *t = tool.Tool{Definition: t.Definition} },
	} {
		broken := good
		breakIt(&broken)
		_, err := tool.NewRegistry(broken)
		require.Error(t, err, name)
	}
	_, err := tool.NewRegistry(good, readTool("note.list", "note.read"))
	require.ErrorContains(t, err, "note.list")
	reading := writeTool("note.write", tool.Read, "note.manage")
	_, err = tool.NewRegistry(reading)
	require.Error(t, err, "a read tool may not have a dry run")
}

func TestOnlyToolsWhoseEveryRuleIsHeldAreOffered(t *testing.T) {
	t.Parallel()
	r := registry(t,
		writeTool("note.remove", tool.Destructive, "note.manage", "note.read"),
		readTool("note.list", "note.read"),
		readTool("book.list", "book.read"),
	)
	require.Equal(t, []string{"book.list", "note.list", "note.remove"}, names(r.All()), "sorted by name")
	require.Equal(t, []string{"note.list"}, names(offered(t, r, person("note.read"))))
	require.Equal(t, []string{"note.list", "note.remove"}, names(offered(t, r, person("note.manage", "note.read"))))
	require.Len(t, offered(t, r, person(principal.Admin)), 3)
	require.Empty(t, offered(t, r, person("note.manage")), "all rules must hold, not any")
}

func TestAServiceNeverGetsATool(t *testing.T) {
	t.Parallel()
	r := registry(t, readTool("note.list", "note.read"))
	service := principal.Principal{Kind: principal.Service, Rules: []string{principal.Admin}}
	require.Empty(t, offered(t, r, service))
	_, err := r.Find(t.Context(), service, "note.list")
	require.True(t, problem.Is(err, problem.Forbidden))
	require.Empty(t, offered(t, r, principal.Principal{}), "nobody gets none either")
}

func TestAToolIsFoundByItsDottedAndItsWireName(t *testing.T) {
	t.Parallel()
	r := registry(t, readTool("note.list", "note.read"))
	for _, name := range []string{"note.list", "note_list"} {
		found, err := r.Find(t.Context(), person("note.read"), name)
		require.NoError(t, err)
		require.Equal(t, "note.list", found.Name)
	}
}

func TestARefusalNamesTheMissingRules(t *testing.T) {
	t.Parallel()
	r := registry(t, writeTool("note.remove", tool.Destructive, "note.manage", "note.read"))
	_, err := r.Find(t.Context(), person("note.read"), "note_remove")
	require.Equal(t, []string{"note.manage"}, problem.As(err).MissingRules)
	require.Contains(t, problem.As(err).Detail, "note.remove")
}

func TestAnUnknownToolSuggestsOnlyWhatTheCallerMayUse(t *testing.T) {
	t.Parallel()
	r := registry(t, readTool("note.list", "note.read"), writeTool("note.remove", tool.Destructive, "note.manage"))
	_, err := r.Find(t.Context(), person("note.read"), "note_search")
	require.True(t, problem.Is(err, problem.NotFound))
	require.Contains(t, problem.As(err).Detail, "note.list")
	require.NotContains(t, problem.As(err).Detail, "note.remove")
}

func TestAReadToolCannotBeProposed(t *testing.T) {
	t.Parallel()
	_, err := readTool("note.list", "note.read").DryRun(t.Context(), tool.Caller{}, json.RawMessage(`{}`))
	require.True(t, problem.Is(err, problem.Invalid))
}

func TestAProposalHoldsTheCompletedPayloadInCanonicalForm(t *testing.T) {
	t.Parallel()
	write := writeTool("note.write", tool.Mutate, "note.manage")
	proposed, err := write.DryRun(t.Context(), tool.Caller{}, json.RawMessage(`{ "text" : "<hi>" }`))
	require.NoError(t, err)
	require.True(t, bytes.Equal([]byte(`{"text":"<hi>!"}`), proposed.Payload), "%s", proposed.Payload)
	require.Equal(t, `"3"`, proposed.Revision)

	result, err := write.Run(t.Context(), tool.Caller{}, proposed.Payload)
	require.NoError(t, err)
	require.Equal(t, noteOutput{Text: "<hi>!"}, result)
}

func TestAWrongInputReachesNeitherDryRunNorRun(t *testing.T) {
	t.Parallel()
	untouched := kit.NewWriteFunc(tool.Definition{Name: "note.write", Description: "Writes.", Effect: tool.Mutate, Rules: []string{"x"}},
		func(context.Context, tool.Caller, noteInput) (kit.Preview[noteInput], error) {
			t.Error("dry run reached")
			return kit.Preview[noteInput]{}, nil
		},
		func(context.Context, tool.Caller, noteInput) (noteOutput, error) {
			t.Error("apply reached")
			return noteOutput{}, nil
		})
	for _, input := range []string{`{}`, `{"text":""}`, `{"text":"a","more":1}`, `[]`, ``, `{"text":"a"} {}`} {
		_, err := untouched.Run(t.Context(), tool.Caller{}, json.RawMessage(input))
		require.True(t, problem.Is(err, problem.Invalid), input)
		_, err = untouched.DryRun(t.Context(), tool.Caller{}, json.RawMessage(input))
		require.True(t, problem.Is(err, problem.Invalid), input)
	}
}
