// Package assistant is the logic of a turn without any I/O: what becomes of a tool call, what the model is told, how
// much of a result it is shown. Everything here is a pure function, so the rules can be read and tested on their own.
package assistant

import "countersign/tool"

// Mode is a conversation's permission mode.
type Mode string

// Approve asks for a decision about every change; Auto applies changes that destroy nothing.
const (
	Approve Mode = "approve"
	Auto    Mode = "auto"
)

// Disposition is what becomes of a tool call.
type Disposition string

// Run executes a read; Confirm makes a proposal that waits for a person; Apply makes one and applies it at once.
const (
	Run     Disposition = "run"
	Confirm Disposition = "confirm"
	Apply   Disposition = "apply"
)

// Decide is the one place that decides what becomes of a call, with the reason when a person has to confirm although
// the mode is auto. The mode has no way into the destructive case.
func Decide(effect tool.Effect, mode Mode, tainted bool) (d Disposition, why string) {
	switch effect {
	case tool.Read:
		return Run, ""
	case tool.Mutate:
		if mode != Auto {
			return Confirm, ""
		}
		if tainted {
			return Confirm, "This turn has read content from outside, so changes are not applied automatically."
		}
		return Apply, ""
	default:
		if mode == Auto {
			return Confirm, "This removes something, which is never done automatically."
		}
		return Confirm, ""
	}
}
