package check

import "slices"

// Sending describes what a run sends to its target. The zero value is a run of which nothing is known, so it counts as a change.
type Sending struct {
	// Reads says that the run changes nothing at its target, whatever that is: it connects, makes a request of a safe
	// method without content, or runs a statement in a session that can only read.
	Reads bool
	// Lines say what is sent, for the person who decides.
	Lines []string
}

// Sender is a config that knows what a run with it sends. A kind whose config is no Sender counts as a change.
type Sender interface{ Sends() Sending }

// Sends describes what a run sends: it is read-only if its strategy and all of its collectors are.
func (p *Prepared) Sends() Sending {
	all := sendingOf(p.compiled.strategy.Name, p.config)
	for i, c := range p.compiled.collectors {
		one := sendingOf(c.kind.Name, p.configs[i])
		all.Reads = all.Reads && one.Reads
		all.Lines = append(slices.Clone(all.Lines), one.Lines...)
	}
	return all
}

func sendingOf(name string, config any) Sending {
	if s, ok := config.(Sender); ok {
		return s.Sends()
	}
	return Sending{Lines: []string{name + ": what it sends is not known."}}
}
