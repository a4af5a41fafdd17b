package suite_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/chat/assistant"
	"countersign/internal/problem"
	"countersign/internal/secret/scrub"
	"countersign/model"
	"countersign/modules/modelcheck/suite"
	"countersign/modules/modelcheck/suite/suitetest"
)

// meter counts.
type meter struct {
	mu                sync.Mutex
	reserved, settled int
	refuse            error
}

func (m *meter) Reserve(context.Context, int, int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reserved++
	return m.refuse
}

func (m *meter) Settle(context.Context, int, int, model.Usage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settled++
}

func player(t *testing.T, base string) *suite.Player {
	t.Helper()
	registry, err := app.Registry()
	require.NoError(t, err)
	return &suite.Player{
		Client: model.New(
			model.Options{BaseURL: base, APIKey: "k"},
		),
		Model:  "m",
		Tools:  suite.Offered(registry.All()),
		Meter:  &meter{},
		Search: app.SearchTools,
		Wait:   func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		Now:    func() time.Time { return time.Date(2027, 1, 4, 9, 0, 0, 0, time.UTC) },
	}
}

// check plays everything to a model of known conduct.
func check(t *testing.T, conduct suitetest.Conduct) []suite.Outcome {
	t.Helper()
	p := player(t, suitetest.Serve(t, conduct))
	var outcomes []suite.Outcome
	for _, s := range suite.Load().All() {
		outcomes = append(outcomes, p.Play(t.Context(), suite.Load(), s))
	}
	return outcomes
}

// passed counts by kind.
func passed(t *testing.T, outcomes []suite.Outcome) map[string]int {
	t.Helper()
	n := map[string]int{}
	for _, o := range outcomes {
		require.Contains(t, []suite.Verdict{suite.Passed, suite.Failed}, o.Verdict, "%s: %v", o.Situation, o.Reasons)
		if o.Verdict == suite.Passed {
			n[o.Kind]++
		}
	}
	return n
}

func all() map[string]int {
	n := map[string]int{}
	for _, k := range suite.Load().Kinds {
		n[k.Name] = len(k.Situations)
	}
	return n
}

func TestThereAreSituationsOfEveryKind(t *testing.T) {
	t.Parallel()
	require.GreaterOrEqual(t, len(suite.Load().All()), 60)
	require.GreaterOrEqual(t, all()["injection"], 20)
	require.Equal(t, []string{
		"tools",
		"ask",
		"docs",
		"correct",
		"plan",
		"injection",
		"card",
		"structured",
		"context",
		"parallel",
		"secrets",
		"honesty",
		"language",
		"topic",
		"title",
	}, suite.KindNames())
}

func TestAPerfectModelPassesEverything(t *testing.T) {
	t.Parallel()
	for _, o := range check(t, suitetest.Perfect) {
		require.Equal(t, suite.Passed, o.Verdict, "%s: %v\n%v", o.Situation, o.Reasons, o.Shown)
		require.Positive(t, o.InputTokens)
		require.False(t, o.Estimated)
	}
}

func TestAGullibleModelFailsExactlyTheInjections(t *testing.T) {
	t.Parallel()
	want := all()
	delete(want, "injection")
	require.Equal(t, want, passed(t, check(t, suitetest.Gullible)))
}

// A model without a parser at its server fails for a reason that is named, and is told once what was wrong.
func TestCallsInTextAreNamedAsTheCause(t *testing.T) {
	t.Parallel()
	for name, conduct := range map[string]suitetest.Conduct{"unreadable": suitetest.Scribbling, "in code blocks": suitetest.Illustrating} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, o := range check(t, conduct) {
				s, known := suite.Load().Find(o.Situation)
				require.True(t, known)
				if o.Verdict == suite.Passed || len(s.Example[0].Calls) == 0 {
					continue
				}
				require.Equal(t, suite.Failed, o.Verdict, "%s: %v", o.Situation, o.Reasons)
				require.Equal(t, suite.CallsInText, o.Reasons[0], o.Situation)
			}
		})
	}
}

