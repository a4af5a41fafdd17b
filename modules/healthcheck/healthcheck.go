// Package healthcheck is for those who write the scripts of health checks: what a script can use, and a test of it in
// the sandbox. It saves nothing.
package healthcheck

import (
	"github.com/danielgtaylor/huma/v2"

	"countersign/script"
	"countersign/script/sdk"
	"countersign/tool"
)

// Module is the authoring of health check scripts.
type Module struct {
	authoring script.Authoring
}

// New makes the module.
func New(tester script.Tester) *Module {
	return &Module{script.Authoring{Module: "healthcheck", Rule: Manage, Contexts: Contexts(), Tester: tester}}
}

// Contexts are the contexts in which health check scripts live.
func Contexts() []sdk.Context { return []sdk.Context{sdk.HealthCheckScript, sdk.HealthCheckShell} }

// Routes declares the operations.
func (m *Module) Routes(api huma.API) { m.authoring.Routes(api) }

// Tools are the tools of the module.
func (m *Module) Tools() []tool.Tool {
	return []tool.Tool{m.getScriptContextTool(), m.testScriptTool()}
}
