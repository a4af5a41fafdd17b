// Package disposition decides how a tool call is handled: from the tool, the principal, the permission mode, the taint
// of the conversation and the policies. All functions are pure, so the rules can be read and tested on their own.
package disposition

import (
	"countersign/internal/principal"
	"countersign/tool"
)

// Mode is a conversation's permission mode.
type Mode string

// Approve asks for a decision about every change; Auto applies changes that are not destructive.
const (
	Approve Mode = "approve"
	Auto    Mode = "auto"
)

// Disposition is the handling of a tool call.
type Disposition string

// Run executes a read; Confirm makes a proposal that waits for a person; Apply makes one and applies it at once; Refuse
// denies the call.
const (
	Run     Disposition = "run"
	Confirm Disposition = "confirm"
	Apply   Disposition = "apply"
	Refuse  Disposition = "refuse"
)

// Call holds the inputs of the decision about a tool call.
type Call struct {
	Effect tool.Effect
	// Tool is the dotted name of the tool.
	Tool string
	// Run is the policy of the run that calls, nil for all others. The mode is not used then.
	Run *RunPolicy
	// Principal is the kind of the caller.
	Principal principal.Kind
	Mode      Mode
	// Tainted reports that the conversation holds outside content.
	Tainted bool
	// Leaves reports that the call can exfiltrate what the conversation holds, Private that the conversation holds
	// private data.
	Leaves, Private bool
	// ForeignSkill reports that the person works with a skill of another author.
	ForeignSkill bool
	Policy       Policy
}

// Decide returns the disposition of a call, with the reason for a refusal, or for a confirmation in auto mode. It is
// the only place that decides; the mode is not used for destructive calls.
func Decide(c Call) (d Disposition, why string) {
	if why := refusal(c); why != "" {
		return Refuse, why
	}
	if c.Run != nil {
		return c.Run.decide(c)
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

// confirmation returns why a change is not applied automatically in auto mode.
func confirmation(c Call) string {
	switch {
	case c.Policy.TwoPerson:
		return twoPersonText
	case c.Policy.AlwaysConfirm:
		return "An administrator wants a decision about every change of this kind, so it is not applied automatically."
	case c.Principal != principal.User && c.Run == nil:
		return "Only a person's own conversation applies changes automatically."
	case c.Tainted:
		return "This conversation holds content from outside, so changes are not applied automatically."
	case c.Leaves && c.Private:
		return "This conversation holds what is only yours to see, and this could send it to others."
	case c.ForeignSkill:
		return "The active skill was written by another user, so changes are not applied automatically."
	}
	return ""
}
