// Package automation is for those who write the scripts of automations: what a script can use, and a test of it in the
// sandbox. It saves nothing.
package automation

import (
	"github.com/danielgtaylor/huma/v2"

	"countersign/script"
	"countersign/script/sdk"
	"countersign/tool"
)

// Module is the authoring of automation scripts.
type Module struct {
	authoring script.Authoring
}

// New makes the module.
func New(tester script.Tester) *Module {
	return &Module{script.Authoring{Module: "automation", Rule: Manage, Contexts: Contexts(), Tester: tester}}
}

// Contexts are the contexts in which automation scripts live.
func Contexts() []sdk.Context { return []sdk.Context{sdk.ActionScript, sdk.ActionShell} }

// Routes declares the operations.
func (m *Module) Routes(api huma.API) { m.authoring.Routes(api) }

// Tools are the tools of the module.
func (m *Module) Tools() []tool.Tool {
	return []tool.Tool{m.getScriptContextTool(), m.testScriptTool()}
}
