package agent

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/rest"
	"countersign/script/typescript"
)

// Limits. Lengths are in characters.
const (
	MaxAgents      = 1000
	MaxDrafts      = 200
	MaxTools       = 50
	MaxSkills      = 50
	MaxName        = 120
	MaxDescription = 2000
	MaxAgentMD     = 500_000
	MaxSkill       = 100_000
	MaxSource      = 500_000
	MaxArgsSchema  = 64 << 10 // bytes
	// MaxBundleBytes bounds the authored texts of one bundle.
	MaxBundleBytes = 4 << 20
	MaxExamples    = 20
	// MaxBundleExamples bounds the examples that a freeze runs.
	MaxBundleExamples = 300
)

// State is the state of a revision.
type State string

const (
	Draft    State = "draft"
	Ready    State = "ready"
	Live     State = "live"
	Archived State = "archived"
)

// Agent is an agent, as the caller may see it.
type Agent struct {
	ID           uuid.UUID     `json:"id"`
	Slug         string        `json:"slug" doc:"Its live tools are called by it; chosen once."`
	Name         string        `json:"name"`
	Description  string        `json:"description"`
	Private      bool          `json:"private" doc:"Closed to everybody without a grant, whatever their roles. Its grants say so and change it."`
	LiveRevision *LiveRevision `json:"liveRevision,omitempty" doc:"Absent when none is live."`
	DraftCount   int           `json:"draftCount"`
	ToolCount    int           `json:"toolCount" doc:"Of the live revision, or of the newest one while none is live."`
	LeftOut      []LeftOut     `json:"leftOut,omitempty" nullable:"false" doc:"Tools of the live revision that are not offered to you, and why. Absent when there are none, and in lists."`
	Access       access.Level  `json:"access" enum:"viewer,editor,owner"`
	rest.Revised
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// LiveRevision identifies the live revision of an agent.
type LiveRevision struct {
	ID     uuid.UUID `json:"id"`
	Number int       `json:"number"`
}

// NewAgent is the input for creating an agent.
type NewAgent struct {
	Slug        string `json:"slug" minLength:"1" maxLength:"64" pattern:"^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$" doc:"Small letters, digits, hyphens and underscores; unique. It cannot be changed."`
	Name        string `json:"name" doc:"1 to 120 characters."`
	Description string `json:"description,omitempty" doc:"At most 2,000 characters."`
	Private     *bool  `json:"private,omitempty" doc:"True when absent: only who has a grant sees it, which at first is who made it."`
}

// AgentChange changes an agent; nil fields stay.
type AgentChange struct {
	Name        *string `json:"name,omitempty" doc:"1 to 120 characters."`
	Description *string `json:"description,omitempty" nullable:"true" doc:"At most 2,000 characters."`
}

// Author is the creator of a revision.
type Author struct {
	Kind string    `json:"kind" enum:"user,application,service"`
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name,omitempty" doc:"Absent when the account is gone."`
}

// Revision is a revision of an agent without its bundle.
type Revision struct {
	ID           uuid.UUID  `json:"id"`
	AgentID      uuid.UUID  `json:"agentId"`
	Number       int        `json:"number" doc:"Counts from 1 in its agent."`
	State        State      `json:"state" enum:"draft,ready,live,archived"`
	BundleSHA256 string     `json:"bundleSha256,omitempty" doc:"Of everything in the bundle; absent while it is a draft."`
	ClonedFrom   *uuid.UUID `json:"clonedFrom,omitempty" doc:"The revision that its bundle was copied from."`
	CreatedBy    Author     `json:"createdBy"`
	CreatedAt    time.Time  `json:"createdAt"`
	UpdatedAt    time.Time  `json:"updatedAt"`
	FrozenAt     *time.Time `json:"frozenAt,omitempty"`
	PromotedAt   *time.Time `json:"promotedAt,omitempty" doc:"When it went live last."`
	ToolCount    int        `json:"toolCount"`
	LeftOut      []LeftOut  `json:"leftOut,omitempty" nullable:"false" doc:"Tools of a live revision that are not offered to you, and why. Absent when there are none, and in lists."`
	rest.Revised
}

// NewRevision is the input for creating a draft.
type NewRevision struct {
	CloneFrom *uuid.UUID `json:"cloneFrom,omitempty" nullable:"true" doc:"The revision whose bundle it begins with; an empty bundle when absent."`
}

// Effect is the declared effect of a tool: it decides whether calls need a decision.
type Effect string

const (
	ReadEffect   Effect = "read"
	MutateEffect Effect = "mutate"
)

// Example is a saved call of a tool. Freezing runs them all.
type Example struct {
	Name        string            `json:"name" doc:"1 to 120 characters."`
	Args        json.RawMessage   `json:"args" doc:"A JSON object."`
	MockSecrets map[string]string `json:"mock_secrets,omitempty" doc:"What ctx.secrets.ref answers, by name. They are stored as they are typed, for everybody who sees the source; what has the form of a real credential is refused."`
	Expect      *Expectation      `json:"expect,omitempty" doc:"Absent when it has to go well, whatever it answers."`
}

// Expectation is the expected result of an Example.
type Expectation struct {
	OK        bool            `json:"ok"`
	Result    json.RawMessage `json:"result,omitempty" doc:"What it has to answer; anything when absent."`
	ErrorCode string          `json:"error_code,omitempty" maxLength:"100" doc:"With which code it has to fail; any when absent."`
}

// Tool is a custom tool of a bundle.
type Tool struct {
	ID           string                      `json:"id"`
	Description  string                      `json:"description"`
	ArgsSchema   json.RawMessage             `json:"args_schema" doc:"A JSON schema."`
	Effect       Effect                      `json:"effect" enum:"read,mutate"`
	Source       string                      `json:"source"`
	SourceSHA256 string                      `json:"source_sha256"`
	Capabilities typescript.Capabilities     `json:"capabilities"`
	Compiler     string                      `json:"compiler" doc:"What made its compiled form."`
	Warnings     []typescript.ToolDiagnostic `json:"warnings" nullable:"false" doc:"What the compiler had to say when it was written."`
	Examples     []Example                   `json:"examples" nullable:"false"`
}

// Skill is an instruction text that an agent reads when it needs it.
type Skill struct {
	ID          string `json:"id"`
	Description string `json:"description"`
	Content     string `json:"content"`
}

// Bundle holds the authored parts of a revision.
type Bundle struct {
	AgentMD string  `json:"agent_md"`
	Skills  []Skill `json:"skills" nullable:"false"`
	Tools   []Tool  `json:"tools" nullable:"false"`
	Spec    Spec    `json:"spec"`
}

// BundleOf is the bundle of a revision.
type BundleOf struct {
	RevisionID   uuid.UUID `json:"revision_id"`
	State        State     `json:"state" enum:"draft,ready,live,archived"`
	BundleSHA256 string    `json:"bundle_sha256,omitempty"`
	Bundle       Bundle    `json:"bundle"`
	Warnings     []string  `json:"warnings" nullable:"false"`
	rest.Revised
}

// ToolInput holds the authored parts of a tool.
type ToolInput struct {
	Description string          `json:"description" minLength:"1" maxLength:"2000"`
	ArgsSchema  json.RawMessage `json:"args_schema" doc:"A JSON schema of the arguments, an object; {} takes anything."`
	Source      string          `json:"source" doc:"TypeScript, at most 500,000 characters. Its errors are answered with a code and a place."`
	Effect      Effect          `json:"effect,omitempty" enum:"read,mutate" doc:"mutate when absent: each call needs a decision."`
}

// SkillInput holds the authored parts of a skill.
type SkillInput struct {
	Description string `json:"description" minLength:"1" maxLength:"2000"`
	Content     string `json:"content" maxLength:"100000"`
}

// NamedTool is a tool of a bundle that is replaced as a whole.
type NamedTool struct {
	ID string `json:"id" minLength:"1" maxLength:"64" pattern:"^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$"`
	ToolInput
}

// BundleInput replaces a bundle. Skills are not part of it and stay.
type BundleInput struct {
	AgentMD string      `json:"agent_md" maxLength:"500000"`
	Tools   []NamedTool `json:"tools" maxItems:"50" nullable:"false"`
	Spec    Spec        `json:"spec"`
}

// AgentMDInput replaces agent.md.
type AgentMDInput struct {
	Content string `json:"content" maxLength:"500000"`
}

// SpecInput replaces the spec.
type SpecInput struct {
	Spec Spec `json:"spec"`
}

// CloneInput names the revision to copy.
type CloneInput struct {
	SourceRevisionID uuid.UUID `json:"source_revision_id" format:"uuid"`
}

// Written is the answer to a write of a part of a bundle. Changed reports whether this call changed it.
type Written struct {
	OK      bool `json:"ok"`
	Changed bool `json:"changed" doc:"Whether this call changed anything."`
}

// ToolWritten is the answer to a write of a tool.
type ToolWritten struct {
	Written
	ToolID       string                      `json:"tool_id"`
	Capabilities typescript.Capabilities     `json:"capabilities"`
	Warnings     []typescript.ToolDiagnostic `json:"warnings" nullable:"false"`
}

// ToolRemoved is the answer to the deletion of a tool.
type ToolRemoved struct {
	OK     bool   `json:"ok"`
	ToolID string `json:"tool_id"`
}

// ToolChecked is the result of checking a tool without storing it.
type ToolChecked struct {
	OK           bool                        `json:"ok"`
	ToolID       string                      `json:"tool_id"`
	Diagnostics  []typescript.ToolDiagnostic `json:"diagnostics" nullable:"false"`
	Capabilities typescript.Capabilities     `json:"capabilities"`
	Checked      bool                        `json:"checked" doc:"Whether its types were checked."`
}

// Finding is a finding of Validate or Freeze. Pointer is its place in the bundle, a JSON pointer.
type Finding struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Pointer string `json:"pointer"`
}

