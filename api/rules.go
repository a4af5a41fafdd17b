package api

import (
	"countersign/internal/principal"
	"countersign/tool/proposal"
)

// Access rules of the assistant. ChatRule covers chatting; RetentionRule and PrivacyRule cover the permanent deletion
// of conversations.
const (
	ChatRule      = "ai.chat.read"
	RetentionRule = "ai.retention.manage"
	PrivacyRule   = "ai.privacy.manage"
)

// Rules are the access rules of proposals.
func (*Proposals) Rules() []principal.Rule {
	return []principal.Rule{
		{ID: proposal.ManageRule, Description: "See and decide other people's proposals, within your own rights"},
	}
}

// Rules are the access rules of permanent deletion.
func (*Privacy) Rules() []principal.Rule {
	return []principal.Rule{
		{ID: RetentionRule, Description: "Choose when conversations are deleted permanently"},
		{ID: PrivacyRule, Description: "Delete everything that is kept of a person's conversations, on a privacy request"},
	}
}

// Rules are the access rules of the remote codec.
func (*Codec) Rules() []principal.Rule {
	return []principal.Rule{
		{ID: PayloadRule, Description: "Read what workflows have left in Temporal, where that is encrypted"},
	}
}
