package apptest

import (
	"io"
	"net/http"
	"strings"
)

// The small model calls that the product makes beside a turn's own.
const (
	Classifier = "You classify one message"
	Title      = "You name conversations"
	Summary    = "You summarize a conversation"
)

// aside is which small model call a request is; "" for a call of a turn.
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

// Say sets what the provider answers to a small model call from now on; "" makes it fail. Unless told, it finds every
// message on topic and has nothing else to say.
func (p *Provider) Say(kind, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.says == nil {
		p.says = map[string]string{}
	}
	p.says[kind] = text
}

// Asides are the small model calls so far. They are not among Requests.
func (p *Provider) Asides() []ModelRequest {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]ModelRequest(nil), p.asides...)
}

func (p *Provider) say(kind string) http.HandlerFunc {
	text, told := p.says[kind]
	if !told && kind == Classifier {
		text = "ON_TOPIC"
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if text == "" {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, `{"error":{"message":"out of order"}}`)
			return
		}
		_, _ = io.WriteString(w, `{"choices":[{"index":0,"message":{"role":"assistant","content":`+quote(text)+`},"finish_reason":"stop"}],"usage":{"prompt_tokens":50,"completion_tokens":2}}`)
	}
}
