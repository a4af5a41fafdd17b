package proposal

import (
	"strings"
	"unicode/utf8"

	"countersign/secret/scrub"
	"countersign/text"
	"countersign/tool/proposal/proposaldb"
)

// Request is what led to a proposal of a chat. The chat is its owner's: of it, this is the one message that asked for the
// change and what the assistant said from then on, and neither earlier turns nor what tools have answered. Both are plain
// text that nobody has checked; the assistant's was written by a model.
type Request struct {
	Message string `json:"message,omitempty" doc:"What the person wrote in the turn that made the proposal: the beginning, plain text, at most 2,000 characters. Absent in a turn that followed a decision, and when an option was picked"`
	Answer  string `json:"answer,omitempty" doc:"What the assistant said in that turn before it proposed: the end, plain text of a model, at most 2,000 characters. Absent where it could repeat what was read with the rights of the person"`
}

// maxExcerpt is how much of either is kept, in characters.
const maxExcerpt = 2000

func requestOf(row proposaldb.AiProposal) *Request {
	if row.Asked == "" && row.Answered == "" {
		return nil
	}
	return &Request{Message: row.Asked, Answer: row.Answered}
}

// excerpts are what is kept of the turn for a second person. Where none is needed when the change is proposed, the message was
// written for nobody else, and stays so when a policy asks for one later.
func (n New) excerpts(twoPerson bool) (asked, answered string) {
	if n.Automatic || !twoPerson {
		return "", ""
	}
	asked, answered = plain(n.Asked), plain(n.Answered)
	if utf8.RuneCountInString(asked) > maxExcerpt {
		asked = string([]rune(asked)[:maxExcerpt-1]) + "…"
	}
	if runes := []rune(answered); len(runes) > maxExcerpt {
		answered = "…" + string(runes[len(runes)-maxExcerpt+1:])
	}
	return asked, answered
}

// plain is a text without credentials and without what is not seen.
func plain(value string) string { return strings.TrimSpace(text.Visible(scrub.Text(value))) }
