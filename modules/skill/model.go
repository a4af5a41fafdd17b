// Package skill is the library of instructions for the assistant: leading an incident, investigating a failing check,
// writing a note for customers.
//
// Built-in skills are files beside this code; their ids are slugs and they are read-only. User skills carry their
// author's name and are shared with everyone who may see skills; the author changes them, administrators moderate. A
// user skill is untrusted text beside the product's own rules (prompt injection), so it never extends the model's
// rights: ForChat names the author, and the prompt separates it.
package skill

import (
	"time"

	"countersign/internal/rest"
	"countersign/modules/skill/skilldb"
)

// Targets of a skill: a conversation, or the analysis step of an automation.
const (
	Chat    = "chat"
	Analyze = "ai_analyze"
)

// Sources of a skill.
const (
	Builtin = "builtin"
	User    = "user"
)

// Limits, in characters or entries.
const (
	MaxName        = 120
	MaxDescription = 500
	MaxPrompt      = 8000
	MaxFields      = 20
	MaxOptions     = 50
	MaxTags        = 20
	MaxTag         = 50
	maxFieldText   = 500
	maxOptionText  = 100
)

// AnswerField is one value that an analysis returns.
type AnswerField = skilldb.AnswerField

// ListedSkill is a skill without its texts.
type ListedSkill struct {
	ID          string   `json:"id" doc:"A slug for a built-in skill, a UUID for any other"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Targets     []string `json:"targets" enum:"chat,ai_analyze" nullable:"false"`
	Tags        []string `json:"tags" nullable:"false"`
	Source      string   `json:"source" enum:"builtin,user"`
	OwnerID     string   `json:"ownerId,omitempty" doc:"The author's id; absent for a built-in skill"`
	OwnerName   string   `json:"ownerName,omitempty" doc:"Absent when the author's account is gone"`
	// Editable is computed for the caller.
	Editable bool `json:"editable" doc:"Whether the caller may change and delete it"`
	rest.Revised
	CreatedAt *time.Time `json:"createdAt,omitempty" doc:"Absent for a built-in skill"`
	UpdatedAt *time.Time `json:"updatedAt,omitempty"`
}

// Skill is a whole skill.
type Skill struct {
	ListedSkill
	SystemPrompt          string        `json:"systemPrompt" doc:"What the assistant follows while the skill is active"`
	PromptTemplate        string        `json:"promptTemplate" doc:"In a chat the beginning of a message, in an analysis the question that is asked"`
	SuggestedOutputFields []AnswerField `json:"suggestedOutputFields" nullable:"false" doc:"For ai_analyze: the values to answer with"`
}

// NewSkill is a skill to publish.
type NewSkill struct {
	Name                  string        `json:"name" minLength:"1" maxLength:"120"`
	Description           string        `json:"description" minLength:"1" maxLength:"500" doc:"People choose by it"`
	Targets               []string      `json:"targets" enum:"chat,ai_analyze" minItems:"1" maxItems:"2" nullable:"false"`
	SystemPrompt          string        `json:"systemPrompt,omitempty" maxLength:"8000" doc:"Required for chat"`
	PromptTemplate        string        `json:"promptTemplate,omitempty" maxLength:"8000"`
	SuggestedOutputFields []AnswerField `json:"suggestedOutputFields,omitempty" maxItems:"20"`
	Tags                  []string      `json:"tags,omitempty" maxItems:"20"`
}

// Change changes the fields that are not nil. An empty text, list or slice clears a field that may be empty.
type Change struct {
	Name                  *string        `json:"name,omitempty" minLength:"1" maxLength:"120"`
	Description           *string        `json:"description,omitempty" minLength:"1" maxLength:"500"`
	Targets               *[]string      `json:"targets,omitempty" enum:"chat,ai_analyze" minItems:"1" maxItems:"2"`
	SystemPrompt          *string        `json:"systemPrompt,omitempty" nullable:"true" maxLength:"8000"`
	PromptTemplate        *string        `json:"promptTemplate,omitempty" nullable:"true" maxLength:"8000"`
	SuggestedOutputFields *[]AnswerField `json:"suggestedOutputFields,omitempty" nullable:"true" maxItems:"20"`
	Tags                  *[]string      `json:"tags,omitempty" nullable:"true" maxItems:"20"`
}

// Active is a skill in a turn. Unless built in, Prompt is a colleague's text: it guides the answer and does not
// override the product's rules.
type Active struct {
	ID   string
	Name string
	// Author is empty for built-in skills only.
	Author  string
	Builtin bool
	// Own reports that the user of the skill is its author.
	Own    bool
	Prompt string
}

// Filter narrows a list. Empty fields match all.
type Filter struct {
	Target string
	// Source is Builtin, User, or Own for the caller's skills.
	Source string
	// Query is searched in names and descriptions, or is an exact tag.
	Query string
}

// Own is the source filter for the caller's skills.
const Own = "own"
