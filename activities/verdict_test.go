package activities_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/activities"
	"countersign/app/apptest"
	"countersign/chat/assistant"
	"countersign/model"
	"countersign/workflows"
)

const poem = "Write a poem about the sea"

// court is a topic check that the test decides.
type court struct {
	asked   chan struct{}
	verdict chan string
}

func (p *process) court() *court {
	c := &court{asked: make(chan struct{}, 8), verdict: make(chan string, 8)}
	p.provider.Tell(apptest.Classifier, func(w http.ResponseWriter, r *http.Request) {
		c.asked <- struct{}{}
		select {
		case said := <-c.verdict:
			apptest.Whole(`{"content":"`+said+`"}`, "stop", 50, 2)(w, r)
		case <-r.Context().Done():
		}
	})
	return c
}

// told lets the provider answer and reports when all of the answer has been sent.
func (p *process) told(deltas ...string) <-chan struct{} {
	sent := make(chan struct{})
	p.provider.Answer(func(w http.ResponseWriter, r *http.Request) {
		apptest.Events("stop", deltas...)(w, r)
		_ = http.NewResponseController(w).Flush()
		close(sent)
	})
	return sent
}

// calling makes the first model call beside the test.
func (p *process) calling(ctx context.Context, id uuid.UUID) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := p.CallModel(ctx, workflows.CallModelInput{TurnID: id, Step: 1, Attempt: 1})
		done <- err
	}()
	return done
}

// holds is how many rows of any table hold a text.
func (p *process) holds(t *testing.T, text string) string {
	t.Helper()
	return p.text(
		t,
		`SELECT sum((xpath('/row/n/text()', query_to_xml(format('SELECT count(*) AS n FROM %I x WHERE x::text LIKE %L', c.relname, '%' || $1 || '%'), false, true, '')))[1]::text::int)::text
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r' AND n.nspname = current_schema()`,
		text,
	)
}

func (p *process) finish(t *testing.T, id uuid.UUID) {
	t.Helper()
	_, err := p.FinishTurn(t.Context(), workflows.FinishTurnInput{TurnID: id, Status: "done"})
	require.NoError(t, err)
}

// The answer is asked for at once, and nobody sees of it before the message is known to be one for the assistant.
func TestAnAnswerWaitsForItsVerdict(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.connects(func(c *activities.Connection) { c.NoClassifier, c.SmallCallTimeout = false, time.Minute })
	court := p.court()
	id := p.begin(t, poem)
	sent := p.told(apptest.Text("The sea "), apptest.Text("is wide."))
	called := p.calling(t.Context(), id)
	<-court.asked
	<-sent
	require.Equal(t, "0", p.holds(t, "The sea "))
	require.Equal(t, "0", p.text(t, `SELECT count(*)::text FROM turn_events`))
	require.Equal(t, "0", p.text(t, `SELECT count(*)::text FROM turn_steps`))
	court.verdict <- "ON_TOPIC"
	require.NoError(t, <-called)
	p.finish(t, id)
	require.Equal(t, []string{poem, "The sea is wide."}, p.messages(t, id))
}

// A check would displace the conversation in the only cache of a server, and the answer would wait until it is read again.
func TestAServerThatMayHaveOneSlotIsAskedForNoVerdict(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		own      bool
		figures  model.Figures
		verdicts int
	}{
		{"a hosted model", false, model.Figures{}, 1},
		{"a hosted model that thinks before its first words", false, model.Figures{PrefillTokensPerSecond: 1}, 1},
		{"a server that says one", false, model.Figures{Slots: 1}, 0},
		{"a server that says two", true, model.Figures{Slots: 2, PrefillTokensPerSecond: 1}, 1},
		{"a server that has not answered yet", true, model.Figures{}, 1},
		{"a slow server", true, model.Figures{PrefillTokensPerSecond: 1}, 0},
		{"a fast server", true, model.Figures{PrefillTokensPerSecond: 1_000_000}, 1},
	} {
		p := newProcess(t)
		p.connects(func(to *activities.Connection) {
			to.NoClassifier, to.SmallCallTimeout, to.Figures, to.IsOwnServer = false, time.Minute, c.figures, c.own
		})
		court := p.court()
		court.verdict <- "ON_TOPIC"
		id := p.begin(t, poem)
		p.told(apptest.Text("The sea is wide."))
		require.NoError(t, <-p.calling(t.Context(), id))
		p.finish(t, id)
		require.Equal(t, []string{poem, "The sea is wide."}, p.messages(t, id))
		require.Len(t, court.asked, c.verdicts, c.name)
	}
}

