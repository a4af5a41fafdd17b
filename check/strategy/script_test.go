package strategy_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/strategy"
)

// sandboxed answers each script with one output.
type sandboxed struct {
	out check.ScriptOutput
	err error
	got check.ScriptInput
}

func (s *sandboxed) Run(_ context.Context, in check.ScriptInput) (check.ScriptOutput, error) {
	s.got = in
	return s.out, s.err
}

func inSandbox(s *sandboxed, collector string, about object) probe {
	return probe{
		strategy: "healthcheck-script.script", collector: "healthcheck-script." + collector, about: about,
		host: &check.Host{Scripts: s, Now: time.Now}, scope: check.Scope{System: check.SystemScope{ID: uuid.New(), Name: "Shop"}},
	}
}

func TestInlineScript(t *testing.T) {
	t.Parallel()
	s := &sandboxed{
		out: check.ScriptOutput{Result: json.RawMessage(`{"success":true,"message":"fine","value":7}`), Took: 3 * time.Millisecond},
	}
	p := inSandbox(s, "inline-script", object{
		"script": "export default () => ({ a: {}})", "config": object{"url": "https://{{ system.name }}.example.com"},
		"env": object{"LEVEL": "{{ system.name }}"}, "secretEnv": object{"TOKEN": "${{ secrets.PASSWORD }}"}, "timeout": 5000,
	})
	var found struct {
		Success         bool
		Message         string
		Value           *float64
		ExecutionTimeMs float64
		TimedOut        bool
	}
	p.passes(t, &found)
	require.True(t, found.Success)
	require.InDelta(t, 7, *found.Value, 0)
	require.InDelta(t, 3, found.ExecutionTimeMs, 0)
	require.Equal(t, "typescript", s.got.Language)
	require.JSONEq(t, `{"url":"https://Shop.example.com"}`, string(s.got.Config))
	require.Equal(t, map[string]string{"LEVEL": "Shop", "TOKEN": password}, s.got.Env)
	require.Equal(t, 5*time.Second, s.got.Timeout)
	require.Equal(t, "Shop", s.got.Scope.System.Name)

	for _, c := range []struct {
		out   check.ScriptOutput
		err   error
		cause check.Cause
		words string
	}{
		{check.ScriptOutput{Result: json.RawMessage(`{"success":false,"message":"queue is long"}`)}, nil, check.WrongAnswer, "Queue is long."},
		{check.ScriptOutput{Result: json.RawMessage(`{"success":false,"message":"it said ` + password + `"}`)}, nil, check.WrongAnswer, "It said"},
		{check.ScriptOutput{Result: json.RawMessage(`{"success":false}`)}, nil, check.WrongAnswer, "The script says that it is not well."},
		{check.ScriptOutput{Error: "TypeError: x is not a function (line 3)"}, nil, check.WrongAnswer, "line 3"},
		{check.ScriptOutput{TimedOut: true}, nil, check.TimedOut, "did not end in time"},
		{check.ScriptOutput{Error: "fetch failed", Withheld: "The policy keeps it."}, nil, check.NotRunnable, "The policy keeps it."},
		{check.ScriptOutput{}, check.Fail(check.NotRunnable, "The script cannot be run: line 1."), check.NotRunnable, "cannot be run"},
		{check.ScriptOutput{}, check.Fail(check.Overloaded, "Too many."), check.Overloaded, "Too many."},
		{check.ScriptOutput{}, errors.New("out of disk"), check.HostFailed, "fault on our side"},
	} {
		s.out, s.err = c.out, c.err
		p.fails(t, c.cause, c.words)
	}
	p.host = &check.Host{Now: time.Now}
	p.fails(t, check.NotRunnable, "runs no scripts of checks")
}

func TestShellScript(t *testing.T) {
	t.Parallel()
	s := &sandboxed{out: check.ScriptOutput{Stdout: "token is " + password, ExitCode: 0, Took: time.Millisecond}}
	p := inSandbox(
		s,
		"execute",
		object{
			"script":    "curl ${URL} {{x}}",
			"env":       object{"URL": "https://example.com"},
			"secretEnv": object{"TOKEN": "${{ secrets.PASSWORD }}"},
		},
	)
	var found struct {
		ExitCode        int
		Stdout, Stderr  string
		Success         bool
		ExecutionTimeMs float64
	}
	p.passes(t, &found)
	require.Equal(t, "token is ****", found.Stdout)
	require.Equal(t, "shell", s.got.Language)
	require.Zero(t, s.got.Timeout, "it has the time of the run")

	s.out = check.ScriptOutput{ExitCode: 2, Stderr: "disk is full\nmore"}
	p.fails(t, check.WrongAnswer, "The script ended with exit code 2: disk is full.")
	outcome, _ := p.run(t, &found)
	require.Equal(t, int16(2), outcome.Code)
	p.about["successCodes"] = []int{0, 2}
	p.passes(t, &found)
	require.True(t, found.Success)
	s.out = check.ScriptOutput{ExitCode: -1, TimedOut: true}
	p.fails(t, check.TimedOut, "did not end in time")
	s.out = check.ScriptOutput{ExitCode: 6, Withheld: "The policy keeps it."}
	p.fails(t, check.NotRunnable, "The policy keeps it.")
}

// TestNothingIsWithoutWords checks that every field of every kind is explained.
func TestNothingIsWithoutWords(t *testing.T) {
	t.Parallel()
	type property struct{ Description string }
	for _, s := range strategy.All() {
		schemas := map[string]*check.Schema{s.ID: s.Config}
		for _, c := range s.Collectors {
			schemas[c.ID], schemas[c.ID+" result"] = c.Config, c.Result
		}
		for id, schema := range schemas {
			var shape struct{ Properties map[string]property }
			require.NoError(t, json.Unmarshal(schema.JSON(), &shape))
			for name, p := range shape.Properties {
				require.NotEmpty(t, p.Description, "%s.%s", id, name)
			}
		}
	}
}
