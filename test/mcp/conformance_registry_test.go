package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/audit"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

// registered are those of the suite's tools that a tool of the registry can be: with them there is nothing beside the product's own, so
// that lists and calls are answered as for any client, the direct way included.
type registered struct{}

// Sources implements module.Sources.
func (registered) Sources() []tool.Source { return []tool.Source{registered{}} }

func (registered) tools() ([]tool.Tool, error) {
	input, err := kit.ParseSchema(json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`))
	var all []tool.Tool
	for name, run := range map[string]func() (any, error){
		"test.error.handling": func() (any, error) {
			return nil, problem.Errorf(problem.Precondition, "This tool intentionally returns an error for testing.")
		},
		"test.simple.text": func() (any, error) { return "This is a simple text response for testing.", nil },
	} {
		made, flaw := kit.NewMade(kit.Making{
			Definition: tool.Definition{Name: name, Description: "Answers the suite.", Effect: tool.Read},
			Input:      input,
			Run:        func(context.Context, tool.Caller, json.RawMessage) (any, error) { return run() },
		})
		err = errors.Join(err, flaw)
		all = append(all, made)
	}
	return all, err
}

// Offered implements tool.Source.
func (r registered) Offered(context.Context, principal.Principal) ([]tool.Tool, error) {
	return r.tools()
}

// Known implements tool.Source.
func (r registered) Known(_ context.Context, name string) (tool.Tool, bool, error) {
	all, err := r.tools()
	for _, t := range all {
		if t.Name == name || t.WireName() == name {
			return t, true, err
		}
	}
	return tool.Tool{}, false, err
}

// Usable implements tool.Source.
func (r registered) Usable(ctx context.Context, _ principal.Principal, name string) (tool.Tool, bool, error) {
	return r.Known(ctx, name)
}

func TestConformanceOfTheRegistry(t *testing.T) {
	t.Parallel()
	s := conformanceSuite(t)
	p := apptest.Start(t, apptest.Options{Modules: []any{registered{}}})
	c := p.Application(t, p.Role(t, everyRule(t, p)...))
	door := opened(t, p, c)
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		for _, scenario := range []string{"tools-list", "tools-call-simple-text", "tools-call-error", "resources-list", "prompts-list", "dns-rebinding-protection"} {
			s.run(t, door, "--spec-version", revision, "--scenario", scenario)
		}
	}
	// What was called is on record as any call is.
	for _, name := range []string{"test.simple.text", "test.error.handling"} {
		var list struct{ Calls []audit.Call }
		p.Admin.Get(t, "/api/ai/audit?limit=100&tool="+name, &list)
		require.GreaterOrEqual(t, len(list.Calls), 2, name)
		require.Equal(t, "mcp", list.Calls[0].Transport)
	}
}
