package tool

import (
	"encoding/json"
	"io/fs"
	"time"

	"countersign/internal/rest"
)

// Effect states what a call of a tool can change. Each tool declares it; it is never inferred from a name.
type Effect string

// Read changes nothing, Mutate creates or changes, Destructive removes and always needs a person's decision.
const (
	Read        Effect = "read"
	Mutate      Effect = "mutate"
	Destructive Effect = "destructive"
)

// Definition is the declaration of a tool: Name, Description, Effect and Rules, and groups of options for tools that
// need them.
type Definition struct {
	// Name is dotted: "<module>.<verbNoun>". On provider wires the dot becomes an underscore.
	Name string
	// Description is the text that the model reads.
	Description string
	Effect      Effect
	// Rules are the access rules that the caller must hold, all of them; Access.Grants may stand in for some.
	Rules []string
	// Timeout bounds a call: DefaultTimeout when zero, MaxTimeout at most.
	Timeout time.Duration

	Identity   Identity
	Schema     SchemaOptions
	Access     Access
	Result     Result
	Impact     Impact
	Operations Operations
	Policy     Policy

	// Text is the file of Description; zero for a tool whose text is no file.
	Text Text
}

// Text is a file with the description of a tool. A registry refuses a tool whose file is Missing, and files beside those
// of its tools that no tool has.
type Text struct {
	// Files is comparable, as an embed.FS is.
	Files   fs.FS
	Name    string
	Missing error
}

// Identity describes tools that have more than a name in the code.
type Identity struct {
	// Title is the name that people know, for a tool of an administrative operation; "" for all others.
	Title string
	// Version identifies the state of a tool that can change at runtime; "" for all others. A proposal is applied only if its revision
	// equals Version, and a call is made only if the tool still has it.
	Version string
	// Maker is the record in which people have written the tool; zero for the tools of the product.
	Maker Maker
}

// SchemaOptions mark members of the input that need special treatment.
type SchemaOptions struct {
	// HiddenInput are members that models do not see, because only an undo sets them. They are valid nevertheless.
	HiddenInput []string
	// SealedInput are members of the payload that hold a secret, encrypted by the dry run.
	SealedInput []string
}

// Access limits, besides Rules, who gets a tool and who sees its proposals.
type Access struct {
	// Grants are levels on single objects that stand in for rules.
	Grants []Grant
	// Targets returns the records that a proposal with a payload is about. Constructors derive it from an input that is Targeted.
	Targets func(payload json.RawMessage) ([]Target, error)
	// Personal marks a write of the caller's own data, such as a memory: only the proposer sees and decides its proposals.
	Personal bool
	// ChatOnly marks a tool that makes sense in a conversation only; it is not offered elsewhere.
	ChatOnly bool
	// Hidden marks a tool that exists only for the policies of its operation. Requests to the operation create its
	// proposals; neither people nor models get the tool.
	Hidden bool
}

// Result describes what a read returns: for taint tracking, for sharing, and for the chat.
type Result struct {
	// Untrusted marks results that hold content from outside; after one, auto mode asks in the conversation.
	Untrusted bool
	// Trusted marks results that hold only texts of the product itself. Models get all others marked as data.
	Trusted bool
	// ImpliedRules returns the rules, beside Rules, that changed this result. Only a read that reveals nothing else of its module sets
	// it: without it, a result counts as if it showed all that its caller could read there.
	ImpliedRules func(output json.RawMessage) []string
	// Question marks a read whose result is a question for the person: the turn ends with it, shown as a card.
	Question bool
}

// Impact describes how far a change reaches and how it is undone.
type Impact struct {
	// Cascade states whether other records go with what a change removes; see WithCascade and WithoutCascade.
	Cascade Cascade
	// External marks a write whose operation has effects outside of the database. It is not rehearsed where a policy requires a decision:
	// the dry run stands for it.
	External bool
	// EffectByInput marks an External write of which some inputs only read. Its dry run reports Read for those, and
	// they run at once; any other input is a change. See RunAsRead.
	EffectByInput bool
	// Inverse returns the call that undoes a change; nil where none undoes the whole of it.
	Inverse Inverse
	// Rebase adapts the input that Inverse returns to the current state; nil leaves it unchanged.
	Rebase Rebase
}

// Operations are the operations of the REST API that belong to a tool.
type Operations struct {
	// Write is the operation that the tool calls; NewWrite derives it from the request.
	Write Operation
	// RelatedOperations do a part of what the tool does and cannot be proposed: where the policy of the tool requires a decision, callers
	// who cannot make it are refused. Those of a read are refused while it is disabled.
	RelatedOperations []Operation
	// PreviewOperations show what the tool would do and change nothing: its dry run calls them. They are refused while it is disabled.
	PreviewOperations []Operation
}

// Policy states which decisions a change needs besides the tool's own policy, and which other tools' policies apply to
// it.
type Policy struct {
	// ByHand marks a change that only a person in a session makes: no application, delegated program or tool call.
	ByHand bool
	// PersonDecides requires a person's decision for each change.
	PersonDecides bool
	// Rehearsed marks changes whose required rights only their operation knows. To check a decider's rights, the change
	// is made in a transaction that is rolled back.
	Rehearsed bool
	// Covers are other tools whose policies apply to every change too, because it includes their effect: deleting
	// a group removes its systems from it.
	Covers []string
	// ConditionalCovers returns the Covers that depend on the input; nil is none.
	ConditionalCovers func(input json.RawMessage) []string
	// NeedsSecond reports whether a change needs a second person, because one person could undo by it what policies require.
	// asking are the tools whose policies require one. nil is never.
	NeedsSecond func(input json.RawMessage, asking []string) bool
	// NeedsPerson reports whether a change needs a person's decision, because a program could undo by it what policies
	// require. kept are the tools that are disabled or require a person. nil is never.
	NeedsPerson func(input json.RawMessage, kept []string) bool
	// Loosens finds the policies of other tools that a change loosens; nil is none.
	Loosens rest.Loosens
}

// Tainted is implemented by an output that reports whether it holds outside content. A tool whose results always do
// sets Result.Untrusted instead.
type Tainted interface {
	Tainted() bool
}

// Originated is implemented by an output that names the source of its content: an author, a title.
type Originated interface {
	Origin() string
}

// Taints reports whether an output of the tool holds outside content.
func (d Definition) Taints(output any) bool {
	known, ok := output.(Tainted)
	return d.Result.Untrusted || ok && known.Tainted()
}

// Origin names the source of a read: that of its output, else the URL of its input.
func (d Definition) Origin(input json.RawMessage, output any) string {
	if known, ok := output.(Originated); ok {
		return known.Origin()
	}
	var about struct {
		URL string `json:"url"`
	}
	if json.Unmarshal(input, &about) != nil {
		return ""
	}
	return about.URL
}
