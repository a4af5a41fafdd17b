package chat

import (
	"countersign/api"
	"countersign/internal/principal"
)

// Rules are the access rules of chatting.
func (*Chat) Rules() []principal.Rule {
	return []principal.Rule{
		{ID: api.ChatRule, Description: "Use the assistant and its reading tools, and decide about your own proposals", Default: true},
	}
}