// A message about something else is answered by the product. What the model has said meanwhile is nowhere: not in the stream, not
// in the log, not in the database. What it has used counts.
func TestAnOffTopicMessageIsTurnedAway(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.connects(func(c *activities.Connection) { c.NoClassifier, c.SmallCallTimeout = false, time.Minute })
	var log safeBuffer
	p.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	court := p.court()
	id := p.begin(t, poem)
	cancelled := make(chan struct{})
	sent := make(chan struct{})
	p.provider.Answer(func(w http.ResponseWriter, r *http.Request) {
		apptest.Broken(apptest.Text("Waves of Zanzibar"), callsOf("shelf_getBox", "Zanzibar")[0])(w, r)
		_ = http.NewResponseController(w).Flush()
		close(sent)
		<-r.Context().Done()
		close(cancelled)
	})
	called := p.calling(t.Context(), id)
	<-court.asked
	<-sent
	court.verdict <- "OFF_TOPIC"
	require.NoError(t, <-called)
	<-cancelled
	require.Equal(t, workflows.CallModelOutput{}, p.call(t, id, 1), "the first step has its answer")
	p.finish(t, id)
	require.Equal(t, []string{poem, assistant.OffTopicAnswer}, p.messages(t, id))
	require.Equal(t, "0", p.holds(t, "Zanzibar"))
	require.NotEqual(t, "0", p.holds(t, "I help with operating your systems"))
	require.NotContains(t, log.String(), "Zanzibar")
	require.Zero(t, p.shelf.looks.Load())
	require.Equal(
		t,
		[]string{"answer settled", "classifier settled"},
		p.texts(t, `SELECT purpose || ' ' || status FROM ai_spend WHERE turn_id = $1 AND tokens > 0 ORDER BY purpose`, id),
	)
}

// Whatever is wrong with the check, the person gets the answer, after the time that the connection gives it at the latest.
func TestAVerdictThatNeverComesHoldsNothingBack(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.connects(func(c *activities.Connection) { c.NoClassifier, c.SmallCallTimeout = false, 20*time.Millisecond })
	p.court()
	id := p.begin(t, poem)
	p.answers(apptest.Text("The sea."))
	p.call(t, id, 1)
	p.finish(t, id)
	require.Equal(t, []string{poem, "The sea."}, p.messages(t, id))
}

// A process that dies while it waits leaves nothing of the answer, and the next one asks again.
func TestAVerdictOutlivesItsProcess(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.connects(func(c *activities.Connection) { c.NoClassifier, c.SmallCallTimeout = false, time.Minute })
	court := p.court()
	id := p.begin(t, poem)
	sent := p.told(apptest.Text("Waves of Zanzibar"))
	ctx, die := context.WithCancel(t.Context())
	called := p.calling(ctx, id)
	<-court.asked
	<-sent
	die()
	require.Error(t, <-called)
	require.Equal(t, "0", p.holds(t, "Zanzibar"))

	other := p.beside(t)
	other.connects(classifying)
	court.verdict <- "OFF_TOPIC"
	p.answers(apptest.Text("Waves of Zanzibar"))
	other.call(t, id, 1)
	other.finish(t, id)
	require.Equal(t, []string{poem, assistant.OffTopicAnswer}, p.messages(t, id))
	require.Equal(t, "0", p.holds(t, "Zanzibar"))
}

// A record that is not written makes the step run again. What the check has said before holds for that too.
func TestAVerdictHoldsForARepeatedStep(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.connects(classifying)
	p.provider.Say(apptest.Classifier, "OFF_TOPIC")
	id := p.begin(t, poem)
	p.answers(apptest.Text("Waves of Zanzibar"))
	p.exec(t, `ALTER TABLE turn_steps ADD CONSTRAINT broken CHECK (false) NOT VALID`)
	_, err := p.CallModel(t.Context(), workflows.CallModelInput{TurnID: id, Step: 1, Attempt: 1})
	require.Error(t, err)

	p.exec(t, `ALTER TABLE turn_steps DROP CONSTRAINT broken`)
	p.answers(apptest.Text("Waves of Zanzibar"))
	p.call(t, id, 1)
	p.finish(t, id)
	require.Equal(t, []string{poem, assistant.OffTopicAnswer}, p.messages(t, id))
	require.Equal(t, "0", p.holds(t, "Zanzibar"))
	require.Len(t, p.provider.Asides(), 1)
}

