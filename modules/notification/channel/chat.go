package channel

import (
	"context"
	"net/http"
	"strings"

	"countersign/internal/notice"
)

// maxChatText bounds the text of one part in a chat, which is below what each of them takes.
const maxChatText = 1500

type object = map[string]any

// slackEscaper makes text plain in Slack's mrkdwn. Without angle brackets there are no mentions and no links.
var slackEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// slackText also takes the effect from the characters of Slack's mrkdwn, and of the Markdown of compatible chats, which
// have mentions such as @channel and links in brackets: neither has escapes that the other knows, and a word joiner after
// such a character has no width.
func slackText(s string, limit int) string {
	var b strings.Builder
	for _, r := range slackEscaper.Replace(block(s, limit)) {
		b.WriteRune(r)
		if strings.ContainsRune("@*_~`[]|#", r) {
			b.WriteRune('\u2060')
		}
	}
	return b.String()
}

func slackMessage(m Message) object {
	var parts []string
	for _, p := range m.parts() {
		lines := []string{"*" + slackText(line(p.Facts.Title), 300) + "*"}
		if p.Facts.Text != "" {
			lines = append(lines, slackText(p.Facts.Text, maxChatText))
		}
		for _, f := range p.Facts.Fields {
			lines = append(lines, slackText(line(f.Label), 100)+": "+slackText(line(f.Value), 300))
		}
		if url := link(m.Base, p); url != "" {
			lines = append(lines, "<"+slackEscaper.Replace(url)+"|Open>")
		}
		parts = append(parts, strings.Join(lines, "\n"))
	}
	return object{"text": strings.Join(parts, "\n\n"), "unfurl_links": false, "unfurl_media": false}
}

// discordText escapes Discord's Markdown.
func discordText(s string, limit int) string {
	var b strings.Builder
	for _, r := range block(s, limit) {
		if strings.ContainsRune("\\*_~`|>#[]()<@:-", r) {
			b.WriteRune('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

var discordColors = map[notice.Severity]int{
	notice.Info: 0x5b6b7b, notice.Good: 0x2e9d61, notice.Warning: 0xd99a00, notice.Critical: 0xd03434,
}

// discordMessage mentions nobody, whatever its texts say.
func discordMessage(m Message) object {
	embeds := []object{}
	for _, p := range m.parts()[:min(10, 1+len(m.Also))] {
		embed := object{"title": discordText(line(p.Facts.Title), 120), "color": discordColors[severityOf(p)]}
		if p.Facts.Text != "" {
			embed["description"] = discordText(p.Facts.Text, maxChatText)
		}
		fields := []object{}
		for _, f := range p.Facts.Fields {
			fields = append(fields, object{"name": discordText(line(f.Label), 100), "value": discordText(line(f.Value), 300), "inline": true})
		}
		embed["fields"] = fields
		if url := link(m.Base, p); url != "" {
			embed["url"] = url
		}
		embeds = append(embeds, embed)
	}
	return object{"embeds": embeds, "allowed_mentions": object{"parse": []string{}}}
}

// teamsText escapes the Markdown of adaptive cards.
func teamsText(s string, limit int) string {
	var b strings.Builder
	for _, r := range block(s, limit) {
		if strings.ContainsRune("\\*_`[]()<>#~", r) {
			b.WriteRune('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

var teamsColors = map[notice.Severity]string{
	notice.Info: "Default", notice.Good: "Good", notice.Warning: "Warning", notice.Critical: "Attention",
}

func teamsMessage(m Message) object {
	body, actions := []object{}, []object{}
	for _, p := range m.parts() {
		body = append(body, object{
			"type": "TextBlock", "text": teamsText(line(p.Facts.Title), 300), "weight": "Bolder", "wrap": true,
			"color": teamsColors[severityOf(p)],
		})
		if p.Facts.Text != "" {
			body = append(body, object{"type": "TextBlock", "text": teamsText(p.Facts.Text, maxChatText), "wrap": true})
		}
		facts := []object{}
		for _, f := range p.Facts.Fields {
			facts = append(facts, object{"title": teamsText(line(f.Label), 100), "value": teamsText(line(f.Value), 300)})
		}
		if len(facts) > 0 {
			body = append(body, object{"type": "FactSet", "facts": facts})
		}
		if url := link(m.Base, p); url != "" && len(actions) < 5 {
			actions = append(actions, object{"type": "Action.OpenUrl", "title": "Open", "url": url})
		}
	}
	card := object{
		"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4",
		"body": body, "actions": actions,
	}
	return object{"type": "message", "attachments": []object{
		{"contentType": "application/vnd.microsoft.card.adaptive", "content": card},
	}}
}

// ntfyPriority is 1 to 5; 3 is the default of the receiver.
func ntfyPriority(m Message) int {
	switch {
	case m.Urgent:
		return 5
	case m.Facts.Severity == notice.Critical && m.Phase == notice.Problem:
		return 4
	default:
		return 3
	}
}

// ntfy posts to the server of the address, whose path is the topic. The text goes as JSON, so nothing of it is a header.
func (s *Sender) ntfy(ctx context.Context, c Config, m Message) Outcome {
	server, topic, ok := cutTopic(c.URL)
	if !ok {
		return failed(Permanent, "The address of the channel has no topic.")
	}
	body := object{
		"topic": topic, "title": m.Title(), "message": plain(m), "priority": ntfyPriority(m), "tags": []string{string(severityOf(m.Part))},
	}
	if url := m.Link(); url != "" {
		body["click"] = url
	}
	data, err := encode(body)
	if err != nil {
		return failed(Permanent, "The message cannot be written as JSON.")
	}
	headers := http.Header{"Content-Type": {"application/json"}}
	if c.Token != "" {
		headers.Set("Authorization", "Bearer "+c.Token)
	}
	return s.post(ctx, server, data, headers)
}

// cutTopic separates the address of a topic into that of the server and the topic.
func cutTopic(url string) (server, topic string, ok bool) {
	at := strings.LastIndexByte(strings.TrimRight(url, "/"), '/')
	if at < len("https://") {
		return "", "", false
	}
	server, topic = url[:at+1], strings.Trim(url[at+1:], "/")
	return server, topic, topic != "" && !strings.ContainsAny(topic, "?#&")
}
