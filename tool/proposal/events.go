package proposal

import (
	"time"

	"github.com/google/uuid"

	"countersign/event"
)

// The types of events about proposals. Triggers append them in the transaction of the row (migration 00302), so that
// every path to a decision has its event.
const (
	EventWaiting = "ai.proposalWaiting"
	EventDecided = "ai.proposalDecided"
	EventExpired = "ai.proposalExpired"
)

// SubjectProposal is the kind of their subject.
const SubjectProposal = "proposal"

// EventTypes are the types of events about proposals: read is the access rule to see them, and see checks whether the
// caller may see a proposal.
func EventTypes(read string, see event.See) []event.Type {
	return []event.Type{
		event.Define[WaitingPayload](event.Type{
			ID: EventWaiting, Name: "Proposal waiting", Rule: read, Subject: SubjectProposal, See: see,
			Description: "A proposed change waits for a decision.",
		}),
		event.Define[DecidedPayload](event.Type{
			ID: EventDecided, Name: "Proposal decided", Rule: read, Subject: SubjectProposal, See: see,
			Description: "A proposed change was accepted, declined or withdrawn. Whether it succeeded is not known yet.",
		}),
		event.Define[ExpiredPayload](event.Type{
			ID: EventExpired, Name: "Proposal expired", Rule: read, Subject: SubjectProposal, See: see,
			Description: "Nobody decided about a proposed change in time.",
		}),
	}
}

// ExpiredPayload is the payload of EventExpired, and part of the others.
type ExpiredPayload struct {
	ProposalID uuid.UUID `json:"proposalId" jsonschema:"description=The proposal"`
	ToolName   string    `json:"toolName"   jsonschema:"description=The tool that makes the change"`
	Effect     string    `json:"effect"     jsonschema:"description=The effect of the change"`
	Proposer   string    `json:"proposer"   jsonschema:"description=Kind and id of the proposer"`
	Automatic  bool      `json:"automatic"  jsonschema:"description=Whether a policy decides and no person"`
}

// WaitingPayload is the payload of EventWaiting.
type WaitingPayload struct {
	ExpiredPayload

	ExpiresAt time.Time `json:"expiresAt" jsonschema:"description=When it expires"`
}

// DecidedPayload is the payload of EventDecided.
type DecidedPayload struct {
	ExpiredPayload

	Accepted bool   `json:"accepted" jsonschema:"description=Whether it is applied"`
	Decider  string `json:"decider"  jsonschema:"description=Kind and id of the decider"`
}