// A person who stops while the check runs sees nothing of an answer that nobody has allowed.
func TestStoppingWhileTheVerdictIsOutShowsNothing(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.connects(func(c *activities.Connection) { c.NoClassifier, c.SmallCallTimeout = false, time.Minute })
	court := p.court()
	id := p.begin(t, poem)
	sent := p.told(apptest.Text("Waves of Zanzibar"))
	called := p.calling(t.Context(), id)
	<-court.asked
	<-sent
	s, err := p.Sessions.Open(t.Context(), id)
	require.NoError(t, err)
	s.Stop()
	require.NoError(t, <-called)
	require.True(t, p.call(t, id, 1).Stopped)
	require.Equal(t, "0", p.holds(t, "Zanzibar"))
}

// A refusal by the provider is told as one, whatever the verdict would have been, and the check is not made again for it.
func TestACallThatFailsIsJudgedOnce(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.connects(classifying)
	id := p.begin(t, poem)
	p.provider.Answer(apptest.Refuse(503, `{"error":{"message":"later"}}`))
	require.NotNil(t, p.call(t, id, 1).Retry)
	p.answers(apptest.Text("The sea."))
	_, err := p.CallModel(t.Context(), workflows.CallModelInput{TurnID: id, Step: 1, Attempt: 2})
	require.NoError(t, err)
	p.finish(t, id)
	require.Equal(t, "The sea.", p.messages(t, id)[1])
	require.Len(t, p.provider.Asides(), 1)
}

// A model that thinks spends hundreds of tokens before a word. It gets them, also when it shows only in its first answer that it is
// one; another one is not given more than it needs.
func TestSmallCallsSurviveModelsThatThink(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first, second string
		finish        string
		limits        []string
	}{
		"in a field":             {`{"content":"OFF_TOPIC","reasoning_content":"Hm. A poem."}`, ``, "stop", []string{"2056", "2056"}},
		"in the answer":          {`{"content":"<think>Hm. ON_TOPIC?</think>\n\nOFF_TOPIC"}`, ``, "stop", []string{"2056", "2056"}},
		"opened by its template": {`{"content":"Hm. ON_TOPIC?\n</think>\n\nOFF_TOPIC"}`, ``, "stop", []string{"2056", "2056"}},
		"without saying so":      {`{"content":"OFF_TOPIC"}`, ``, "hidden", []string{"2056", "2056"}},
		"not at all":             {`{"content":"OFF_TOPIC"}`, ``, "stop", []string{"2056", "8"}},
		"only later":             {`{"content":"OFF_TOPIC"}`, `{"content":""}`, "stop", []string{"2056", "8", "4104"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProcess(t)
			p.shares()
			p.connects(classifying)
			answers := []string{c.first, c.first, c.first}
			if c.second != "" {
				answers[1] = c.second
			}
			var calls int
			p.provider.Tell(apptest.Classifier, func(w http.ResponseWriter, r *http.Request) {
				said := answers[calls]
				calls++
				switch {
				case said == c.second:
					apptest.Whole(said, "length", 50, 8)(w, r)
				case c.finish == "hidden":
					apptest.Whole(said, "stop", 50, 400)(w, r)
				default:
					apptest.Whole(said, "stop", 50, 4)(w, r)
				}
			})
			for range 2 {
				id := p.begin(t, poem)
				p.provider.Answer(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
				p.call(t, id, 1)
				p.finish(t, id)
				require.Equal(t, assistant.OffTopicAnswer, p.messages(t, id)[1])
			}
			var limits []string
			for _, r := range p.provider.Asides() {
				_, limit, _ := strings.Cut(r.Raw, `"max_tokens":`)
				limit, _, _ = strings.Cut(limit, ",")
				limits = append(limits, limit)
			}
			require.Equal(t, c.limits, limits)
		})
	}
}

// safeBuffer is a log that several goroutines write.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
