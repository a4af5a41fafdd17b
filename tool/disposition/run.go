package disposition

import (
	"slices"

	"countersign/tool"
)

// RunPolicy is what becomes of the changes that the turns of a run ask for. Nobody is there to decide at once, so its zero
// value lets a run read alone. It is fixed when the run opens.
type RunPolicy struct {
	// Propose lets a run propose changes, about which people decide.
	Propose bool `json:"propose,omitempty"`
	// Apply are the tools whose changes are applied at once, by their dotted names.
	Apply []string `json:"apply,omitempty"`
}

// applies reports whether changes of the tool are applied at once.
func (r RunPolicy) applies(name string) bool { return slices.Contains(r.Apply, name) }

// Offers reports whether a run is offered a tool. It gets none that removes something, asks a person, or is about the
// caller's own data.
func (r RunPolicy) Offers(t tool.Tool) bool {
	if t.Access.Personal || t.Result.Question {
		return false
	}
	return t.Effect == tool.Read || t.Effect == tool.Mutate && (r.Propose || r.applies(t.Name))
}

// decide is Decide for a call of a run whose tool may be used.
func (r RunPolicy) decide(c Call) (Disposition, string) {
	switch {
	case c.Effect == tool.Read:
		return Run, ""
	case c.Effect != tool.Mutate:
		return Refuse, "This removes something, which a run never does. Say in the answer that a person has to do it."
	case r.applies(c.Tool):
		if why := confirmation(c); why != "" {
			return Confirm, why
		}
		return Apply, ""
	case r.Propose:
		return Confirm, ""
	}
	return Refuse, "This run only reads. Say in the answer what should be changed."
}
