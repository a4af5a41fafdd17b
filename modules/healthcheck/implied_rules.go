package healthcheck

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// detailed is the result of a read of system health, which includes results of runs for readers with details.
type detailed interface{ details() bool }

// impliedRules makes the Result.ImpliedRules of such a read. Missing or malformed output counts as one with details.
func impliedRules[Output detailed](output json.RawMessage) []string {
	var out Output
	d := json.NewDecoder(bytes.NewReader(output))
	d.DisallowUnknownFields()
	if d.Decode(&out) != nil || d.More() || out.details() {
		return []string{DetailsRead}
	}
	return nil
}

// foundSaid reports whether a reason includes the result of a run, which shownReason removes.
func foundSaid(reason string) bool { return strings.Contains(reason, ": ") }

func (o listSystemChecksOutput) details() bool {
	for _, t := range o.Targets {
		// A location may have failed where the check as a whole is healthy.
		if foundSaid(t.Reason) || slices.ContainsFunc(t.Locations, func(l LocationStatus) bool { return foundSaid(l.Reason) }) {
			return true
		}
	}
	_, why, _ := strings.Cut(o.Reason, ": ")
	return foundSaid(why)
}

func (o statusOutput) details() bool {
	for _, s := range o.Systems {
		// The name of the check precedes its reason.
		if _, why, _ := strings.Cut(s.Reason, ": "); foundSaid(why) {
			return true
		}
	}
	return false
}
