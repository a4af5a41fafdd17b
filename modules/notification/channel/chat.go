package channel

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf16"

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
	// Addresses become links without brackets.
	return strings.ReplaceAll(b.String(), "://", ":\u2060//")
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

// Limits of one message to Discord, which refuses longer ones and empty values. maxDiscordText is for the texts of all embeds.
const (
	maxDiscordText   = 6000
	maxDiscordEmbeds = 10
	maxDiscordFields = 25
)

// discordBudget is the text that is left for a message.
type discordBudget int

// take returns the escaped text and subtracts its length, or "" when it does not fit.
func (b *discordBudget) take(s string, limit int) string {
	s = strings.TrimSpace(discordText(s, limit))
	if n := discordBudget(len(utf16.Encode([]rune(s)))); n <= *b {
		*b -= n
		return s
	}
	return ""
}

// takeBlock is take of as much of a text as fits: a byte becomes two units at most, and an ellipsis is one more.
func (b *discordBudget) takeBlock(s string) string {
	return b.take(s, max(0, min(maxChatText, int(*b)/2-1)))
}

// discordMessage mentions nobody, whatever its texts say.
func discordMessage(m Message) object {
	embeds, left, parts := []object{}, discordBudget(maxDiscordText), m.parts()
	for _, p := range parts[:min(maxDiscordEmbeds, len(parts))] {
		title := left.take(line(p.Facts.Title), 120)
		if title == "" {
			break
		}
		embed := object{"title": title, "color": discordColors[severityOf(p)]}
		if text := left.takeBlock(p.Facts.Text); text != "" {
			embed["description"] = text
		}
		fields := []object{}
		for _, f := range p.Facts.Fields {
			rest := left
			name, value := rest.take(line(f.Label), 100), rest.take(line(f.Value), 300)
			if name != "" && value != "" && len(fields) < maxDiscordFields {
				fields, left = append(fields, object{"name": name, "value": value, "inline": true}), rest
			}
		}
		embed["fields"] = fields
		if url := link(m.Base, p); url != "" {
			embed["url"] = url
		}
		embeds = append(embeds, embed)
	}
	message := object{"embeds": embeds, "allowed_mentions": object{"parse": []string{}}}
	if more := len(parts) - len(embeds); more > 0 {
		message["content"] = fmt.Sprintf("And %d more.", more)
	}
	return message
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
