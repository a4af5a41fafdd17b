package apptest

import (
	"fmt"
	"net/http"
	"strings"
)

// Kinds of small model calls beside those of a turn.
const (
	Classifier = "You classify one message"
	Title      = "You name conversations"
	Summary    = "You summarize a conversation"
)

// aside returns the kind of small model call; "" for a call of a turn.
func (r ModelRequest) aside() string {
	if len(r.Messages) == 0 {
		return ""
	}
	for _, kind := range []string{Classifier, Title, Summary} {
		if strings.HasPrefix(r.Messages[0].Content, kind) {
			return kind
		}
	}
	return ""
}

// Say sets the provider's answer to a kind of small model call; "" makes it fail. By default every message is on topic,
// and other answers are empty.
func (p *Provider) Say(kind, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.says == nil {
		p.says = map[string]string{}
	}
	p.says[kind] = text
}

// Tell sets a handler for a kind of small model call.
func (p *Provider) Tell(kind string, f http.HandlerFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tells == nil {
		p.tells = map[string]http.HandlerFunc{}
	}
	p.tells[kind] = f
}

// Asides returns the small model calls so far. Requests does not include them.
func (p *Provider) Asides() []ModelRequest {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]ModelRequest(nil), p.asides...)
}

func (p *Provider) say(kind string) http.HandlerFunc {
	if f, ok := p.tells[kind]; ok {
		return f
	}
	text, told := p.says[kind]
	if !told && kind == Classifier {
		text = "ON_TOPIC"
	}
	if text == "" {
		return Refuse(http.StatusInternalServerError, `{"error":{"message":"out of order"}}`)
	}
	return Whole(`{"content":`+quote(text)+`}`, "stop", 50, 2)
}

// Whole is a response in one piece: members of its message, finish reason, and token usage.
func Whole(message, finish string, input, output int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(
			w,
			`{"choices":[{"index":0,"message":%s,"finish_reason":%q}],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`,
			message,
			finish,
			input,
			output,
		)
	}
}
