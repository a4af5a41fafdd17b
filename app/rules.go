package app

import (
	"countersign/api"
	"countersign/auth"
	"countersign/modules/catalog"
	"countersign/modules/connection"
	"countersign/principal"
	"countersign/tool/proposal"
)

// rules are the access rules of the whole product.
func rules() (*auth.Registry, error) {
	assistant := []principal.Rule{
		{ID: api.ChatRule, Description: "Use the assistant and its reading tools, and decide about your own proposals", Default: true},
		{ID: proposal.ManageRule, Description: "See and decide other people's proposals, within your own rights"},
	}
	return auth.NewRegistry(auth.Rules(), assistant, catalog.Rules(), connection.Rules())
}
