package disposition

import (
	"time"
	"unicode/utf8"
)

// TaintKind is the way in which outside content came into a conversation.
type TaintKind string

// Outside content is the source of prompt injection. It comes with the result of a tool, with a skill of another
// author, with a memory that was written after reading such content, with another person's reason for a decision, with
// a record text by a less-privileged user, or with a message that a program has sent in the person's name.
// Conversations from before taint tracking have no marks.
const (
	ToolTaint    TaintKind = "tool"
	SkillTaint   TaintKind = "skill"
	MemoryTaint  TaintKind = "memory"
	EarlierTaint TaintKind = "earlier"
	// DecisionTaint names the decider.
	DecisionTaint TaintKind = "decision"
	WrittenTaint  TaintKind = "written"
	// ProgramTaint names the program.
	ProgramTaint TaintKind = "program"
	// ConnectionTaint names the model connection, and a less-privileged user or an application that has changed it.
	ConnectionTaint TaintKind = "connection"
)

// MaxSource bounds the name of a source, in characters.
const MaxSource = 300

// Taint is outside content that the model has read in a conversation. It stays with the conversation, as history and
// summaries do, until a person accepts it.
type Taint struct {
	// Seq rises each time content arrives.
	Seq  int64     `json:"seq"`
	Kind TaintKind `json:"kind" enum:"tool,skill,memory,earlier,decision,written,program,connection" doc:"What brought it: the result of a tool, a skill of somebody else, a memory that was written after reading such content, the reason that somebody else gave for a decision; written: somebody with fewer rights wrote it in a record; program: a program has sent it in the name of the person; connection: a less-privileged user or an application has changed the model connection, and no administrator has confirmed it; earlier: the conversation is from before this was kept"`
	Tool string    `json:"tool,omitempty"`
	// Source is an address, an author or a title.
	Source string    `json:"source,omitempty" doc:"An address, an author or a title"`
	At     time.Time `json:"at"`
}

// Named sets the source, truncated to MaxSource.
func (t Taint) Named(source string) Taint {
	if utf8.RuneCountInString(source) > MaxSource {
		source = string([]rune(source)[:MaxSource-1]) + "…"
	}
	t.Source = source
	return t
}
