package activities_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/activities"
	"countersign/app/apptest"
	"countersign/chat/assistant"
	"countersign/internal/problem"
	"countersign/model"
	"countersign/tool/spend"
	"countersign/workflows"
)

// limited is the part of a request that limits its answer.
type limited struct {
	MaxTokens int `json:"max_tokens"`
}

func (p *process) maxTokens(t *testing.T) (limits []int) {
	t.Helper()
	for _, r := range p.provider.Requests() {
		var sent limited
		require.NoError(t, json.Unmarshal([]byte(r.Raw), &sent))
		limits = append(limits, sent.MaxTokens)
	}
	return limits
}

// capped is a connection with a spend cap and a large window.
func capped(tokens int64) func(*activities.Connection) {
	return func(c *activities.Connection) {
		c.Cap, c.WindowTokens = spend.Cap{Tokens: tokens, Window: time.Hour}, 128_000
	}
}

// thoughts is an answer that ends in its thoughts, after so many tokens.
func thoughts(tokens int) http.HandlerFunc {
	return apptest.EventsUsing(2_000, tokens, `{"reasoning_content":"`+strings.Repeat("hm ", 200)+`"}`, `{}`)
}

// endsInThoughts is thoughts with the finish reason of the limit.
func endsInThoughts(tokens int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte(`data: {"choices":[{"index":0,"delta":{"reasoning_content":"` + strings.Repeat("hm ", 200) + `"}}]}` + "\n\n" +
			`data: {"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}` + "\n\n" +
			`data: {"choices":[],"usage":{"prompt_tokens":2000,"completion_tokens":` + strconv.Itoa(tokens) + `}}` + "\n\ndata: [DONE]\n\n"))
	}
}

// retry makes the next attempt of the first step, with what the one before has taught.
func (p *process) retry(t *testing.T, id uuid.UUID, attempt int, before workflows.CallModelOutput) workflows.CallModelOutput {
	t.Helper()
	require.NotNil(t, before.Retry)
	out, err := p.CallModel(t.Context(), workflows.CallModelInput{TurnID: id, Step: 1, Attempt: attempt, Correction: before.Retry.Correction})
	require.NoError(t, err)
	return out
}

// A spend cap limits an answer to what is reserved for it, and leaves room for the thoughts of a model that thinks, or that
// may.
func TestASpendCapLeavesRoomForThoughts(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.connects(capped(10_000_000))
	reserved := `SELECT reserved::text FROM ai_spend WHERE turn_id = $1 ORDER BY attempt DESC LIMIT 1`

	id := p.begin(t, "Hello")
	p.provider.Answer(thoughts(5_000))
	p.provider.Answer(apptest.EventsUsing(2_000, 50, apptest.Text("Fine.")))
	out := p.call(t, id, 1)
	limits := p.maxTokens(t)
	require.Greater(t, limits[0], 8_000, "it is not known yet whether it thinks")
	sum, err := strconv.Atoi(p.text(t, reserved, id))
	require.NoError(t, err)
	require.Greater(t, sum, limits[0], "what is asked for is reserved, with the request")
	require.Less(t, sum, limits[0]+3_000)
	require.Equal(t, workflows.CallModelOutput{}, p.retry(t, id, 2, out), "an answer without a word is asked for again")

	// One that has used up its limit gets more once.
	id = p.begin(t, "Hello")
	p.provider.Answer(endsInThoughts(12_000))
	out = p.call(t, id, 1)
	p.provider.Answer(endsInThoughts(50_000))
	out = p.retry(t, id, 2, out)
	require.Nil(t, out.Retry)
	require.Equal(t, problem.ModelFailed, out.Failure.Code)
	limits = p.maxTokens(t)
	first, raised := limits[len(limits)-2], limits[len(limits)-1]
	require.Greater(t, raised, 2*first)
	require.Contains(t, out.Failure.Message, strconv.Itoa(raised))
	require.NotContains(t, out.Failure.Message, "spend cap", "it left room for more than the model may have")
	require.Contains(t, out.Failure.Message, "a model that thinks less")
	require.Equal(t, "66000", p.text(t, `SELECT sum(tokens)::text FROM ai_spend WHERE turn_id = $1`, id), "both calls count")

	// Without a cap the provider's limit holds.
	p.connects(func(*activities.Connection) {})
	id = p.begin(t, "Hello")
	p.answers(apptest.Text("Fine."))
	require.Equal(t, workflows.CallModelOutput{}, p.call(t, id, 1))
	limits = p.maxTokens(t)
	require.Zero(t, limits[len(limits)-1])
}

// A cap that has no room for more thoughts is named as the cause, and nothing is asked for twice.
func TestASpendCapThatStarvesAnAnswerIsNamed(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.connects(capped(6_500))
	id := p.begin(t, "Hello")
	p.provider.Answer(endsInThoughts(4_096))
	out := p.call(t, id, 1)
	require.Nil(t, out.Retry, "there is no room for more")
	require.Contains(t, out.Failure.Message, "spend cap")
	require.NotContains(t, out.Failure.Message, "choose another model.")
	require.Len(t, p.provider.Requests(), 1)

	p.connects(capped(20_000))
	id = p.begin(t, "Hello")
	p.provider.Answer(endsInThoughts(12_000))
	out = p.retry(t, id, 2, p.call(t, id, 1))
	require.Equal(t, problem.Spend, out.Failure.Code)
	require.Contains(t, out.Failure.Message, "thought until the end of its reply")
	require.Contains(t, out.Failure.Message, "spend cap of this connection")
	require.Len(t, p.provider.Requests(), 2, "no call with less than was used up")
}

// memory keeps what calls have shown, as the module of connections does.
type memory struct {
	mu    sync.Mutex
	known model.Figures
}

