package channel

import (
	"encoding/json"
	"strings"

	"countersign/internal/text"
)

func encode(body any) ([]byte, error) { return json.Marshal(body) }

// block is a text of several lines, without controls and characters that disguise others.
func block(s string, limit int) string { return text.Visible(text.Clip(s, limit)) }

// plain is the text of a message without its title.
func plain(m Message) string {
	var b strings.Builder
	for i, p := range m.parts() {
		if i > 0 {
			b.WriteString("\n\n" + line(p.Facts.Title) + "\n")
		}
		writePart(&b, m.Base, p, i > 0)
	}
	return strings.TrimSpace(b.String())
}

func writePart(b *strings.Builder, base string, p Part, withLink bool) {
	if p.Facts.Text != "" {
		b.WriteString(block(p.Facts.Text, maxChatText) + "\n")
	}
	for _, f := range p.Facts.Fields {
		b.WriteString(line(f.Label) + ": " + line(f.Value) + "\n")
	}
	if url := link(base, p); withLink && url != "" {
		b.WriteString(url + "\n")
	}
}
