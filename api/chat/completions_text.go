package chat

import (
	"encoding/json"
	"fmt"
	"strings"

	"countersign/chat/turn"
	"countersign/modules/question"
	"countersign/tool/proposal"
)

// plainText renders a turn's stream as text, for clients that show nothing else: cards and questions become sentences.
type plainText struct {
	// link returns the URL at which a person decides a proposal.
	link func(proposal.Card) string
	// program marks an application as the reader, which cannot decide proposals.
	program bool

	// text is the text so far.
	text strings.Builder
	// part is the current text part, step the length of the text when the step began.
	part   string
	step   int
	images imageFilter

	finish string
	usage  turn.Usage
	failed *turn.Failure
}

// textChunk has the members of the chunks that become text.
type textChunk struct {
	Type     string               `json:"type"`
	ID       string               `json:"id"`
	Delta    string               `json:"delta"`
	Data     json.RawMessage      `json:"data"`
	Reason   string               `json:"finishReason"`
	Metadata turn.MessageMetadata `json:"messageMetadata"`
}

// failurePart is the text part with a failure, which is an error of its own here.
const failurePart = "error"

// push takes a chunk and returns the text that it adds.
func (w *plainText) push(chunk string) string {
	var c textChunk
	if json.Unmarshal([]byte(chunk), &c) != nil {
		return ""
	}
	switch c.Type {
	case "start-step":
		w.step = w.text.Len()
	case "reset-step":
		// Sent text cannot be retracted.
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
	case "data-notice":
		var n turn.Notice
		if json.Unmarshal(c.Data, &n) == nil && n.Kind != turn.Retrying {
			return w.add(string(n.Kind), "*Note: "+quoted(n.Message)+"*")
		}
	case "finish":
		w.end(c.Reason, c.Metadata)
		return w.flush()
	case "message-metadata":
		w.end("", c.Metadata)
	case "abort":
		return w.flush()
	}
	return ""
}

// setText sets an answer that is known as a whole.
func (w *plainText) setText(text, reason string, used turn.Usage) {
	w.add("answer", text)
	w.flush()
	w.end(reason, turn.MessageMetadata{Usage: &used})
}

// add appends text in a part of its own, which begins a paragraph.
func (w *plainText) add(part, text string) string {
	before := ""
	if part != w.part {
		before = w.flush()
		if w.text.Len() > 0 && text != "" {
			text = "\n\n" + text
		}
	}
	w.part = part
	text = w.images.push(text)
	w.text.WriteString(text)
	return before + text
}

// flush returns the text that the image filter held back at the end of a part.
func (w *plainText) flush() string {
	text := w.images.flush()
	w.text.WriteString(text)
	return text
}

// proposed describes the state of a proposal.
func (w *plainText) proposed(card proposal.Card) string {
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

func (w *plainText) waiting(card proposal.Card) string {
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

// marks escapes Markdown: a name could otherwise contain a link that looks like ours.
var marks = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "<", `\<`, "`", "\\`", "*", `\*`)

// quoted returns a record's text on one line, escaped.
func quoted(text string) string { return marks.Replace(strings.Join(strings.Fields(text), " ")) }

// end records the end of the turn.
func (w *plainText) end(reason string, m turn.MessageMetadata) {
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
