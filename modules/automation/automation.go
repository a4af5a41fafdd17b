// Package automation is for those who write the scripts of automations: what a script can use, and a test of it in the
// sandbox. It saves nothing.
package automation

import (
	"embed"

	"countersign/internal/store/exactlyonce"
	"countersign/script"
	"countersign/script/sdk"
	"countersign/tool"
	"countersign/tool/kit"
)

//go:embed tool_*.md
var texts embed.FS

//go:embed playbook.md
var playbook string

// Module is the authoring of automation scripts.
type Module struct{ script.Authoring }

// New makes the module.
func New(tester script.Tester, calls *exactlyonce.Ledger) *Module {
	return &Module{script.Authoring{
		Module: "automation", Rule: Manage, Contexts: Contexts(), Tester: tester, Once: calls, Texts: texts,
		Config: "Left out: actions have no configuration of their own. Use sampleContext.",
	}}
}

// Contexts are the contexts in which automation scripts live.
func Contexts() []sdk.Context { return []sdk.Context{sdk.ActionScript, sdk.ActionShell} }

// Playbooks are the sections of the system prompt about automations.
func (*Module) Playbooks() []tool.Playbook {
	return []tool.Playbook{kit.NewPlaybook("automation", playbook, "automation.propose")}
}
