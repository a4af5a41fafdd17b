package app_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// oneSlot is a model server that computes one request at a time and has the last one in its cache. It does not say so.
type oneSlot struct {
	// pace is in tokens a second.
	pace float64

	mu   sync.Mutex
	last string
	// kinds are the requests in their order, read how many tokens of each were not in the cache.
	kinds []string
	read  []int
}

// homePace is the pace of a graphics card for at home, in tokens a second. A test has ten times that, so that its first request
// takes more than two seconds.
const (
	homePace = 400
	testPace = 5_000
)

func (o *oneSlot) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var request longRequest
	if err != nil || r.URL.Path != "/v1/chat/completions" || json.Unmarshal(body, &request) != nil {
		http.NotFound(w, r)
		return
	}
	prompt := encoded(request.Tools)
	for _, s := range request.Messages {
		prompt += s.Role + s.Content + encoded(s.ToolCalls)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	cached := 0
	for cached < min(len(prompt), len(o.last)) && prompt[cached] == o.last[cached] {
		cached++
	}
	o.last = prompt
	const characters = 3.8
	read := int(float64(len(prompt)-cached) / characters)
	select {
	case <-time.After(time.Duration(float64(read) / o.pace * float64(time.Second))):
	case <-r.Context().Done():
	}
	kind := request.kind()
	o.kinds, o.read = append(o.kinds, kind), append(o.read, read)
	answer := longAnswer{tokens: int(float64(len(prompt)) / characters), text: "All of them are healthy, as far as I can see."}
	switch kind {
	case apptest.Classifier:
		answer.text = "ON_TOPIC"
	case apptest.Title:
		answer.text = "State of four systems"
	}
	answer.write(w, request.Stream)
}

// chat asks the server in four turns, and returns how many tokens it read for each, and the time to the first words.
func (o *oneSlot) chat(t *testing.T, p *apptest.Product, unchecked bool) (read []int, first []time.Duration) {
	t.Helper()
	server := httptest.NewServer(o)
	t.Cleanup(server.Close)
	var made struct{ ID uuid.UUID }
	p.Admin.Post(t, "/api/ai/connections", map[string]any{
		"name":                     uuid.NewString(),
		"baseUrl":                  server.URL + "/v1",
		"apiKey":                   "k-0123456789",
		"defaultModel":             "m",
		"disableTopicalClassifier": unchecked,
	}, &made)
	chat := p.Admin.Conversation(t, apptest.Settings{"connectionId": made.ID})
	for turn := range 4 {
		o.mu.Lock()
		before := len(o.read)
		o.mu.Unlock()
		begun := time.Now()
		answer := chat.Send(
			t,
			apptest.Message{Text: "Please tell me about the state of system number " + strings.Repeat("I", turn+1) + " in a few words"},
		)
		answer.UntilType(t, "text-delta")
		first = append(first, time.Since(begun))
		require.Equal(t, "All of them are healthy, as far as I can see.", answer.Rest(t).Text())
		o.mu.Lock()
		total := 0
		for _, n := range o.read[before:] {
			total += n
		}
		o.mu.Unlock()
		read = append(read, total)
	}
	return read, first
}

// A server reads as much for each further turn with the topic check as without, although it does not tell that it has one slot. The
// first message is checked.
//
// COUNTERSIGN_CONVERSATIONS=all takes the pace of a graphics card for at home, at which the time to the first words is that of
// reading, and compares it too.
func TestATopicCheckKeepsTheOnlyCache(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	isBench, pace := os.Getenv("COUNTERSIGN_CONVERSATIONS") != "", float64(testPace)
	if isBench {
		pace = homePace
	}
	checked, unchecked := &oneSlot{pace: pace}, &oneSlot{pace: pace}
	with, firstWith := checked.chat(t, p, false)
	without, firstWithout := unchecked.chat(t, p, true)
	for turn := 1; turn < len(with); turn++ {
		t.Logf(
			"| turn %d | %d tokens read, first words after %v | without check %d, %v | %.2f |",
			turn+1,
			with[turn],
			firstWith[turn],
			without[turn],
			firstWithout[turn],
			firstWith[turn].Seconds()/firstWithout[turn].Seconds(),
		)
		require.LessOrEqual(t, with[turn], without[turn]*13/10)
		require.Less(t, without[turn], with[0]/10, "the rest is in the cache")
	}
	if isBench {
		// The middle of the three, as what else the machine does would decide about the worst.
		ratio := median(firstWith[1:]).Seconds() / median(firstWithout[1:]).Seconds()
		t.Logf("| turns 2 to 4, median | with the check %.2f times the time without |", ratio)
		require.LessOrEqual(t, ratio, 1.3)
	}
	require.Equal(t, []string{apptest.Classifier, apptest.Title, "answer", "answer", "answer", "answer"}, checked.kinds)
	require.Equal(t, []string{apptest.Title, "answer", "answer", "answer", "answer"}, unchecked.kinds)
}

func median(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)/2]
}