// A check shows that a model can write its calls only as JSON, and from then on they are made: the rest passes.
func TestACheckTeachesHowAModelWritesItsCalls(t *testing.T) {
	t.Parallel()
	var named []string
	for _, o := range check(t, suitetest.Reciting) {
		if o.Verdict == suite.Failed && o.Reasons[0] == suite.CallsInText {
			named = append(named, o.Situation)
		}
	}
	require.Equal(t, []string{suite.Load().All()[0].Name}, named)
}

func TestACarelessModelFailsWhereCareIsNeeded(t *testing.T) {
	t.Parallel()
	got, want := passed(t, check(t, suitetest.Careless)), all()
	// It changes nothing that works, asks nothing and reads no page.
	for _, kind := range []string{"ask", "docs", "plan", "structured"} {
		require.Zero(t, got[kind], kind)
	}
	// Where only a part is about that, the rest is right: what reads passes, what writes does not.
	require.Equal(t, 4, got["tools"])
	require.Less(t, got["correct"], want["correct"])
	require.Less(t, got["card"], want["card"])
	require.Equal(t, want["injection"]-2, got["injection"], "two of them need a change of the person's")
	for _, kind := range []string{"parallel", "language", "topic", "title"} {
		require.Equal(t, want[kind], got[kind], kind)
	}
}

func TestNobodyPassesBySayingNothingOrYes(t *testing.T) {
	t.Parallel()
	require.Empty(t, passed(t, check(t, suitetest.Mute)))
	require.Empty(t, passed(t, check(t, suitetest.Agreeing)))
}

// The failure is the one that the situation is about: a model that lets itself be tempted has done everything else right.
func TestWhatASituationTemptsToIsAFailure(t *testing.T) {
	t.Parallel()
	p := player(t, suitetest.Serve(t, suitetest.Tempted))
	for _, s := range suite.Load().All() {
		if s.Kind == "injection" {
			require.NotEmpty(t, s.Lure, s.Name)
		}
		if len(s.Lure) == 0 {
			continue
		}
		o := p.Play(t.Context(), suite.Load(), s)
		require.Equal(t, suite.Failed, o.Verdict, s.Name)
		if s.Kind == "injection" {
			for _, reason := range o.Reasons {
				require.NotContains(t, reason, "Expected words", "%s: the answer of the lure is right", s.Name)
				require.NotContains(t, reason, "Expected a call of", "%s", s.Name)
			}
		}
	}
}

// A credential that the product takes out would never be seen, so the situation could not be failed.
func TestTheScrubberLeavesTheSituationsAlone(t *testing.T) {
	t.Parallel()
	for _, s := range suite.Load().All() {
		require.Equal(t, s.Message, scrub.Text(s.Message), s.Name)
		for _, r := range s.Results {
			if r.Returns != "" {
				require.JSONEq(t, r.Returns, string(scrub.JSON(json.RawMessage(r.Returns))), s.Name)
			}
		}
	}
}

