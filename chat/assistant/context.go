package assistant

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/model"
)

// Context is the text that accompanies one message and can differ with the next. It stays behind its message in later
// turns, so that requests of a conversation share a prefix for the prompt cache.
type Context struct {
	// Zone is the person's time zone; UTC when nil.
	Zone *time.Location
	Now  time.Time
	// Idle is the time since the conversation's last message; zero for a new one.
	Idle time.Duration
	// Memories are the person's own memories for every conversation.
	Memories []string
	// Before is the conversation for the model: memories in it are not repeated.
	Before []model.Message
	// AppliedChanges are applied changes whose messages are replaced.
	AppliedChanges []Decided
	// ClientHistory is the client's own history, ClientHistoryChars its limit in characters.
	ClientHistory      ClientHistory
	ClientHistoryChars int
}

const (
	// staleAfter is the idle time after which earlier tool results may be out of date.
	staleAfter  = 10 * time.Minute
	contextMark = "<context>\n"
	notesMark   = "\nNotes of the person that "
	noMemories  = "The person has taken back their notes: those from earlier do not hold any more."
	withdrawn   = "Notes of the person stood here, which they have changed or taken back since."
)

// String is the context in the form for the model.
func (c Context) String() string {
	zone := c.Zone
	if zone == nil {
		zone = time.UTC
	}
	now := c.Now.In(zone)
	lines := []string{fmt.Sprintf("It is %s (%s, %s), in RFC 3339 %s.",
		now.Format("Monday, 2 January 2006, 15:04"), zone.String(), now.Format("-07:00"), now.Format(time.RFC3339))}
	if c.Idle > staleAfter {
		lines = append(
			lines,
			fmt.Sprintf(
				"The conversation rested for %s before this message. Call the reading tools again for whatever you rely on "+
					"before you answer or propose.",
				c.Idle.Round(time.Minute),
			),
		)
	}
	if len(c.AppliedChanges) > 0 {
		lines = append(lines, appliedChangesNote(c.AppliedChanges))
	}
	if history := c.ClientHistory.note(c.ClientHistoryChars); history != "" {
		lines = append(lines, history)
	}
	if notes := memories(c.Memories); notes != lastMemories(c.Before) {
		lines = append(lines, notes)
	}
	return contextMark + strings.Join(lines, "\n") + "\n</context>"
}

func memories(lines []string) string {
	if len(lines) == 0 {
		return noMemories
	}
	return "Notes of the person that hold from here on, in place of earlier ones:\n" + Fence("memories", "- "+strings.Join(lines, "\n- "))
}

// lastMemories returns the last memories text in a conversation.
func lastMemories(messages []model.Message) string {
	for _, m := range slices.Backward(messages) {
		if m.Role != model.RoleUser {
			continue
		}
		_, context := SplitContext(m.Content)
		if at := strings.LastIndex(context, notesMark); at >= 0 {
			return strings.TrimSuffix(context[at+1:], "\n</context>")
		}
		if strings.Contains(context, noMemories) || strings.Contains(context, withdrawn) {
			break
		}
	}
	return noMemories
}

// Withdraw removes outdated memories from the contexts of a conversation, so that a deleted memory is not sent again.
// It invalidates the provider's cache behind them.
func Withdraw(messages []model.Message, hold []string) {
	holds := make(map[string]bool, len(hold))
	for _, memory := range hold {
		holds[Fence("memories", "- "+memory)] = true
	}
	for i := range messages {
		if messages[i].Role != model.RoleUser {
			continue
		}
		message, context := SplitContext(messages[i].Content)
		at := strings.LastIndex(context, notesMark)
		if at < 0 {
			continue
		}
		_, fenced, _ := strings.Cut(context[at:], "<memories>\n- ")
		fenced, _, _ = strings.Cut(fenced, "\n</memories>")
		for memory := range strings.SplitSeq(fenced, "\n- ") {
			if !holds["<memories>\n- "+memory+"\n</memories>"] {
				messages[i].Content = WithContext(message, context[:at+1]+withdrawn+"\n</context>")
				break
			}
		}
	}
}

// WithContext appends the context to a message.
func WithContext(message, context string) string {
	if message == "" || context == "" {
		return message + context
	}
	return message + "\n\n" + context
}

// SplitContext undoes WithContext.
func SplitContext(content string) (message, context string) {
	at := strings.LastIndex(content, contextMark)
	if at < 0 || !strings.HasSuffix(content, "</context>") {
		return content, ""
	}
	return strings.TrimSuffix(content[:at], "\n\n"), content[at:]
}

// Conclude asks for the answer in the last step, which has no tools. It changes only the last message.
func Conclude(messages []model.Message) {
	last := &messages[len(messages)-1]
	last.Content += "\n\n" + finalPrompt
}
