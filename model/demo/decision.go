package demo

import (
	"regexp"
	"strings"
)

// decisionMark begins the note that tells the model what a person decided.
const decisionMark = "[decision]"

var (
	decisionRules = []rule{
		{when(`\[decision\].*`), acknowledge},
	}
	decidedProposal = regexp.MustCompile(`(?s)\bProposal: (.+?) \(([\w.]+)\)`)
	decidedFailure  = regexp.MustCompile(`(?s)nothing was changed: (.+)$`)
)

// acknowledge reacts to a decision. It repeats what the note says and no more:
// whether a change took effect is for the product to know.
func acknowledge(t *turn, m match) bool {
	note := m.all()
	summary := ""
	if found := decidedProposal.FindStringSubmatchIndex(note); found != nil {
		summary = strings.TrimRight(clean(note[found[2]:found[3]]), ".")
		note = note[:found[0]]
	}
	named := "the change"
	if summary != "" {
		named = "“" + summary + "”"
	}
	switch {
	case mentions(note, "declined"):
		t.say("All right, I've left everything as it was. Tell me if you'd like " + named + " done differently.")
	case mentions(note, "expired"):
		t.say("Nobody decided about " + named + " in time, so nothing changed. Ask me again whenever you like.")
	case mentions(note, "failed"):
		text := "That didn't work: " + named + " could not be carried out, and nothing changed."
		if found := decidedFailure.FindStringSubmatch(strings.TrimSpace(note)); found != nil {
			text += " " + strings.TrimSpace(found[1])
		}
		t.say(text)
	case mentions(note, "applied"):
		t.say("Done: " + named + " is applied and live. Is there anything else?")
	default:
		t.say("Noted.")
	}
	return true
}