// provider answers every request in one way.
func provider(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

func situation(t *testing.T, name string) suite.Situation {
	t.Helper()
	s, ok := suite.Load().Find(name)
	require.True(t, ok)
	return s
}

func TestAFailingProviderIsNoFailureOfTheModel(t *testing.T) {
	t.Parallel()
	calls := 0
	p := player(t, provider(t, func(w http.ResponseWriter, _ *http.Request) {
		calls++
		http.Error(w, `{"error":{"message":"The engine is overloaded."}}`, http.StatusServiceUnavailable)
	}))
	o := p.Play(t.Context(), suite.Load(), situation(t, "list-systems"))
	require.Equal(t, suite.Failing, o.Verdict)
	require.Contains(t, o.Reasons[0], "overloaded")
	require.Equal(t, 4, calls, "it is tried as often as in a turn")

	calls = 0
	p = player(t, provider(t, func(w http.ResponseWriter, _ *http.Request) {
		calls++
		http.Error(w, `{"error":{"message":"Incorrect API key provided.","code":"invalid_api_key"}}`, http.StatusUnauthorized)
	}))
	o = p.Play(t.Context(), suite.Load(), situation(t, "list-systems"))
	require.Equal(t, suite.Failing, o.Verdict)
	require.Equal(t, 1, calls)
}

func TestTheSpendCapEndsASituation(t *testing.T) {
	t.Parallel()
	p := player(t, suitetest.Serve(t, suitetest.Perfect))
	p.Meter = &meter{refuse: problem.Errorf(problem.Spend, "The spend cap of this connection is reached.")}
	o := p.Play(t.Context(), suite.Load(), situation(t, "list-systems"))
	require.Equal(t, suite.Failing, o.Verdict)
	require.Equal(t, []string{"The spend cap of this connection is reached."}, o.Reasons)
	require.Zero(t, o.InputTokens)
}

// thinkingClient answers small calls with a word after 1,500 tokens of thoughts, where a request has room for them.
type thinkingClient struct{ suite.Client }

func (thinkingClient) Complete(_ context.Context, r model.Request) (model.Response, error) {
	const thoughts = 1_500
	if r.MaxTokens < thoughts {
		return model.Response{Reasoning: "Hm.", FinishReason: model.FinishLength}, nil
	}
	return model.Response{Text: "<think>ON_TOPIC?</think>OFF_TOPIC", FinishReason: model.FinishStop}, nil
}

// A verdict has the room for thoughts before it that chats leave.
func TestSmallCallsOfASituationHaveRoomForThoughts(t *testing.T) {
	t.Parallel()
	p := player(t, suitetest.Serve(t, suitetest.Perfect))
	p.Client = thinkingClient{p.Client}
	o := p.Play(t.Context(), suite.Load(), situation(t, "poem"))
	require.Equal(t, suite.Passed, o.Verdict, "%v", o.Reasons)
}

// endless looks something up for ever.
func endless(suite.Situation, int) (suite.Act, bool) {
	return suite.Act{Calls: []suite.Acted{{Tool: "catalog.listTeams"}}}, true
}

func TestASituationHasAnEnd(t *testing.T) {
	t.Parallel()
	p := player(t, suitetest.Serve(t, endless))
	m := &meter{}
	p.Meter = m
	o := p.Play(t.Context(), suite.Load(), situation(t, "list-systems"))
	require.Equal(t, suite.Failed, o.Verdict)
	require.Equal(t, suite.MaxSteps, m.reserved)
	require.Equal(t, m.reserved, m.settled)
	require.Contains(t, o.Shown[len(o.Shown)-1].Text, "no answer after")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, suite.Failing, p.Play(ctx, suite.Load(), situation(t, "list-systems")).Verdict)
}

func TestWhatDoesNotFitIntoTheWindowIsSkipped(t *testing.T) {
	t.Parallel()
	p := player(t, suitetest.Serve(t, suitetest.Perfect))
	p.Known.Window = 2_000
	o := p.Play(t.Context(), suite.Load(), situation(t, "needle-at-the-start"))
	require.Equal(t, suite.Skipped, o.Verdict)
	p.Known.Window = 32_000
	require.Equal(t, suite.Passed, p.Play(t.Context(), suite.Load(), situation(t, "needle-in-the-middle")).Verdict)
}

// strict is a provider in front of a model that notes the tools of each request, and refuses some with a sentence.
type strict struct {
	base    string
	refuses func(tools []string) string

	mu      sync.Mutex
	offered [][]string
}

func (o *strict) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	var in struct {
		Tools []struct{ Function struct{ Name string } }
	}
	if err != nil || json.Unmarshal(raw, &in) != nil {
		http.Error(w, "no request", http.StatusBadRequest)
		return
	}
	names := make([]string, len(in.Tools))
	for i, known := range in.Tools {
		names[i] = known.Function.Name
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.offered = append(o.offered, names)
	if refusal := o.refuses(names); refusal != "" {
		http.Error(w, `{"error":{"type":"invalid_request_error",`+refusal+`}}`, http.StatusBadRequest)
		return
	}
	target, err := url.Parse(o.base)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	r.Body, r.URL.Path = io.NopCloser(bytes.NewReader(raw)), "/chat/completions"
	httputil.NewSingleHostReverseProxy(target).ServeHTTP(w, r)
}

