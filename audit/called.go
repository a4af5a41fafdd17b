package audit

import (
	"github.com/google/uuid"

	"countersign/event"
)

// EventToolCalled is the type of events about tool calls that have ended. A trigger appends them in the transaction of the
// row (migration 00302).
const EventToolCalled = "ai.toolCalled"

// EventTypes are the events about tool calls, for readers of the whole log.
func (*Log) EventTypes() []event.Type {
	return []event.Type{event.Define[CalledPayload](event.Type{
		ID: EventToolCalled, Name: "Tool called", Rule: Read, Subject: "toolcall", See: event.SeeAll,
		Description: "A tool call has ended: a read, or a change that was applied. " +
			"Calls that were refused or wait for a decision are none.",
	})}
}

// CalledPayload is the payload of EventToolCalled. It holds no arguments and no results.
type CalledPayload struct {
	CallID    uuid.UUID `json:"callId"    jsonschema:"description=The call in the audit log"`
	ToolName  string    `json:"toolName"  jsonschema:"description=The tool"`
	Effect    string    `json:"effect"    jsonschema:"description=The effect of the tool"`
	Transport string    `json:"transport" jsonschema:"description=How the call came in"`
	Caller    string    `json:"caller"    jsonschema:"description=Kind and id of the caller"`
	Failed    bool      `json:"failed"    jsonschema:"description=Whether it failed"`
	ErrorCode string    `json:"errorCode" jsonschema:"description=The code of its failure; empty without one"`
}
