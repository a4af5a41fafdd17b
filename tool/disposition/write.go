package disposition

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/google/uuid"

	"countersign/principal"
	"countersign/tool"
)

// Effective is the policy that holds for a change: that of its tool, those of tools with the same effect, and a second
// person where one could undo alone what policies ask for. exceptions are the policies that differ from the default.
func Effective(t tool.Tool, input json.RawMessage, exceptions map[string]Policy) Policy {
	p := of(exceptions, t.Name)
	if t.Under != nil {
		for _, name := range t.Under(input) {
			other := of(exceptions, name)
			p.Enabled = p.Enabled && other.Enabled
			p.AlwaysConfirm = p.AlwaysConfirm || other.AlwaysConfirm
			p.TwoPerson = p.TwoPerson || other.TwoPerson
		}
	}
	if t.NeedsSecond != nil && t.NeedsSecond(input, Asking(exceptions)) {
		p.TwoPerson = true
	}
	return p
}

// MayNeedSecond reports whether policies ask for a second person about some changes of the tool, or about all of them.
func MayNeedSecond(t tool.Tool, exceptions map[string]Policy) bool {
	return of(exceptions, t.Name).TwoPerson || (t.Under != nil || t.NeedsSecond != nil) && len(Asking(exceptions)) > 0
}

// Asking are the tools whose policies ask for a second person, by name.
func Asking(exceptions map[string]Policy) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(exceptions)) {
		if exceptions[name].TwoPerson {
			names = append(names, name)
		}
	}
	return names
}

func of(exceptions map[string]Policy, name string) Policy {
	if p, ok := exceptions[name]; ok {
		return p
	}
	return DefaultPolicy
}

// DecideWrite decides what becomes of a write that somebody makes without the assistant, by a page, the API or an
// application: Apply lets it through, Confirm makes a proposal of it, Refuse does nothing. why says what is asked for. own
// says that the change is about whoever makes it alone.
func DecideWrite(p principal.Principal, own bool, policy Policy) (d Disposition, why string) {
	undecidable := Undecidable(p, own, policy)
	switch {
	case !policy.Enabled:
		return Refuse, "An administrator has switched this off, for everybody and on every way."
	case undecidable != "":
		return Refuse, undecidable
	case policy.TwoPerson:
		return Confirm, "A second person has to apply this."
	case policy.AlwaysConfirm && !inPerson(p):
		return Confirm, "An administrator wants a person's decision about every change of this kind."
	}
	return Apply, ""
}

// Undecidable says why nobody could ever decide about a change that p proposes; "" when somebody can. Such a change is
// refused at once.
func Undecidable(p principal.Principal, own bool, policy Policy) string {
	switch {
	case p.Kind != principal.Application:
	case own && policy.AlwaysConfirm:
		return "An administrator wants a person's decision about every change of this kind, and what an application keeps for itself is nobody else's to decide about. Applications cannot do this while the policy is set."
	case !own && policy.TwoPerson && p.IssuerID == nil:
		return "A second person has to apply this, and nobody knows whose application this is, so nobody can be the second person. Replace the token of the application and try again."
	}
	return ""
}

// inPerson reports whether a request is somebody's own: a click, and not a program or the assistant.
func inPerson(p principal.Principal) bool { return p.Kind == principal.User && p.TurnID == uuid.Nil }
