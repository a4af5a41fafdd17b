package connection

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"countersign/chat/assistant"
	"countersign/internal/egress"
	"countersign/model"
)

// Probe is a connection to test: how it sends requests, with its decrypted key and headers, and its model.
type Probe struct {
	model.Options

	Model string
	// Window is the declared context window in tokens, 0 for none.
	Window int
	// KnownQuirks are the quirks so far; OnQuirks of the options receives new ones, if not nil.
	KnownQuirks []model.ModelQuirk
	// NoTools skips the tool test.
	NoTools bool
}

// TestResult is the result of a test, with the provider's own words for a failure.
type TestResult struct {
	OK        bool      `json:"ok" doc:"The connection can be used. Something optional can be missing all the same."`
	Message   string    `json:"message"`
	LatencyMS int64     `json:"latencyMs" doc:"How long the model took to answer"`
	Models    []string  `json:"models,omitempty" nullable:"false" doc:"The models that the provider lists, if it does"`
	Findings  []Finding `json:"findings" nullable:"false" doc:"What the connection can do, one by one"`
	// CorrectedURL is empty where the address needs no correction, or none helps.
	CorrectedURL string `json:"correctedUrl,omitempty" doc:"A base URL on the same server at which it has the API, where there is none at that of the connection"`
	// Windows are the context windows of models that the server reported, in tokens.
	Windows map[string]int `json:"-"`
	// Slots is the number of requests that the server computes at once, 0 when it does not tell.
	Slots int `json:"-"`
}

// Tester tests whether a provider answers, and its capabilities.
type Tester interface {
	Test(ctx context.Context, p Probe) TestResult
	// Offer requests the list of models, as [model.Client.Offer].
	Offer(ctx context.Context, p Probe) (models []model.Listed, leftOut int, err error)
	// Correct returns a base URL with the same scheme and host at which there is an API of models; empty without one. The
	// key is sent there.
	Correct(ctx context.Context, p Probe) (corrected string)
}

const (
	// testStall bounds the silence of a provider in a test.
	testStall = 30 * time.Second
	// testTokens bounds each answer of a test. Reasoning models need more than the answer's length.
	testTokens = 2_000
	// busyWait bounds the wait before retrying a provider that serves one request at a time.
	busyWait = 3 * time.Second
)

type modelTester struct{ http *http.Client }

// NewTester creates a Tester that makes a few short calls; client needs a transport; nil means a guarded one.
func NewTester(client *http.Client) Tester {
	if client == nil {
		client = &http.Client{Transport: egress.Own{}.Guarded(model.NewTransport())}
	}
	return modelTester{client}
}

// gauge is the tool of a test. Two gauges are to be read, to detect parallel tool calls.
var gauge = model.Tool{
	Name:        "read_gauge",
	Description: "Read one gauge. It returns a number.",
	Parameters: json.RawMessage(
		`{"type":"object","properties":{"name":{"type":"string","description":"The name of the gauge."}},"required":["name"],"additionalProperties":false}`,
	),
}

const (
	countPrompt = "Count from 1 to 30 in digits with spaces between them. Write nothing else."
	gaugePrompt = "Read the two gauges A and B with the tool read_gauge. Call it for both at once, before you say " +
		"anything. Then tell me both numbers."
	wholePrompt = "Answer with the word OK and nothing else."
)

// timedAnswer is the timing and result of an answer.
type timedAnswer struct {
	model.Response

	err           error
	began, first  time.Time
	last          time.Time
	pieces        int
	took, reading time.Duration
}

// toolUse is the result of the tool test.
type toolUse struct {
	skipped     bool
	called, err error
	calls       int
	wrong       string
	// inText is the form of calls that the model wrote into its text before a correction.
	inText string
}

// Test calls the model, as only a call proves that key, address and model id fit. It also offers a tool, and requests
// the server's models. Failures of these optional parts do no harm.
func (t modelTester) Test(ctx context.Context, p Probe) TestResult {
	witness := &dialectRecorder{next: t.http.Transport}
	options := p.Options
	options.ID, options.HTTPClient, options.StallTimeout = "test", t.http, testStall
	learned := &learnedInTest{known: p.KnownQuirks, report: p.OnQuirks}
	options.OnQuirks = learned.add
	client := model.New(options)
	watched := *t.http
	watched.Transport = witness
	options.HTTPClient = &watched
	counting := model.New(options)
	client.AddQuirks(p.KnownQuirks)
	counting.AddQuirks(p.KnownQuirks)

	var said timedAnswer
	var tools toolUse
	var list []model.Listed
	var listed error
	counted := make(chan struct{})
	toolsCtx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	var probes sync.WaitGroup
	probes.Go(func() {
		defer close(counted)
		said = timedCall(
			ctx,
			counting,
			model.Request{Model: p.Model, MaxTokens: testTokens, Messages: []model.Message{{Role: model.RoleUser, Content: countPrompt}}},
		)
		if said.err != nil && !isRetryable(said.err) {
			giveUp()
		}
	})
	probes.Go(func() {
		if tools.skipped = p.NoTools; p.NoTools {
			return
		}
		tools = useTool(toolsCtx, client, p.Model)
		if isBusy(tools.called) || isBusy(tools.err) {
			<-counted
			if waitFor(toolsCtx, busyWait) {
				tools = useTool(toolsCtx, client, p.Model)
			}
		}
	})
	var whole error
	probes.Go(func() {
		if <-counted; said.err == nil {
			_, whole = client.Complete(ctx, model.Request{
				Model: p.Model, MaxTokens: testTokens, Messages: []model.Message{{Role: model.RoleUser, Content: wholePrompt}},
			})
		}
	})
	probes.Go(func() { list, listed = client.List(ctx) })
	probes.Wait()

	found := &findings{
		probe: p, said: said, whole: whole, learned: learned, tools: tools, list: list, listed: listed,
		seen: witness.dialect(), windows: map[string]int{},
	}
	for _, m := range list {
		if m.Window > 0 {
			found.windows[m.ID] = m.Window
		}
	}
	if found.windows[p.Model] == 0 && said.err == nil {
		found.server = client.QueryWindow(ctx, p.Model)
		if found.server.Tokens > 0 {
			found.windows[p.Model] = found.server.Tokens
		}
	}
	result := found.result()
	if isWrongAddress(said.err) && listed != nil {
		if result.CorrectedURL = t.Correct(ctx, p); result.CorrectedURL != "" {
			result.Message += " " + answersAt(result.CorrectedURL)
		}
	}
	return result
}

