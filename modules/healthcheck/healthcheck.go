// Package healthcheck is for those who write the scripts of health checks: what a script can use, and a test of it in
// the sandbox. It saves nothing.
package healthcheck

import (
	"embed"

	"countersign/script"
	"countersign/script/sdk"
)

//go:embed tool_*.md
var texts embed.FS

// Module is the authoring of health check scripts.
type Module struct{ script.Authoring }

// New makes the module.
func New(tester script.Tester) *Module {
	return &Module{script.Authoring{
		Module: "healthcheck", Rule: Manage, Contexts: Contexts(), Tester: tester, Texts: texts,
		Config: "The configuration that the check is told in context.config. TypeScript only.",
	}}
}

// Contexts are the contexts in which health check scripts live.
func Contexts() []sdk.Context { return []sdk.Context{sdk.HealthCheckScript, sdk.HealthCheckShell} }
