package check

import (
	"fmt"
	"slices"
)

// Sending describes what a run sends to its target. The zero value is unknown, so the run counts as a change.
type Sending struct {
	// Reads reports that the run changes nothing at any target: it connects, makes a request of a safe method without
	// content, or runs a statement in a read-only session.
	Reads bool
	// Lines describe the sent data, for the decider.
	Lines []string
}

// Sender is a config that describes what a run sends. A kind whose config is no Sender counts as a change.
type Sender interface{ Sends() Sending }

// Sends describes what a run sends: it is read-only if its strategy and all of its collectors are.
func (p *Prepared) Sends() Sending {
	all := sendingOf(p.compiled.strategy.Name, p.config)
	for i, c := range p.compiled.collectors {
		one := sendingOf(c.kind.Name, p.configs[i])
		all.Reads = all.Reads && one.Reads
		all.Lines = append(slices.Clone(all.Lines), one.Lines...)
	}
	if p.retries > 0 {
		all.Lines = append(slices.Clone(all.Lines), fmt.Sprintf("It does so up to %d times a run, until it does not fail.", p.retries+1))
	}
	return all
}

func sendingOf(name string, config any) Sending {
	if s, ok := config.(Sender); ok {
		return s.Sends()
	}
	return Sending{Lines: []string{name + ": what it sends is not known."}}
}