// learnedInTest collects the quirks that a test reveals beside those known before.
type learnedInTest struct {
	report func([]model.ModelQuirk)

	mu    sync.Mutex
	known []model.ModelQuirk
}

func (l *learnedInTest) add(found []model.ModelQuirk) {
	l.mu.Lock()
	l.known = slices.Concat(l.known, found)
	l.mu.Unlock()
	if l.report != nil {
		l.report(found)
	}
}

func (l *learnedInTest) has(name string, quirk model.Quirk) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Contains(l.known, model.ModelQuirk{Model: name, Quirk: quirk})
}

// answersAt suggests another address.
func answersAt(corrected string) string {
	return "The API answers at " + corrected + ": use this address."
}

// Offer implements Tester.
func (t modelTester) Offer(ctx context.Context, p Probe) ([]model.Listed, int, error) {
	options := p.Options
	options.ID, options.HTTPClient, options.StallTimeout = "offer", t.http, offerTimeout
	return model.New(options).Offer(ctx)
}

// timedCall makes a call and records when its parts arrived.
func timedCall(ctx context.Context, client *model.Client, request model.Request) timedAnswer {
	a := timedAnswer{began: time.Now()}
	a.Response, a.err = client.Stream(ctx, request, func(model.Delta) {
		a.last = time.Now()
		if a.pieces++; a.pieces == 1 {
			a.first = a.last
		}
	})
	a.took = time.Since(a.began)
	if a.pieces > 1 {
		a.reading = a.last.Sub(a.first)
	}
	return a
}

// useTool lets the model call a tool and returns the results to it, as a turn does.
func useTool(ctx context.Context, client *model.Client, name string) (u toolUse) {
	request := model.Request{
		Model: name, MaxTokens: testTokens, Tools: []model.Tool{gauge},
		Messages: []model.Message{{Role: model.RoleUser, Content: gaugePrompt}},
	}
	first, err := client.Stream(ctx, request, nil)
	if failure, ok := errors.AsType[*model.Error](err); ok && failure.Reason == model.ToolCallInText {
		// As in a turn: a model that writes its calls into its text also after that has them made from there.
		u.inText, request.ToldOfTextCalls = failure.CallForm, true
		assistant.Correct(request.Messages, assistant.CorrectionOf(failure))
		first, err = client.Stream(ctx, request, nil)
	}
	if err != nil {
		u.called = err
		return u
	}
	u.calls = len(first.ToolCalls)
	for _, call := range first.ToolCalls {
		var in struct {
			Name string `json:"name"`
		}
		if call.Name != gauge.Name || json.Unmarshal([]byte(call.Arguments), &in) != nil || in.Name == "" {
			u.wrong = "It asked for " + shown(call.Name) + " with " + shown(call.Arguments) + "."
			return u
		}
	}
	if u.calls == 0 {
		return u
	}
	request.Messages = append(request.Messages, replayMessage(first))
	for i, call := range first.ToolCalls {
		request.Messages = append(
			request.Messages,
			model.Message{Role: model.RoleTool, ToolCallID: call.ID, Content: fmt.Sprintf(`{"value":%d}`, 17+8*i)},
		)
	}
	_, u.err = client.Stream(ctx, request, nil)
	return u
}

// replayMessage converts an answer for the next request.
func replayMessage(r model.Response) model.Message {
	return model.Message{Role: model.RoleAssistant, Content: r.Text, ToolCalls: r.ToolCalls, ReplayData: r.ReplayData}
}

func shown(text string) string {
	const most = 200
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return fmt.Sprintf("%q", text)
}

func isRetryable(err error) bool {
	failure, ok := errors.AsType[*model.Error](err)
	return ok && failure.Retryable()
}

// isBusy reports whether a provider refuses temporarily.
func isBusy(err error) bool {
	class := model.ClassOf(err)
	return isRetryable(err) && (class == model.RateLimited || class == model.Unavailable)
}

// waitFor waits, and reports whether time is left.
func waitFor(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

var _ Tester = modelTester{}
