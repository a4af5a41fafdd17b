// Package transcript exports a conversation as a Markdown file: messages with authors and times, tool calls with
// durations, proposals with their outcomes. Results of tools are left out, except which documentation pages were read.
package transcript

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/chat/stream"
	"countersign/tool"
	"countersign/tool/proposal"
)

// MaxBytes bounds a file, which then ends with a sentence that says so.
const MaxBytes = 16 << 20

// Head is the head of the file.
type Head struct {
	// Title is "" for a conversation without one.
	Title     string
	Owner     string
	StartedAt time.Time
	// At is when the file is made.
	At time.Time
	// URL is the public URL of the app, without a trailing slash, for links into the app. "" leaves them as they are.
	URL string
}

// Message is one message of a conversation.
type Message struct {
	stream.Message

	At time.Time
	// Model is the answering model; "" for a message of a person.
	Model string
}

// Writer writes the file message by message. The first error is kept.
type Writer struct {
	out   io.Writer
	head  Head
	left  int
	ended bool
	err   error
}

// New writes the head to out.
func New(out io.Writer, head Head) *Writer {
	w := &Writer{out: out, head: head, left: MaxBytes}
	title := head.Title
	if strings.TrimSpace(title) == "" {
		title = "Untitled chat"
	}
	w.lines("# "+inline(title), "",
		"- Chat of "+inline(head.Owner)+" with the assistant",
		"- Started "+clock(head.StartedAt),
		"- Exported "+clock(head.At))
	return w
}

// Message writes one message, with the current outcomes of its proposals by their ids, or the recorded ones. Messages
// beyond MaxBytes are left out.
func (w *Writer) Message(m Message, cards map[uuid.UUID]proposal.Card) error {
	if w.ended || w.err != nil {
		return w.err
	}
	body := w.body(m, cards)
	if len(body) > w.left {
		w.ended = true
		w.lines("", "---", "", "*The export ends here because it is too long. The rest is in the chat.*")
		return w.err
	}
	who := "Assistant"
	if m.Role == "user" {
		who = inline(w.head.Owner)
	} else if m.Model != "" {
		who += " (" + inline(m.Model) + ")"
	}
	w.lines("", "## "+who+" · "+clock(m.At), "")
	w.write(body)
	return w.err
}

// Running notes that an answer was still being written, which is not part of the file.
func (w *Writer) Running() error {
	w.lines("", "---", "", "*An answer was being written when this was exported.*")
	return w.err
}

func (w *Writer) lines(lines ...string) { w.write(strings.Join(lines, "\n") + "\n") }

func (w *Writer) write(text string) {
	if w.err != nil {
		return
	}
	w.left -= len(text)
	_, w.err = io.WriteString(w.out, text)
}

func (w *Writer) body(m Message, cards map[uuid.UUID]proposal.Card) string {
	var blocks []string
	calls := false
	carded, failed := cardedBy(m.Parts), failures(m.Parts)
	for _, p := range m.Parts {
		var block string
		switch {
		case p.Type == "text" && p.Text != nil:
			if strings.TrimSpace(*p.Text) == "" || failed[strings.TrimSpace(*p.Text)] {
				continue
			}
			lines := harmless(*p.Text, w.head.URL)
			if m.Role == "user" {
				lines = quoted(lines)
			}
			block = strings.Join(lines, "\n")
		case p.Type == "dynamic-tool":
			if hasCard(p, carded) {
				continue
			}
			block = "- " + toolLine(p, w.head.URL)
			if calls {
				blocks[len(blocks)-1] += "\n" + block
				continue
			}
		case p.Type == "data-proposal" || p.Type == "data-applied":
			block = cardBlock(p.Data, cards)
		case p.Type == "data-question":
			block = questionBlock(p.Data)
		case p.Type == "data-error":
			block = errorBlock(p.Data)
		case p.Type == "data-notice":
			block = noticeBlock(p.Data)
		}
		if block != "" {
			blocks = append(blocks, block)
			calls = p.Type == "dynamic-tool"
		}
	}
	if len(blocks) == 0 {
		return "*Nothing was said.*\n"
	}
	return strings.Join(blocks, "\n\n") + "\n"
}

// quoted formats the lines of a person as a quotation, which separates them from headings.
func quoted(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.TrimRight("> "+line, " ")
	}
	return out
}

// cardedBy returns the proposals that have a card of their own in a message.
func cardedBy(parts []stream.Part) map[string]bool {
	carded := map[string]bool{}
	for _, p := range parts {
		if p.Type == "data-proposal" || p.Type == "data-applied" {
			var card struct {
				ProposalID string `json:"proposalId"`
			}
			if json.Unmarshal(p.Data, &card) == nil {
				carded[card.ProposalID] = true
			}
		}
	}
	return carded
}

func hasCard(p stream.Part, carded map[string]bool) bool {
	if p.Approval != nil {
		return carded[p.Approval.ID]
	}
	var output struct {
		ProposalID string `json:"proposalId"`
	}
	return json.Unmarshal(p.Output, &output) == nil && output.ProposalID != "" && carded[output.ProposalID]
}

