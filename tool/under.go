package tool

import "encoding/json"

// Part is something that an input can have, and the tools that are for it alone.
type Part[In any] struct {
	has   func(in In) bool
	tools []string
}

// When is the part of inputs of which that is true.
func When[In any](has func(in In) bool, tools ...string) Part[In] { return Part[In]{has, tools} }

// UnderParts is a Definition.Under: a change comes under the tools of the parts that its input has, and under all of them where that
// cannot be read.
func UnderParts[In any](parts ...Part[In]) func(input json.RawMessage) []string {
	return func(input json.RawMessage) []string {
		var in In
		unread := json.Unmarshal(input, &in) != nil
		var under []string
		for _, part := range parts {
			if unread || part.has(in) {
				under = append(under, part.tools...)
			}
		}
		return under
	}
}
