package kit

import "encoding/json"

// Condition is a property of an input, and the tools whose policies apply to inputs that have it.
type Condition[In any] struct {
	holds func(in In) bool
	tools []string
}

// When makes the condition of inputs for which holds returns true.
func When[In any](holds func(in In) bool, tools ...string) Condition[In] {
	return Condition[In]{holds, tools}
}

// ConditionalCovers makes a Policy.ConditionalCovers: the policies of the tools of all conditions that hold apply to a
// change, and those of all conditions where its input cannot be parsed.
func ConditionalCovers[In any](conditions ...Condition[In]) func(input json.RawMessage) []string {
	return func(input json.RawMessage) []string {
		var in In
		unread := json.Unmarshal(input, &in) != nil
		var covers []string
		for _, c := range conditions {
			if unread || c.holds(in) {
				covers = append(covers, c.tools...)
			}
		}
		return covers
	}
}