func failures(parts []stream.Part) map[string]bool {
	said := map[string]bool{}
	for _, p := range parts {
		var failure struct {
			Message string `json:"message"`
		}
		if p.Type == "data-error" && json.Unmarshal(p.Data, &failure) == nil {
			said[strings.TrimSpace(failure.Message)] = true
		}
	}
	return said
}

// toolLine is the line about a tool call: its name, duration and outcome.
func toolLine(p stream.Part, base string) string {
	line := "Tool: " + inline(named(p.ToolName)) + took(p.Timing)
	switch p.State {
	case stream.OutputAvailable:
		return line + source(p, base)
	case stream.OutputError:
		return line + ", failed: " + inline(p.ErrorText)
	case stream.OutputDenied:
		return line + ", declined"
	default:
		return line + ", not finished"
	}
}

// took formats the duration of a call as in the app; "" when unknown.
func took(t *stream.Timing) string {
	if t == nil || t.TookMS == nil {
		return ""
	}
	d := time.Duration(*t.TookMS) * time.Millisecond
	switch {
	case d < 50*time.Millisecond:
		return ", under 0.1 s"
	case d < time.Minute:
		return fmt.Sprintf(", %.1f s", d.Seconds())
	default:
		return fmt.Sprintf(", %d min %d s", d/time.Minute, d%time.Minute/time.Second)
	}
}

var page = regexp.MustCompile(`^/docs/[a-z0-9/-]+(#[a-z0-9_-]+)?$`)

// source links the documentation page that a call has read.
func source(p stream.Part, base string) string {
	if p.ToolName != "ai.getDoc" && p.ToolName != "ai_getDoc" {
		return ""
	}
	var read struct {
		Title string `json:"title"`
		Link  string `json:"link"`
	}
	if json.Unmarshal(p.Output, &read) != nil || !page.MatchString(read.Link) {
		return ""
	}
	return ": [" + inline(read.Title) + "](" + base + read.Link + ")"
}

// named is the readable name of a tool: "List systems" for catalog.listSystems.
func named(name string) string {
	_, verb, dotted := strings.Cut(name, ".")
	if !dotted {
		if _, verb, dotted = strings.Cut(name, "_"); !dotted {
			verb = name
		}
	}
	return tool.Humanize(strings.NewReplacer(".", " ", "_", " ").Replace(verb))
}

var outcomes = map[proposal.Status]string{
	proposal.Proposed: "waits for a decision",
	proposal.Applying: "is being applied",
	proposal.Applied:  "applied",
	proposal.Failed:   "failed",
	proposal.Declined: "declined",
	proposal.Expired:  "expired without a decision",
	proposal.Skipped:  "skipped, because an earlier change of the plan failed",
}

func cardBlock(data json.RawMessage, cards map[uuid.UUID]proposal.Card) string {
	var card proposal.Card
	if json.Unmarshal(data, &card) != nil {
		return ""
	}
	if now, known := cards[card.ProposalID]; known {
		card = now
	}
	outcome := outcomes[card.Status]
	if outcome == "" {
		outcome = string(card.Status)
	}
	if card.DecidedBy != nil {
		outcome += " · decided by " + inline(card.DecidedBy.Name)
	}
	if card.DecidedAt != nil {
		outcome += " · " + clock(*card.DecidedAt)
	}
	lines := []string{"**Proposal:** " + inline(card.Summary), "", "- Outcome: " + outcome}
	if card.DecisionReason != "" {
		lines = append(lines, "- Reason: "+inline(card.DecisionReason))
	}
	if card.Error != nil {
		lines = append(lines, "- What went wrong: "+inline(card.Error.Message))
	}
	return strings.Join(lines, "\n")
}

func questionBlock(data json.RawMessage) string {
	var asked struct {
		Question string `json:"question"`
		Options  []struct {
			Label string `json:"label"`
		} `json:"options"`
	}
	if json.Unmarshal(data, &asked) != nil {
		return ""
	}
	lines := []string{"**Question:** " + inline(asked.Question), ""}
	for _, o := range asked.Options {
		lines = append(lines, "- "+inline(o.Label))
	}
	return strings.Join(lines, "\n")
}

func errorBlock(data json.RawMessage) string {
	var failure struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(data, &failure) != nil {
		return ""
	}
	return "**The answer failed:** " + inline(failure.Message)
}

func noticeBlock(data json.RawMessage) string {
	var notice struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(data, &notice) != nil || notice.Message == "" {
		return ""
	}
	return "**Note:** " + inline(notice.Message)
}

func clock(at time.Time) string { return at.UTC().Format("2 January 2006, 15:04 UTC") }

// FileName is a portable file name: letters and digits of the title, or "chat".
func FileName(title string) string {
	var name strings.Builder
	for _, r := range strings.ToLower(title) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			name.WriteRune(r)
		case name.Len() > 0 && !strings.HasSuffix(name.String(), "-"):
			name.WriteByte('-')
		}
		if name.Len() >= 60 {
			break
		}
	}
	return cmp.Or(strings.Trim(name.String(), "-"), "chat") + ".md"
}
