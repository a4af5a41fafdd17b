package conversation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// exchanged makes exchanges of lines such as "question > answer"; one that begins with "app " was not the client's.
func exchanged(lines ...string) []exchange {
	all := make([]exchange, len(lines))
	for i, line := range lines {
		asked, answered, _ := strings.Cut(line, " > ")
		all[i] = exchange{
			hashes: hashes{asked: hash(asked), answered: hash(answered)}, id: fmt.Sprint("m", i),
			canContinue: !strings.HasPrefix(line, "app "),
		}
	}
	return all
}

func sentOf(lines ...string) []hashes {
	all := make([]hashes, len(lines))
	for i, e := range exchanged(lines...) {
		all[i] = e.hashes
	}
	return all
}

func candidateOf(lines ...string) candidate {
	return candidate{conversation: uuid.New(), exchanges: exchanged(lines...), stored: len(lines)}
}

func TestAHistoryFindsItsConversation(t *testing.T) {
	t.Parallel()
	five := candidateOf("one > 1", "two > 2", "three > 3", "four > 4", "five > 5")
	other := candidateOf("one > 1", "zwei > 2b")
	for name, c := range map[string]struct {
		sent  []hashes
		asked string
		all   []candidate
		cut   bool
		named bool

		found *candidate
		next  string
		same  bool
	}{
		"the whole": {
			sent: sentOf("one > 1", "two > 2", "three > 3", "four > 4", "five > 5"),
			all:  []candidate{other, five}, found: &five,
		},
		"a head that was cut": {sent: sentOf("three > 3", "four > 4", "five > 5"), all: []candidate{five}, found: &five},
		"an answer alone":     {sent: sentOf(" > 5"), all: []candidate{five}, found: &five},
		"a run of questions":  {sent: sentOf("four > cut", "five > cut"), all: []candidate{five}, found: &five},
		"one common question": {sent: sentOf("four > something else"), all: []candidate{five}},
		"the first question": {
			sent: sentOf("one > cut"),
			all:  []candidate{candidateOf("one > 1")}, found: nil, next: "any",
		},
		"what came from elsewhere meanwhile": {
			sent: sentOf("four > 4", "five > 5", "six > of another model"),
			all:  []candidate{five}, found: &five,
		},
		"the last one once more": {
			sent:  sentOf("three > 3", "four > 4"),
			asked: "five", all: []candidate{five}, found: &five, next: "m4", same: true,
		},
		"something else in its place": {
			sent:  sentOf("three > 3", "four > 4"),
			asked: "else", all: []candidate{five}, found: &five, next: "m4",
		},
		"weak, with more behind": {sent: sentOf(" > 4"), asked: "else", all: []candidate{five}, found: &five},
		"others in between": {
			sent: sentOf("one > 1", "two > 2", "x > y", "five > 5"),
			all:  []candidate{five}, found: &five,
		},
		"in another order": {
			sent: sentOf("two > 2", "one > 1", "three > 3", "four > 4", "five > 5"),
			all:  []candidate{five}, found: &five,
		},
		"a middle that was cut":    {sent: sentOf("one > 1", "five > 5"), all: []candidate{five}, found: &five},
		"a weak one behind others": {sent: sentOf("one > 1", "two > 2", "x > y", "four > z"), all: []candidate{five}},
		"another normalization form": {
			sent: sentOf("e\u0301te\u0301 > cut"),
			all:  []candidate{candidateOf("\u00e9t\u00e9 > 1")}, next: "any",
		},
		"the person went on":           {sent: sentOf("one > 1"), all: []candidate{candidateOf("one > 1", "app more > x")}},
		"another way, and more behind": {sent: sentOf("three > 3", "x > y"), all: []candidate{five}},
		"either of two": {
			sent: sentOf(" > 2"),
			all:  []candidate{candidateOf("a > 1", "b > 2"), candidateOf("c > 1", "d > 2")},
		},
		"nothing": {sent: sentOf("x > y"), all: []candidate{five, other}},
	} {
		var asked []byte
		if c.asked != "" {
			asked = hash(c.asked)
		}
		m, ok := match(c.sent, c.all, c.cut, asked, c.named)
		if c.next == "any" {
			require.True(t, ok, name)
			continue
		}
		require.Equal(t, c.found != nil, ok, name)
		if ok {
			require.Equal(t, c.found.conversation, m.conversation, name)
			require.Equal(t, c.next, m.next, name)
			require.Equal(t, c.same, m.same, name)
		}
	}
	app := candidateOf("one > 1", "app more > x")
	m, ok := match(sentOf("one > 1"), []candidate{app}, false, hash("two"), true)
	require.True(t, ok, "a name finds it all the same")
	require.Empty(t, m.next, "and what the person has written is not replaced")
}

// A question that is asked several times is known as often as the conversation holds it, or with the same answer.
func TestWhatAConversationHoldsOfAHistory(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sent, held []string
		known      []bool
	}{
		"another answer in between": {[]string{"go > 1", "yes > other", "yes > 2"}, []string{"go > 1", "yes > 2"}, []bool{true, false, true}},
		"an answer that was cut":    {[]string{"go > cut", "yes > 2"}, []string{"go > 1", "yes > 2"}, []bool{true, true}},
		"a question sent twice":     {[]string{"go", "go > 1"}, []string{"go > 1"}, []bool{true, true}},
		"an answer alone":           {[]string{" > 1", "x > y"}, []string{"go > 1"}, []bool{true, false}},
		"twice, answered otherwise": {[]string{"yes > a", "yes > b", "yes > c"}, []string{"yes > 1", "yes > 2"}, []bool{true, true, false}},
	} {
		h := candidateOf(c.held...)
		require.Equal(t, c.known, h.knows(sentOf(c.sent...)), name)
	}
}

func TestWhatIsToldIsBounded(t *testing.T) {
	t.Parallel()
	var sent []Exchange
	for i := range 3 * maxExchanges {
		sent = append(sent, Exchange{Asked: fmt.Sprint("question ", i), Answered: strings.Repeat("x", 3*maxClientMessage)})
	}
	newest, older := newestOf(sent)
	require.Len(t, newest, maxExchanges)
	told := unknownHistory([]string{"Obey"}, newest, hashesOf(newest), nil, older)
	require.Less(t, len(told.Messages), 12)
	require.Equal(t, 3*2*maxExchanges+1, len(told.Messages)+told.LeftOut)
	require.Contains(t, told.Messages[len(told.Messages)-2].Text, fmt.Sprint("question ", 3*maxExchanges-1), "the newest are kept")
	size := 0
	for _, m := range told.Messages {
		size += len(m.Text)
	}
	require.Less(t, size, maxClientHistory+20*len(clientMessageCut))
}
