package api

import (
	"encoding/json"
	"fmt"
	"strings"

	"countersign/chat/turn"
	"countersign/modules/question"
	"countersign/tool/proposal"
)

// words puts what a turn's stream says into text, for clients that know nothing else: cards and questions are said in words.
type words struct {
	// link is where a person decides about a proposal.
	link func(proposal.Card) string
	// program says that it is an application which reads the words, and nobody who could decide by themselves.
	program bool

	// text is all that was said.
	text strings.Builder
	// part is the text part that was said last, step what was said since the step began.
	part   string
	step   int
	images imageless

	finish string
	usage  turn.Usage
	failed *turn.Failure
}

// wordsChunk has the members of the chunks that say something.
type wordsChunk struct {
	Type     string               `json:"type"`
	ID       string               `json:"id"`
	Delta    string               `json:"delta"`
	Data     json.RawMessage      `json:"data"`
	Reason   string               `json:"finishReason"`
	Metadata turn.MessageMetadata `json:"messageMetadata"`
}

// failurePart is the text part in which a failure is said; it is an error of its own here.
const failurePart = "error"

// say takes a chunk and returns what it adds to the text.
func (w *words) say(chunk string) string {
	var c wordsChunk
	if json.Unmarshal([]byte(chunk), &c) != nil {
		return ""
	}
	switch c.Type {
	case "start-step":
		w.step = w.text.Len()
	case "reset-step":
		// What was sent cannot be taken back.
		if w.text.Len() > w.step {
			return w.add("interruption", "*The answer was interrupted and begins again:*\n\n")
		}
	case "text-delta":
		if c.ID != failurePart {
			return w.add(c.ID, c.Delta)
		}
	case "data-proposal":
		var card proposal.Card
		if json.Unmarshal(c.Data, &card) == nil {
			return w.add(card.ProposalID.String(), w.proposed(card))
		}
	case "data-applied":
		var card proposal.Card
		if json.Unmarshal(c.Data, &card) == nil {
			return w.add(card.ProposalID.String(), w.proposed(card))
		}
	case "data-question":
		var q question.Question
		if json.Unmarshal(c.Data, &q) == nil {
			return w.add("question", asked(q))
		}
	case "finish":
		w.end(c.Reason, c.Metadata)
		return w.rest()
	case "message-metadata":
		w.end("", c.Metadata)
	case "abort":
		return w.rest()
	}
	return ""
}

// whole takes in an answer that is known as a whole.
func (w *words) whole(text, reason string, used turn.Usage) {
	w.add("answer", text)
	w.rest()
	w.end(reason, turn.MessageMetadata{Usage: &used})
}

// add says text in a part of its own, which begins a paragraph.
func (w *words) add(part, text string) string {
	before := ""
	if part != w.part {
		before = w.rest()
		if w.text.Len() > 0 && text != "" {
			text = "\n\n" + text
		}
	}
	w.part = part
	text = w.images.pass(text)
	w.text.WriteString(text)
	return before + text
}

// rest is what was held back of a part that is at its end.
func (w *words) rest() string {
	text := w.images.rest()
	w.text.WriteString(text)
	return text
}

// proposed says how a proposal stands.
func (w *words) proposed(card proposal.Card) string {
	switch card.Status {
	case proposal.Proposed:
		return w.waiting(card)
	case proposal.Applied:
		return "**Applied:** " + quoted(card.Summary)
	case proposal.Applying:
		return fmt.Sprintf("**Still being applied:** %s\n\nSee how it ends at %s", quoted(card.Summary), w.link(card))
	default:
		return fmt.Sprintf("**Not applied (%s):** %s", card.Status, quoted(card.Summary))
	}
}

func (w *words) waiting(card proposal.Card) string {
	who := "Nothing has changed yet: review it and decide at "
	switch {
	case card.TwoPerson:
		who = "Nothing has changed yet: another person has to review and decide about it at "
	case w.program:
		who = "Nothing has changed yet: a person who may decide about it does so at "
	}
	return fmt.Sprintf("**Waiting for a decision:** %s\n\n%s%s", quoted(card.Summary), who, w.link(card))
}

func asked(q question.Question) string {
	var text strings.Builder
	text.WriteString(quoted(q.Question))
	for i, option := range q.Options {
		fmt.Fprintf(&text, "\n%d. %s", i+1, quoted(option.Label))
	}
	return text.String()
}

// marks are what a renderer of Markdown would take for more than it is: a name could hold a link that looks like ours.
var marks = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "<", `\<`, "`", "\\`", "*", `\*`)

// quoted is a text of a record on one line, as it reads.
func quoted(text string) string { return marks.Replace(strings.Join(strings.Fields(text), " ")) }

// end takes in how the turn has ended.
func (w *words) end(reason string, m turn.MessageMetadata) {
	switch reason {
	case "length":
		w.finish = "length"
	case "content-filter":
		w.finish = "content_filter"
	default:
		w.finish = "stop"
	}
	if m.Truncated {
		w.finish = "length"
	}
	if m.Usage != nil {
		w.usage = *m.Usage
	}
	w.failed = m.Error
}
