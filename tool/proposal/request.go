package proposal

import (
	"strings"
	"unicode/utf8"

	"countersign/internal/secret/scrub"
	"countersign/internal/text"
	"countersign/tool/proposal/proposaldb"
)

// Request is the part of a chat that led to a proposal: the one message that asked for the change and the assistant's
// text since then, without earlier turns and tool results, as the chat is its owner's. Both are unverified plain text;
// a model wrote the assistant's.
type Request struct {
	Message string `json:"message,omitempty" doc:"What the person wrote in the turn that made the proposal: the beginning, plain text, at most 2,000 characters. Absent in a turn that followed a decision, and when an option was picked"`
	Answer  string `json:"answer,omitempty" doc:"What the assistant said in that turn before it proposed: the end, plain text of a model, at most 2,000 characters. Absent where it could repeat what was read with the rights of the person"`
}

// maxExcerpt bounds each text, in characters.
const maxExcerpt = 2000

func requestOf(row proposaldb.AiProposal) *Request {
	if row.Asked == "" && row.Answered == "" {
		return nil
	}
	return &Request{Message: row.Asked, Answer: row.Answered}
}

// excerpts returns the texts for a second person. Without the need for one at the time of the proposal the message was
// not meant for others, and stays private when a policy requires one later.
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

// plain cleans a text of credentials and invisible characters.
func plain(value string) string { return strings.TrimSpace(text.Visible(scrub.Text(value))) }