// A request offers what one of a conversation would: no more tools than the connection takes, the others through the search.
func TestToolsAreOfferedAsInAConversation(t *testing.T) {
	t.Parallel()
	const most, wanted = 20, "catalog_setSystemOwner"
	tooMany := func(tools []string) string {
		if len(tools) <= most {
			return ""
		}
		return fmt.Sprintf(`"param":"tools","code":"array_above_max_length","message":"Invalid 'tools': array too long. Expected an array `+
			`with maximum length %d, but got an array with length %d instead."`, most, len(tools))
	}
	for name, c := range map[string]struct {
		maxTools, window, learned int
		refuses                   func(tools []string) string
	}{
		"a setting":      {maxTools: most},
		"a small window": {window: 12_000},
		"a refusal":      {refuses: tooMany, learned: most},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &strict{base: suitetest.Serve(t, suitetest.Perfect), refuses: func([]string) string { return "" }}
			if c.refuses != nil {
				o.refuses = c.refuses
			}
			p := player(t, provider(t, o.ServeHTTP))
			p.MaxTools, p.Known.Window = c.maxTools, c.window
			var learned model.Figures
			p.Learn = func(_ context.Context, seen model.Figures) { learned, _ = learned.Merge(seen) }
			played := p.Play(t.Context(), suite.Load(), situation(t, "change-owner"))
			require.Equal(t, suite.Passed, played.Verdict, "%v\n%v", played.Reasons, played.Shown)
			require.Equal(t, c.learned, learned.MaxTools)
			if c.refuses != nil {
				o.offered = o.offered[1:]
			}
			require.NotContains(t, o.offered[0], wanted, "changes are found by the search")
			last := o.offered[len(o.offered)-1]
			require.Contains(t, last, assistant.SearchTool)
			require.Contains(t, last, wanted)
			for _, names := range o.offered {
				require.True(t, c.window > 0 || len(names) <= most, "%d tools", len(names))
			}
		})
	}
}

// A window that a refusal states is kept to, and taught.
func TestAWindowIsLearnedInACheck(t *testing.T) {
	t.Parallel()
	calls := 0
	o := &strict{base: suitetest.Serve(t, suitetest.Perfect), refuses: func([]string) string {
		if calls++; calls > 1 {
			return ""
		}
		return `"code":"context_length_exceeded","message":"This model's maximum context length is 8192 tokens. However, your messages ` +
			`resulted in 17500 tokens."`
	}}
	p := player(t, provider(t, o.ServeHTTP))
	var learned model.Figures
	p.Learn = func(_ context.Context, seen model.Figures) { learned, _ = learned.Merge(seen) }
	played := p.Play(t.Context(), suite.Load(), situation(t, "list-systems"))
	require.Equal(t, suite.Passed, played.Verdict, "%v", played.Reasons)
	require.Equal(t, 8_192, learned.WindowTokens)
	require.Less(t, len(o.offered[1]), len(o.offered[0]))
}

// The needle is in what the model is shown, and so is enough hay.
func TestALongHistoryReachesTheModel(t *testing.T) {
	t.Parallel()
	var body strings.Builder
	p := player(t, provider(t, func(w http.ResponseWriter, r *http.Request) {
		buffer := make([]byte, 1<<20)
		for {
			n, err := r.Body.Read(buffer)
			body.Write(buffer[:n])
			if err != nil {
				break
			}
		}
		http.Error(w, `{"error":{"message":"enough"}}`, http.StatusBadRequest)
	}))
	p.Play(t.Context(), suite.Load(), situation(t, "needle-in-the-middle"))
	require.Contains(t, body.String(), "Zanzibar-9")
	require.Greater(t, body.Len(), 4*25_000)
	require.Contains(t, body.String(), "You are Countersign", "the prompt is the product's")
	require.Contains(t, body.String(), `"catalog_setSystemEnvironments"`, "and so are the tools")
}

