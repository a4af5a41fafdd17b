package demo

import (
	"encoding/json"
	"regexp"
	"strings"
)

// decisionMark begins the note that tells the model a person's decision.
const decisionMark = "[decision]"

var (
	decidedProposal = regexp.MustCompile(`(?s)\bProposal \(([\w.-]+)\):\s+<data>\n(.+?)(?:\nIt failed: (.+?))?\n</data>`)
	decidedTogether = regexp.MustCompile(
		`(?s)\b\d+\. \(([\w.-]+)\) (applied|failed|not applied|declined|expired|still waits)[^\n]*\n<data>\n(.+?)(?:\nIt failed: .+?)?\n</data>`,
	)
	// foundByCall matches the result of an approved call.
	foundByCall = regexp.MustCompile(`(?s)</data>\n<untrusted>\n(.+)\n</untrusted>`)
)

// writesDrafts is the tool whose changes are not live once they are applied.
const writesDrafts = "agent.proposeTool"

// acknowledge reacts to a decision. It repeats the note and nothing else: only the product knows whether a change took
// effect.
func (t *turn) acknowledge(note string) {
	if changes := decidedTogether.FindAllStringSubmatch(note, -1); changes != nil {
		t.say(acknowledgePlan(changes))
		return
	}
	var answered *result
	if call := foundByCall.FindStringSubmatch(note); call != nil {
		r := readResult(call[1])
		answered = &r
	}
	tool, summary, failure := "", "", ""
	if found := decidedProposal.FindStringSubmatchIndex(note); found != nil {
		tool, summary = note[found[2]:found[3]], strings.TrimRight(clean(note[found[4]:found[5]]), ".")
		if found[6] >= 0 {
			failure = strings.TrimSpace(note[found[6]:found[7]])
		}
		note = note[:found[0]]
	}
	named := "the change"
	if summary != "" {
		named = "“" + summary + "”"
	}
	switch {
	case answered != nil:
		t.say(capitalized(outcomeOf(named, *answered)))
	case mentions(note, "declined"):
		t.say("All right, I've left everything as it was. Tell me if you'd like " + named + " done differently.")
	case mentions(note, "expired"):
		t.say("Nobody decided about " + named + " in time, so nothing changed. Ask me again whenever you like.")
	case mentions(note, "failed"):
		t.say(strings.TrimSpace("That didn't work: " + named + " could not be carried out, and nothing changed. " + failure))
	case mentions(note, "applied") && tool == writesDrafts:
		t.say("Done: " + named + " is applied. It is in a draft, which runs for nobody before an owner of the agent freezes and promotes it.")
	case mentions(note, "applied"):
		t.say("Done: " + named + " is applied and live. Is there anything else?")
	default:
		t.say("Noted.")
	}
}

// outcomeOf describes the result of an approved call.
func outcomeOf(named string, r result) string {
	members := r.entry("")
	if r.failure != nil {
		return named + " was done, and it failed: " + strings.TrimRight(clean(r.failure.Message), ".") + "."
	}
	if answer, has := members["result"]; has {
		text, err := json.Marshal(answer)
		if err == nil {
			return named + " was done. This is the answer:\n\n" + sample(string(text))
		}
	}
	return named + " was done. The card shows what came back."
}

// acknowledgePlan summarizes the changes of a plan, each as its tool, outcome and summary.
func acknowledgePlan(changes [][]string) string {
	of := map[string][]string{}
	for _, c := range changes {
		became := c[2]
		if became == "applied" && c[1] == writesDrafts {
			became = "drafted"
		}
		of[became] = append(of[became], "“"+strings.TrimRight(clean(c[3]), ".")+"”")
	}
	var said []string
	for _, outcome := range []struct{ name, one, many string }{
		{"applied", " is applied and live.", " are applied and live."},
		{"drafted", " is applied to a draft, which runs for nobody yet.", " are applied to a draft, which runs for nobody yet."},
		{"failed", " could not be carried out, and changed nothing.", " could not be carried out, and changed nothing."},
		{"not applied", " was not applied, because of that.", " were not applied, because of that."},
		{"declined", " was declined, so I've left it as it was.", " were declined, so I've left everything as it was."},
		{"expired", " has expired, so nothing changed.", " have expired, so nothing changed."},
		{"still waits", " still waits for a decision.", " still wait for a decision."},
	} {
		if n := len(of[outcome.name]); n > 1 {
			said = append(said, strings.Join(of[outcome.name], ", ")+outcome.many)
		} else if n == 1 {
			said = append(said, of[outcome.name][0]+outcome.one)
		}
	}
	return strings.Join(said, " ")
}
