package app_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/chat/assistant"
	"countersign/chat/turn"
)

// fact is something that a person says once and asks for later.
type fact struct {
	turn        int
	name, value string
}

var facts = []fact{
	{2, "change window", "Tuesday 22:15"},
	{5, "owner of the billing database", "Mira Falk"},
	{8, "ticket of the migration", "OPS-7731"},
	{11, "port of the replica", "port 6543"},
}

// longVariant is one kind of person and of model.
type longVariant struct {
	name                        string
	thinks, chinese, streamOnly bool
	// failing says that summaries fail in some turns, undeclared that the connection does not state the window.
	failing, undeclared bool
}

var longVariants = []longVariant{
	{name: "base"},
	{name: "thinking", thinks: true},
	{name: "failing summaries", failing: true},
	{name: "Chinese", chinese: true},
	{name: "streaming only", streamOnly: true},
	{name: "undeclared window", undeclared: true},
}

// Summaries fail from one turn to another, where they do.
const firstFailing, lastFailing = 6, 20

// long is a conversation of so many turns.
type long struct {
	variant       longVariant
	window, turns int

	model *longModel
	chat  *apptest.Conversation
	// announced counts the notices that the person has read.
	announced map[turn.NoticeKind]int
	// failed are the turns without an answer, unknown the told facts that an answer was written without.
	failed, unknown []string
	// silent are those of unknown whose loss the person has not read of in the same turn.
	silent      []string
	lastUnknown int
}

// In a conversation that is many times as long as the window, what the person has said reaches the model in all later
// turns, as it was said or in a summary, or else the person reads that it does not. Every turn is answered.
//
// COUNTERSIGN_CONVERSATIONS=all plays 60 turns for each window and variant, as `make bench ONLY=conversations` does.
func TestLongConversationsLoseNothingSilently(t *testing.T) {
	t.Parallel()
	windows, turns := []int{assistant.LeastWindow}, 30
	if os.Getenv("COUNTERSIGN_CONVERSATIONS") != "" {
		windows, turns = []int{assistant.LeastWindow, 8_192, 32_768}, 60
	}
	p := apptest.Start(t, apptest.Options{})
	for _, window := range windows {
		for _, v := range longVariants {
			c := &long{variant: v, window: window, turns: turns, announced: map[turn.NoticeKind]int{}}
			c.play(t, p)
			t.Log(c.summary())
			require.Empty(t, c.failed, "%s, %d", v.name, window)
			require.Empty(t, c.silent, "%s, %d", v.name, window)
			if v.failing {
				require.Less(t, c.lastUnknown, lastFailing+3, "%d: summaries catch up", window)
				continue
			}
			require.Empty(t, c.unknown, "%s, %d", v.name, window)
			require.Empty(t, c.announced, "%s, %d: nothing was lost, nor said to be", v.name, window)
		}
	}
}

// summary is a row of a table: turns answered, facts that an answer was written without, and without a notice, notices, requests
// by kind, those refused as too long, and the largest request.
func (c *long) summary() string {
	asked, refused, largest := c.model.counts()
	return fmt.Sprintf(
		"| %d | %s | %d of %d | %d | %d | %v | %d answers, %d summaries | %v | %d |",
		c.window,
		c.variant.name,
		c.turns-len(c.failed),
		c.turns,
		len(c.unknown),
		len(c.silent),
		c.announced,
		asked["answer"],
		asked[apptest.Summary],
		refused,
		largest,
	)
}

func (c *long) play(t *testing.T, p *apptest.Product) {
	t.Helper()
	c.model = newLongModel(t, c.window)
	c.model.thinks, c.model.streamOnly = c.variant.thinks, c.variant.streamOnly
	connection := map[string]any{"name": uuid.NewString(), "baseUrl": c.model.url, "apiKey": "k-0123456789", "defaultModel": "m"}
	if !c.variant.undeclared {
		connection["contextWindowTokens"] = c.window
	}
	var made struct{ ID uuid.UUID }
	p.Admin.Post(t, "/api/ai/connections", connection, &made)
	c.chat = p.Admin.Conversation(t, apptest.Settings{"connectionId": made.ID})
	for n := 1; n <= c.turns; n++ {
		c.model.begin(n, c.variant.failing && n >= firstFailing && n <= lastFailing)
		question := c.question(n)
		said := c.chat.Say(t, question)
		if said.Metadata.Status != "done" {
			c.failed = append(c.failed, fmt.Sprintf("turn %d: %s: %s", n, said.Metadata.Status, said.Text()))
		}
		c.check(t, n, said)
	}
}

// question is what the person says in a turn.
func (c *long) question(n int) string {
	filler := strings.Repeat("The billing database runs on three hosts, its backup is at two at night, and the primary is in Frankfurt. ", 8)
	step := fmt.Sprintf("About step %d of the migration: ", n)
	if c.variant.chinese {
		filler = strings.Repeat("我们的账单数据库运行在三台服务器上，备份每晚在两点进行，主库在法兰克福。", 14)
		step = fmt.Sprintf("关于迁移的第%d步，", n)
	}
	for _, f := range facts {
		if f.turn == n {
			return fmt.Sprintf("Please remember: the %s is %s. %s", f.name, f.value, filler)
		}
	}
	switch {
	case n%10 == 0:
		return "What is the " + facts[(n/10-1)%len(facts)].name + "?"
	case n%3 == 0:
		return fmt.Sprintf("List the documentation, read one page of it and search it for round %d", n)
	default:
		return step + filler
	}
}

// check looks for the told facts in all that the model was sent for the answers of a turn.
func (c *long) check(t *testing.T, n int, said *apptest.Turn) {
	t.Helper()
	leftOut := 0
	for _, part := range said.Message.Parts {
		var notice turn.Notice
		if part.Type != "data-notice" {
			continue
		}
		require.NoError(t, json.Unmarshal(part.Data, &notice))
		c.announced[notice.Kind]++
		if notice.Kind == turn.MessagesLeftOut {
			leftOut = oldestIn(t, notice.Message)
		}
	}
	// The notice of this turn counts from the oldest message that is in no summary.
	announced := c.model.summarizedMessages() + leftOut
	for _, f := range facts {
		lost := f.turn < n && slices.ContainsFunc(c.model.seen(), func(read string) bool { return !strings.Contains(read, f.value) })
		if !lost {
			continue
		}
		c.lastUnknown = n
		c.unknown = append(c.unknown, fmt.Sprintf("turn %d: %s", n, f.name))
		if leftOut == 0 || f.turn > announced {
			c.silent = append(c.silent, fmt.Sprintf("turn %d: %s", n, f.name))
		}
	}
}

var oldestMessages = regexp.MustCompile(`the oldest (?:([0-9]+) messages|message) of this chat`)

// oldestIn is how many of the oldest messages a notice says that the model did not read.
func oldestIn(t *testing.T, notice string) int {
	t.Helper()
	found := oldestMessages.FindStringSubmatch(notice)
	require.NotNil(t, found, notice)
	if found[1] == "" {
		return 1
	}
	messages, err := strconv.Atoi(found[1])
	require.NoError(t, err)
	return messages
}
