package suite

import (
	"slices"
	"strings"
	"time"

	"countersign/chat/stream"
	"countersign/internal/secret/scrub"
)

// Verdict is the score of a situation.
type Verdict string

// A situation is Failing when the provider, the spend cap or the time did not let it be played: that says nothing about the
// model. Skipped ones do not fit into the window.
const (
	Passed  Verdict = "passed"
	Failed  Verdict = "failed"
	Failing Verdict = "error"
	Skipped Verdict = "skipped"
)

// Outcome is the result of one situation.
type Outcome struct {
	Situation, Kind string
	Verdict         Verdict
	// Reasons list unmet expectations, or explain why the situation could not be played.
	Reasons []string
	// Shown is what happened, shortened and without credentials.
	Shown                     []Line
	Steps, Calls              int
	InputTokens, OutputTokens int
	// Estimated reports that the provider has not reported all of the tokens.
	Estimated bool
	Took      time.Duration
}

// Line is one line of a transcript; its Who is "person", "model", "call", "tool" or "check".
type Line struct {
	Who  string `json:"who" enum:"person,model,call,tool,check"`
	Text string `json:"text"`
}

const (
	maxExcerpt = 500
	maxLines   = 40
)

func (y *play) show(who, said string) {
	if said = excerpt(said); said != "" {
		y.shown = append(y.shown, Line{who, said})
	}
}

// excerpt is the beginning of a text as a person may see it.
func excerpt(s string) string {
	s = strings.TrimSpace(scrub.Text(stream.Clean(s)))
	if runes := []rune(s); len(runes) > maxExcerpt {
		return string(runes[:maxExcerpt]) + "…"
	}
	return s
}

// bounded keeps the beginning and the end.
func bounded(lines []Line) []Line {
	if len(lines) <= maxLines {
		return lines
	}
	return slices.Concat(lines[:maxLines/2], []Line{{"check", "Lines are left out here."}}, lines[len(lines)-maxLines/2:])
}
