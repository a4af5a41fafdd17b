package tool

import (
	"bytes"
	"encoding/json"

	"countersign/internal/problem"
	"countersign/internal/secret/scrub"
)

// RefuseCredentials refuses a call whose input has credentials at these paths: they are redacted before storage, so the
// call would not do what was meant. For the same reason an input that holds the mark of a redacted credential is
// refused.
func RefuseCredentials(effect Effect, paths []string, input json.RawMessage) error {
	if len(paths) > 0 {
		issues := make([]problem.Issue, len(paths))
		for i, path := range paths {
			issues[i] = problem.Issue{Path: path, Message: "holds a credential, which tools do not take"}
		}
		return problem.InvalidInput(
			"The input holds a credential. Leave it out; credentials do not belong in tool calls or in the chat.",
			issues...)
	}
	if effect != Read && bytes.Contains(input, []byte(scrub.Marker)) {
		return problem.InvalidInput(
			"The input holds " + scrub.Marker + ", the mark of a credential that was taken out. Write the value without it, " +
				"or ask the person to enter it where it belongs.",
		)
	}
	return nil
}