func (m *memory) learn(_ context.Context, _ string, seen model.Figures) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known, _ = m.known.Merge(seen)
	return nil
}

func (m *memory) figures() model.Figures {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known
}

// strictServer is a server with a window of so many tokens, which counts a token for each wide character and for so many
// others. It counts how many requests it has refused.
func strictServer(p *process, window int, wide, others float64) (refused *atomic.Int32) {
	refused = &atomic.Int32{}
	var serve http.HandlerFunc
	serve = func(w http.ResponseWriter, r *http.Request) {
		p.provider.Answer(serve)
		raw, _ := io.ReadAll(r.Body)
		counted := 0.0
		for _, c := range string(raw) {
			if c >= 0x2E80 {
				counted += wide
			} else {
				counted += 1 / others
			}
		}
		if int(counted) > window {
			refused.Add(1)
			apptest.Refuse(400, fmt.Sprintf(`{"error":{"message":"This model's maximum context length is %d tokens. However, your messages `+
				`resulted in %.0f tokens."}}`, window, counted))(w, r)
			return
		}
		apptest.EventsUsing(int(counted), 10, apptest.Text("Noted."))(w, r)
	}
	p.provider.Answer(serve)
	return refused
}

// A server that states the smallest window is believed, and its count corrects the estimates: the first turns teach it and
// later ones are not refused, whatever the language.
func TestAStatedWindowIsUsedWhole(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text         string
		wide, others float64
	}{
		"english": {strings.Repeat("The primary is in Frankfurt, and its backup is at two at night. ", 100), 1, 4},
		"chinese": {strings.Repeat("账单数据库运行在三台服务器上，备份每晚在两点进行，主库在法兰克福。", 60), 1.3, 3.6},
		"dense":   {strings.Repeat("aGVsbG8gd29ybGQhCjE3NjQzNzc2OTUxMjM0NTY", 80), 1, 1.7},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, kept, conversation := newProcess(t), &memory{}, uuid.New()
			p.connects(func(conn *activities.Connection) {
				conn.WindowTokens, conn.Figures, conn.Learn = kept.figures().WindowTokens, kept.figures(), kept.learn
			})
			refused := strictServer(p, assistant.LeastWindow, c.wide, c.others)
			for number := range 6 {
				before := refused.Load()
				id := p.begin(t, c.text+strconv.Itoa(number), inConversation(conversation))
				require.Equal(t, workflows.CallModelOutput{}, p.call(t, id, 1), "turn %d", number)
				p.finish(t, id)
				if number > 1 {
					require.Equal(t, before, refused.Load(), "what was learned holds")
				}
			}
			if refused.Load() > 0 {
				require.Equal(t, assistant.LeastWindow, kept.figures().WindowTokens)
			}
		})
	}
}

// A request that has timed out is repeated once where that may help, and the person reads which setting does.
func TestATimeoutIsRetriedOnce(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	var known model.Figures
	p.connects(func(c *activities.Connection) { c.FirstTokenTimeout, c.Figures = 50*time.Millisecond, known })
	silent := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	fails := func(out workflows.CallModelOutput, requests int) {
		t.Helper()
		require.Nil(t, out.Retry)
		require.Len(t, p.provider.Requests(), requests)
		require.Equal(t, problem.ModelFailed, out.Failure.Code)
		require.Contains(t, out.Failure.Message, "time to first token")
	}

	// The limit that a connection sets is as long the second time.
	id := p.begin(t, "Hello")
	p.provider.Answer(silent)
	fails(p.call(t, id, 1), 1)

	// A model that was seen to read in much less may have hung.
	known = model.Figures{PrefillTokensPerSecond: 1_000_000}
	id = p.begin(t, "Hello")
	p.provider.Answer(silent)
	p.provider.Answer(silent)
	fails(p.retry(t, id, 2, p.call(t, id, 1)), 3)

	// One that reads more slowly than the limit allows cannot begin in it.
	known = model.Figures{PrefillTokensPerSecond: 10}
	id = p.begin(t, "Hello")
	p.provider.Answer(silent)
	fails(p.call(t, id, 1), 4)

	// A timeout of a gateway is repeated once, also when something else fails in between.
	id = p.begin(t, "Hello")
	p.provider.Answer(apptest.Refuse(504, `{"error":{"message":"upstream timed out"}}`))
	p.provider.Answer(apptest.Refuse(503, `{"error":{"message":"busy"}}`))
	p.provider.Answer(apptest.Refuse(504, `{"error":{"message":"upstream timed out"}}`))
	out := p.retry(t, id, 2, p.call(t, id, 1))
	out = p.retry(t, id, 3, out)
	require.Nil(t, out.Retry)
	require.NotNil(t, out.Failure)
}

// What answers show of the model's pace and of its count of tokens is kept with the connection.
func TestWhatAnAnswerShowsIsKept(t *testing.T) {
	t.Parallel()
	p, kept := newProcess(t), &memory{}
	p.connects(func(c *activities.Connection) { c.Learn = kept.learn })
	id := p.begin(t, strings.Repeat("The primary is in Frankfurt. ", 300))
	p.provider.Answer(func(w http.ResponseWriter, r *http.Request) {
		apptest.EventsUsing(2_500, 4_000, `{"reasoning_content":"`+strings.Repeat("hm ", 4_000)+`"}`, apptest.Text("Fine."))(w, r)
	})
	require.Equal(t, workflows.CallModelOutput{}, p.call(t, id, 1))
	shown := kept.figures()
	require.Greater(t, shown.TokensPerEstimate, 0.7)
	require.Less(t, shown.TokensPerEstimate, 1.5)
	require.Greater(t, shown.ReasoningTokens, 2_000)
	require.Positive(t, shown.PrefillTokensPerSecond)
	require.Zero(t, shown.WindowTokens)
}
