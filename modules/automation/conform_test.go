package automation_test

import (
	"context"
	"testing"

	"countersign/api/apitest"
	"countersign/internal/store/exactlyonce"
	"countersign/modules/automation"
	"countersign/script"
	"countersign/script/sdk"
)

// tester tests nothing.
type tester struct{}

// Test implements script.Tester.
func (tester) Test(context.Context, []sdk.Context, script.TestInput) (script.TestOutput, error) {
	return script.TestOutput{}, nil
}

// Network implements script.Tester.
func (tester) Network(context.Context) bool { return false }

func TestTheScriptsOfAutomationsConform(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	m := automation.New(tester{}, exactlyonce.New(s.DB))
	s.Mount(t, m)
	apitest.Conform(t, apitest.Subject{Server: s, Module: m, Calls: map[string]apitest.Call{
		"automation.getScriptContext": apitest.Input(map[string]any{"context": sdk.ActionShell}),
		"automation.testScript":       apitest.Input(map[string]any{"context": sdk.ActionShell, "source": "true"}),
	}})
}
