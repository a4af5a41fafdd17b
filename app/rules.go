package app

import (
	"countersign/api"
	"countersign/auth"
	"countersign/modules/catalog"
	"countersign/modules/connection"
	"countersign/tool/proposal"
)

// rules are the access rules of the whole product.
func rules() (*auth.Registry, error) {
	assistant := []auth.Rule{
		{ID: api.ChatRule, Description: "Use the assistant and its reading tools, and decide about your own proposals", Default: true},
		{ID: proposal.ManageRule, Description: "See and decide other people's proposals, within your own rights"},
	}
	return auth.NewRegistry(auth.Rules(), assistant, declared(catalog.Rules()), declared(connection.Rules()))
}

// declared takes over the rules of a module, which does not know package auth.
func declared[R catalog.Rule | connection.Rule](from []R) []auth.Rule {
	rules := make([]auth.Rule, len(from))
	for i, r := range from {
		rules[i] = auth.Rule(r)
	}
	return rules
}