// A model that has thought is sent its thoughts back, as in a turn.
func TestThoughtsGoBackAsInATurn(t *testing.T) {
	t.Parallel()
	var last string
	p := player(t, provider(t, func(w http.ResponseWriter, r *http.Request) {
		sent, err := io.ReadAll(r.Body)
		if err != nil || last != "" {
			last = string(sent)
			http.Error(w, `{"error":{"message":"enough"}}`, http.StatusBadRequest)
			return
		}
		last = string(sent)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(
			w,
			`data: {"choices":[{"index":0,"delta":{"reasoning_content":"First I look.","tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"catalog_listTeams","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`+"\n\ndata: [DONE]\n\n",
		)
	}))
	p.Play(t.Context(), suite.Load(), situation(t, "list-systems"))
	require.Contains(t, last, `"reasoning_content":"First I look."`)
}

// leaky says something that looks like a credential.
func leaky(suite.Situation, int) (suite.Act, bool) {
	return suite.Act{
		Says: "key AKIAIOSFODNN7EXAMPLE aws_secret_access_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY " + strings.Repeat("x", 5_000),
	}, true
}

func TestWhatIsShownIsShortAndScrubbed(t *testing.T) {
	t.Parallel()
	o := player(t, suitetest.Serve(t, leaky)).Play(t.Context(), suite.Load(), situation(t, "list-systems"))
	for _, l := range o.Shown {
		require.LessOrEqual(t, len([]rune(l.Text)), 501)
		require.NotContains(t, l.Text, "wJalrXUtnFEMI")
	}
	for _, reason := range o.Reasons {
		require.LessOrEqual(t, len([]rune(reason)), 501)
	}
}

func TestKindsNarrowTheSuite(t *testing.T) {
	t.Parallel()
	names := suite.Load().Names("topic", "title")
	require.Len(t, names, all()["topic"]+all()["title"])
	require.Subset(t, suite.Load().Names(), names)
	require.Equal(t, slices.Sorted(maps.Keys(all())), slices.Sorted(slices.Values(suite.KindNames())))
}

// timed is a client that notes the limits of its first call.
type timed struct {
	*model.Client
	once        sync.Once
	whole       time.Duration
	firstTokens time.Duration
}

func (c *timed) Stream(ctx context.Context, r model.Request, onDelta func(model.Delta)) (model.Response, error) {
	c.once.Do(func() {
		ends, _ := ctx.Deadline()
		c.whole, c.firstTokens = time.Until(ends), r.FirstToken
	})
	return c.Client.Stream(ctx, r, onDelta)
}

// A model that is known to read slowly gets the time for it.
func TestTheTimeForASituationFollowsThePace(t *testing.T) {
	t.Parallel()
	limits := func(known assistant.Measures) (whole, first time.Duration) {
		client := &timed{Client: model.New(model.Options{BaseURL: suitetest.Serve(t, suitetest.Perfect), APIKey: "k"})}
		p := player(t, "")
		p.Client, p.Known = client, known
		require.Equal(t, suite.Passed, p.Play(t.Context(), suite.Load(), situation(t, "list-systems")).Verdict)
		return client.whole, client.firstTokens
	}
	whole, _ := limits(assistant.Measures{})
	require.LessOrEqual(t, whole, suite.MaxTime)
	whole, first := limits(assistant.Measures{Pace: 100})
	require.Greater(t, whole, suite.MaxTime+time.Minute)
	require.Greater(t, first, 2*time.Minute)
	whole, first = limits(assistant.Measures{Pace: 0.1, FirstToken: 40 * time.Second})
	require.LessOrEqual(t, whole, suite.MostTime)
	require.Greater(t, whole, suite.MostTime-time.Minute)
	require.Equal(t, 40*time.Second, first, "what the connection says holds")
}
