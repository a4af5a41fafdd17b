// Package memory is what the assistant is to remember between conversations.
//
// A memory of scope user is for its owner only. One of scope system is shared with everybody who may see that system of
// the catalog; saving, changing or deleting it needs the right to change the system. Always-inject, which puts a memory
// into every prompt, works for the owner of a memory and for nobody else, and ends when somebody else changes the text:
// nobody can put words into a colleague's prompt. What others have shared reaches a model only as the result of a
// search, with the name of its author.
//
// Saving what resembles a memory of the same owner, scope and system updates that one (see Overlap). Systems and turns
// belong to others; the package meets them through the interfaces Systems and Turns.
package memory

import (
	"time"

	"github.com/google/uuid"

	"countersign/rest"
)

// Limits of memories. Lengths count characters.
const (
	MaxHint     = 200
	MaxContent  = 4000
	MaxTags     = 10
	MaxTag      = 40
	MaxPerOwner = 1000
	MaxQuery    = 400
)

// Scope says who may see a memory.
type Scope string

// User is its owner only, System is everybody who may see the system.
const (
	User   Scope = "user"
	System Scope = "system"
)

// Memory is something to remember, as one reader sees it.
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
	// AlwaysInject is shown to the owner; for others it is false, as it is for them.
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

// NewMemory is what a memory is made of.
type NewMemory struct {
	Scope        Scope      `json:"scope" enum:"user,system" doc:"user: only you. system: everybody who may see the system."`
	SystemID     *uuid.UUID `json:"systemId,omitempty" doc:"For scope system."`
	RecallHint   string     `json:"recallHint" doc:"When to recall it; 1 to 200 characters on one line."`
	Content      string     `json:"content" doc:"What to recall; 1 to 4,000 characters."`
	Tags         []string   `json:"tags,omitempty" doc:"At most 10; kept in lower case, sorted."`
	AlwaysInject *bool      `json:"alwaysInject,omitempty" doc:"Make it part of every prompt of yours."`
}

// Change is what changes of a memory; what is nil stays. AlwaysInject is for its owner alone.
type Change struct {
	RecallHint   *string   `json:"recallHint,omitempty" jsonschema:"minLength=1,maxLength=200,description=When to recall it: the topic in a few words on one line." doc:"When to recall it; 1 to 200 characters on one line."`
	Content      *string   `json:"content,omitempty" jsonschema:"minLength=1,maxLength=4000,description=What to recall; complete without this conversation." doc:"What to recall; 1 to 4,000 characters."`
	Tags         *[]string `json:"tags,omitempty" nullable:"true" jsonschema:"maxItems=10,description=Short labels; kept in lower case." doc:"Replaces all tags; at most 10, kept in lower case, sorted."`
	AlwaysInject *bool     `json:"alwaysInject,omitempty" nullable:"true" jsonschema:"description=Make it part of every prompt of this person; only when they ask for that." doc:"Make it part of every prompt of yours."`
}

// Saved is the outcome of a save.
type Saved struct {
	Memory
	Updated bool `json:"updated" doc:"Whether a memory that was there was updated instead of making another."`
}

// Filter narrows a list of memories; what is empty does not.
type Filter struct {
	Scope    Scope
	SystemID *uuid.UUID
	// Query is words to look for; with it the best come first.
	Query string
}
