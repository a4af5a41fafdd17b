package conversation

import (
	"slices"
	"strings"
	"unicode/utf8"

	"countersign/chat/stream"
	"countersign/internal/secret/scrub"
	"countersign/model"
)

const (
	// maxClientHistory bounds the kept part of a client's history, and maxClientMessage one message of it, in characters.
	maxClientHistory = 24_000
	maxClientMessage = 6_000
	// roleTool and roleInstruction are the roles of messages that neither the person nor an assistant wrote.
	roleTool        = "tool"
	roleInstruction = "instruction"

	clientMessageCut = " [… cut …]"
)

// Empty reports whether there is no client history.
func (t ClientHistory) Empty() bool { return len(t.Messages) == 0 && t.LeftOut == 0 }

// messages returns the messages of an exchange, in order.
func (e Exchange) messages() []ClientMessage {
	all := []ClientMessage{{model.RoleUser, e.Asked}}
	for _, result := range e.Results {
		all = append(all, ClientMessage{roleTool, result})
	}
	all = append(all, ClientMessage{model.RoleAssistant, e.Answered})
	kept := all[:0]
	for _, m := range all {
		if strings.TrimSpace(m.Text) != "" {
			kept = append(kept, m)
		}
	}
	return kept
}

// unknownHistory is the part of a client's history for the model: the exchanges that are not known, the newest first
// until the limit, with instructions before them. older counts messages that were not compared.
func unknownHistory(instructions []string, sent []Exchange, hashed []hashes, known []bool, older int) ClientHistory {
	t := ClientHistory{LeftOut: older, asked: [][]byte{}, answered: [][]byte{}}
	room := maxClientHistory
	take := func(m ClientMessage) {
		m.Text = strings.TrimSpace(scrub.Text(stream.Clean(m.Text)))
		if runes := []rune(m.Text); len(runes) > maxClientMessage {
			m.Text = string(runes[:maxClientMessage]) + clientMessageCut
		}
		size := utf8.RuneCountInString(m.Text)
		switch {
		case size == 0:
		case size > room:
			t.LeftOut++
			// Older ones are left out too, so that there is no gap.
			room = 0
		default:
			room -= size
			t.Messages = append(t.Messages, m)
		}
	}
	for i, e := range slices.Backward(sent) {
		if known != nil && known[i] {
			continue
		}
		t.asked, t.answered = append(t.asked, bytesOf(hashed[i].asked)), append(t.answered, bytesOf(hashed[i].answered))
		for _, m := range slices.Backward(e.messages()) {
			take(m)
		}
	}
	for _, text := range slices.Backward(instructions) {
		take(ClientMessage{roleInstruction, text})
	}
	slices.Reverse(t.Messages)
	slices.Reverse(t.asked)
	slices.Reverse(t.answered)
	return t
}

// bytesOf is the stored form of a hash: empty for no text.
func bytesOf(hash []byte) []byte {
	if hash == nil {
		return []byte{}
	}
	return hash
}
