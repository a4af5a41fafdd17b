// Package memory stores the assistant's long-term memories between conversations.
//
// A memory of scope user is visible to its owner only. One of scope system is shared with all who may see that
// system; changing it needs the right to change the system. Always-inject, which adds a memory to every prompt,
// applies to the owner's prompts only and ends when another user changes the text (prompt injection). Shared memories
// of others reach a model only as search results with their author's name.
//
// Saving a memory similar to one of the same owner, scope and system updates that one (see Overlap). Systems and
// turns belong to other modules, reached through the interfaces Systems and Turns.
package memory

import (
	"time"

	"github.com/google/uuid"

	"countersign/internal/rest"
)

// Limits of memories. Lengths are in characters.
const (
	MaxHint     = 200
	MaxContent  = 4000
	MaxTags     = 10
	MaxTag      = 40
	MaxPerOwner = 1000
	MaxQuery    = 400
)

// Scope is the visibility of a memory.
type Scope string

// User means the owner only, System everyone who may see the system.
const (
	User   Scope = "user"
	System Scope = "system"
)

// Memory is a memory as one reader sees it.
type Memory struct {
	ID         uuid.UUID  `json:"id"`
	OwnerID    uuid.UUID  `json:"ownerId"`
	OwnerName  string     `json:"ownerName"`
	Scope      Scope      `json:"scope" enum:"user,system"`
	SystemID   *uuid.UUID `json:"systemId,omitempty"`
	SystemName string     `json:"systemName,omitempty"`
	RecallHint string     `json:"recallHint" doc:"When to recall it."`
	Content    string     `json:"content"`
	Tags       []string   `json:"tags" nullable:"false"`
	// AlwaysInject is shown to the owner; it is false for others.
	AlwaysInject bool `json:"alwaysInject" doc:"Whether it is part of every prompt of its owner. Only the owner sees it set."`
	// SourceConversationID is shown to the owner only.
	SourceConversationID *uuid.UUID `json:"sourceConversationId,omitempty" doc:"The owner's conversation in which it was saved."`
	EditorName           string     `json:"editorName,omitempty" doc:"Who else than the owner changed the text last."`
	// Outside is shown to the owner only.
	Outside   bool `json:"outside,omitempty" doc:"Saved in a conversation of the owner that held content from outside, or by an MCP client. It counts as such until the owner edits it, or chooses again whether it is always injected."`
	Own       bool `json:"own" doc:"Whether the caller owns it."`
	MayChange bool `json:"mayChange" doc:"Whether the caller may change and delete it."`
	rest.Revised
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// NewMemory is the input for saving a memory.
type NewMemory struct {
	Scope        Scope      `json:"scope" enum:"user,system" doc:"user: only you. system: everybody who may see the system."`
	SystemID     *uuid.UUID `json:"systemId,omitempty" doc:"For scope system."`
	RecallHint   string     `json:"recallHint" doc:"When to recall it; 1 to 200 characters on one line."`
	Content      string     `json:"content" doc:"What to recall; 1 to 4,000 characters."`
	Tags         []string   `json:"tags,omitempty" doc:"At most 10; kept in lower case, sorted."`
	AlwaysInject *bool      `json:"alwaysInject,omitempty" doc:"Make it part of every prompt of yours."`
}

// Change changes a memory; nil fields stay. AlwaysInject is for the owner.
type Change struct {
	RecallHint   *string   `json:"recallHint,omitempty" jsonschema:"minLength=1,maxLength=200,description=When to recall it: the topic in a few words on one line." doc:"When to recall it; 1 to 200 characters on one line."`
	Content      *string   `json:"content,omitempty" jsonschema:"minLength=1,maxLength=4000,description=What to recall; complete without this conversation." doc:"What to recall; 1 to 4,000 characters."`
	Tags         *[]string `json:"tags,omitempty" nullable:"true" jsonschema:"maxItems=10,description=Short labels; kept in lower case." doc:"Replaces all tags; at most 10, kept in lower case, sorted."`
	AlwaysInject *bool     `json:"alwaysInject,omitempty" nullable:"true" jsonschema:"description=Make it part of every prompt of this person; only when they ask for that." doc:"Make it part of every prompt of yours."`
}

// Saved is the result of a save.
type Saved struct {
	Memory
	Updated bool `json:"updated" doc:"Whether a memory that was there was updated instead of making another."`
}

// Filter narrows a list of memories; empty fields match all.
type Filter struct {
	Scope    Scope
	SystemID *uuid.UUID
	// Query are search words; with it the best matches come first.
	Query string
}
