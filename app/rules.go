package app

import (
	"countersign/api"
	"countersign/auth"
	"countersign/modules/automation"
	"countersign/modules/catalog"
	"countersign/modules/connection"
	"countersign/modules/healthcheck"
	"countersign/modules/memory"
	"countersign/modules/policy"
	"countersign/modules/scriptpolicy"
	"countersign/modules/skill"
	"countersign/modules/vault"
	"countersign/principal"
	"countersign/tool/audit"
	"countersign/tool/proposal"
)

// rules are the access rules of the whole product.
func rules() (*auth.Registry, error) {
	assistant := []principal.Rule{
		{ID: api.ChatRule, Description: "Use the assistant and its reading tools, and decide about your own proposals", Default: true},
		{ID: proposal.ManageRule, Description: "See and decide other people's proposals, within your own rights"},
	}
	return auth.NewRegistry(auth.Rules(), assistant, audit.Rules(), retentionRules(), catalog.Rules(), connection.Rules(), policy.Rules(), memory.Rules(), skill.Rules(), vault.Rules(), scriptpolicy.Rules(), healthcheck.Rules(), automation.Rules())
}