// Verdict lists the errors that keep a revision from being frozen, and the warnings.
type Verdict struct {
	OK            bool      `json:"ok"`
	RevisionID    uuid.UUID `json:"revision_id"`
	RevisionState State     `json:"revision_state" enum:"draft,ready,live,archived"`
	Errors        []Finding `json:"errors" nullable:"false"`
	Warnings      []Finding `json:"warnings" nullable:"false"`
}

// Frozen is the answer to a freeze. Idempotent reports that the revision was frozen before.
type Frozen struct {
	OK           bool      `json:"ok"`
	State        State     `json:"state" enum:"ready,live,archived"`
	BundleSHA256 string    `json:"bundle_sha256"`
	Idempotent   bool      `json:"idempotent"`
	Warnings     []Finding `json:"warnings" nullable:"false"`
}

// File is a file of a bundle.
type File struct {
	Path   string `json:"path"`
	Size   int    `json:"size" doc:"In bytes."`
	SHA256 string `json:"sha256"`
}

// Manifest lists the files of a bundle, by path.
type Manifest struct {
	RevisionID   uuid.UUID `json:"revision_id"`
	State        State     `json:"state" enum:"draft,ready,live,archived"`
	BundleSHA256 string    `json:"bundle_sha256" doc:"Of a draft what it would be if it were sealed as it is."`
	Files        []File    `json:"files" nullable:"false"`
	rest.Revised
}
