// Package disposition decides what becomes of a tool call: from the tool, the principal, the mode, what the turn has read
// and what administrators have set about the tool. Everything here is a pure function, so that the rules can be read and
// tested on their own.
package disposition

import (
	"countersign/principal"
	"countersign/tool"
)

// Mode is a conversation's permission mode.
type Mode string

// Approve asks for a decision about every change; Auto applies changes that destroy nothing.
const (
	Approve Mode = "approve"
	Auto    Mode = "auto"
)

// Disposition is what becomes of a tool call.
type Disposition string

// Run executes a read; Confirm makes a proposal that waits for a person; Apply makes one and applies it at once; Refuse
// does nothing at all.
const (
	Run     Disposition = "run"
	Confirm Disposition = "confirm"
	Apply   Disposition = "apply"
	Refuse  Disposition = "refuse"
)

// Call is what the disposition of a tool call depends on.
type Call struct {
	Effect tool.Effect
	// Principal is the kind of the caller.
	Principal principal.Kind
	Mode      Mode
	// Tainted says that the conversation holds content from outside.
	Tainted bool
	// Leaves says that what the call does can carry what the conversation holds out of the installation, and Private that it
	// holds what is the installation's own.
	Leaves, Private bool
	// ForeignSkill means that the person works with a skill of another author.
	ForeignSkill bool
	Policy       Policy
}

// Decide is the one place that decides what becomes of a call, with the reason when it is refused, and when a person has
// to confirm although the mode is auto. The mode has no way into the destructive case.
func Decide(c Call) (d Disposition, why string) {
	if why := refusal(c); why != "" {
		return Refuse, why
	}
	switch {
	case c.Effect == tool.Read:
		return Run, ""
	case c.Effect == tool.Mutate && c.Mode == Auto:
		if why := confirmation(c); why != "" {
			return Confirm, why
		}
		return Apply, ""
	case c.Mode != Auto:
		return Confirm, ""
	case c.Policy.TwoPerson:
		return Confirm, twoPersonText
	default:
		return Confirm, "This removes something, which is never done automatically."
	}
}

func refusal(c Call) string {
	switch {
	case !c.Policy.Enabled:
		return "An administrator has switched this tool off."
	case c.Principal != principal.User && c.Principal != principal.Application:
		return "Only people and applications can use tools."
	}
	return ""
}

const twoPersonText = "A second person has to apply this, so it is not applied automatically."

// confirmation says why a change is not applied automatically although the mode is auto.
func confirmation(c Call) string {
	switch {
	case c.Policy.TwoPerson:
		return twoPersonText
	case c.Policy.AlwaysConfirm:
		return "An administrator wants a decision about every change of this kind, so it is not applied automatically."
	case c.Principal != principal.User:
		return "Only a person's own conversation applies changes automatically."
	case c.Tainted:
		return "This conversation holds content from outside, so changes are not applied automatically."
	case c.Leaves && c.Private:
		return "This conversation holds what is only yours to see, and this could send it to others."
	case c.ForeignSkill:
		return "The active skill was written by somebody else, so changes are not applied automatically."
	}
	return ""
}
