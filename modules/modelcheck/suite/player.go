package suite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/chat/assistant"
	"countersign/chat/turn"
	"countersign/internal/problem"
	"countersign/internal/secret/scrub"
	"countersign/model"
	"countersign/tool"
)

// Bounds of one situation.
const (
	MaxSteps = 8
	// MaxTime bounds the time, MostTime that of a model that is known to read slowly.
	MaxTime  = 4 * time.Minute
	MostTime = 15 * time.Minute
	// MaxTokens bounds the tokens of all calls of a situation together.
	MaxTokens = 400_000
)

// Client calls a model. *model.Client is one.
type Client interface {
	Stream(ctx context.Context, req model.Request, onDelta func(model.Delta)) (model.Response, error)
	Complete(ctx context.Context, req model.Request) (model.Response, error)
	// NoteTextCalls records that a model writes its calls into its text in this form, also after a correction.
	NoteTextCalls(modelID, form string)
}

// Meter admits model calls and records their usage.
type Meter interface {
	// Reserve admits the call with this number within the situation, at an estimate in tokens.
	Reserve(ctx context.Context, number, estimate int) error
	Settle(ctx context.Context, number, estimate int, used model.Usage, failed error)
}

// Player plays situations to one model.
type Player struct {
	Client Client
	Model  string
	// Tools are those that the product may offer to a model, of which a request offers at most MaxTools, or a default for 0. Search
	// finds the others.
	Tools    []Tool
	MaxTools int
	Search   Search
	// Family is that of the connection, and Known what its calls have shown of the model. Learn gets what further calls show; nil
	// is nobody.
	Family string
	Known  assistant.Measures
	Learn  func(ctx context.Context, seen model.Figures)
	// Playbooks returns the sections of the prompt for these tools; nil is none.
	Playbooks func(tools []string) []string
	Meter     Meter
	// Wait pauses between two attempts. Now is the time in the prompt.
	Wait func(ctx context.Context, d time.Duration) error
	Now  func() time.Time
}

// act is the response of the model in one step.
type act struct {
	text  string
	calls []call
}

// call is a call that the model has made.
type call struct {
	tool      string
	arguments json.RawMessage
	// wrong is why the call could not be made at all.
	wrong error
	// proposed reports that the call would have become a card.
	proposed bool
}

// play is a situation on its way.
type play struct {
	*Player
	s       Situation
	results []Result
	tools   []Tool
	// known and maxTools are those of the player, and what this situation has shown.
	known    assistant.Measures
	maxTools int
	// past is the conversation before the first step, made for what is known.
	past  []model.Message
	given map[int]int
	acts  []act
	shown []Line
	used  model.Usage
	// estimated reports that the provider did not report all of the usage.
	estimated bool
	requests  int
}

// Play plays a situation. It always has an outcome: what goes wrong on the way is Failing.
func (p *Player) Play(ctx context.Context, suite *Suite, s Situation) Outcome {
	began := time.Now()
	y := &play{
		Player: p, s: s, results: slices.Concat(s.Results, suite.world), given: map[int]int{},
		known: p.Known, maxTools: assistant.MostTools(p.MaxTools, 0),
	}
	for _, t := range append(slices.Clone(p.Tools), rehearsed()...) {
		if !slices.Contains(s.Without, t.Name) && (!isRehearsed(t.Name) || slices.Contains(s.Also, t.Name)) {
			y.tools = append(y.tools, t)
		}
	}
	limit := y.limit()
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it was not over after %s", limit.Round(time.Second)))
	defer cancel()
	o := y.run(ctx)
	o.Situation, o.Kind = s.Name, s.Kind
	o.Steps, o.Calls = len(y.acts), y.calls()
	o.InputTokens, o.OutputTokens, o.Estimated = y.used.InputTokens, y.used.OutputTokens, y.estimated
	o.Took = time.Since(began)
	o.Shown = bounded(y.shown)
	for i := range o.Reasons {
		o.Reasons[i] = excerpt(o.Reasons[i])
	}
	return o
}

func isRehearsed(name string) bool {
	return slices.ContainsFunc(rehearsed(), func(t Tool) bool { return t.Name == name })
}

var errNoWindow = errors.New("the context window is too small for it")

// limit is the time for the situation, which is longer for a model that is known to need it for reading.
func (y *play) limit() time.Duration {
	size := assistant.MessageTokens(model.Message{Content: y.s.Message})
	if y.s.Small == "" {
		f := y.frame(nil)
		size += assistant.MessageTokens(f.system) + f.offer.Tokens
	}
	if y.s.Fill != nil {
		size += y.s.Fill.Tokens
	}
	return min(MaxTime+y.known.ReadingAllowance(y.known.Calibration.Tokens(size)), MostTime)
}

// firstToken is the time in which the model has to begin its answer to a request of so many tokens, longer after a timeout.
func (y *play) firstToken(sent int, longer bool) time.Duration {
	return y.known.FirstTokenLimit(sent, model.DefaultStallTimeout, longer)
}

func (y *play) run(ctx context.Context) Outcome {
	var err error
	if y.s.Small != "" {
		err = y.small(ctx)
	} else {
		err = y.turn(ctx)
	}
	switch {
	case errors.Is(err, errNoWindow):
		return Outcome{Verdict: Skipped, Reasons: []string{"Not played: " + err.Error() + "."}}
	case badCalls[reasonOf(err)] != "":
		return Outcome{Verdict: Failed, Reasons: []string{badCalls[reasonOf(err)]}}
	case err != nil:
		return Outcome{Verdict: Failing, Reasons: []string{explain(ctx, err)}}
	}
	reasons := judge(y.s, y.acts)
	switch {
	case len(reasons) == 0:
		return Outcome{Verdict: Passed}
	case y.showsCalls():
		reasons = slices.Insert(reasons, 0, CallsInText)
	}
	return Outcome{Verdict: Failed, Reasons: reasons[:min(len(reasons), maxReasons)]}
}

// CallsInText is the first reason of every failure of a model whose tool calls arrive as text.
const CallsInText = "The model wrote a tool call into its text instead of making it. Its server may lack the parser for its calls: " +
	"start vLLM with --enable-auto-tool-choice and its --tool-call-parser, llama.cpp with --jinja, or choose a model that can call tools."

// badCalls are faults in the form of calls. They are the model's or its server's, so they count as failures.
var badCalls = map[model.Reason]string{
	model.ToolCallInText:  CallsInText,
	model.ToolCallMissing: "The model announced a tool call and made none, also after it was told.",
	model.TooManyCalls:    "The model made more tool calls at once than an answer may have.",
	model.ToolCallUnread:  "The model wrote tool calls that could not be read.",
}

func reasonOf(err error) model.Reason {
	if failure, ok := errors.AsType[*model.Error](err); ok {
		return failure.Reason
	}
	return ""
}

// showsCalls reports whether an answer without calls shows one of an offered tool, such as in a code block.
func (y *play) showsCalls() bool {
	return slices.ContainsFunc(y.acts, func(a act) bool {
		return len(a.calls) == 0 && slices.ContainsFunc(y.tools, func(t Tool) bool {
			for _, name := range []string{t.wireName(), t.Name} {
				for _, form := range []string{`": "` + name + `"`, `":"` + name + `"`, "=" + name + ">", "<" + name + ">", "name=\"" + name + `"`} {
					if strings.Contains(a.text, form) {
						return true
					}
				}
			}
			return strings.Contains(a.text, t.wireName()+"(")
		})
	})
}

func explain(ctx context.Context, err error) string {
	if cause := context.Cause(ctx); cause != nil {
		return "The situation was given up: " + cause.Error() + "."
	}
	if failure, ok := errors.AsType[*model.Error](err); ok {
		_, text := assistant.Explain(failure)
		return text
	}
	return problem.As(err).Detail
}

// small makes the small call that the product makes beside a turn.
func (y *play) small(ctx context.Context) error {
	system, user := assistant.Classifier(y.s.Message)
	tokens := assistant.ClassifierTokens
	if y.s.Small == "title" {
		system, user = assistant.Title(y.s.Message)
		tokens = assistant.TitleTokens
	}
	y.show("person", y.s.Message)
	request := model.Request{
		Model:     y.Model,
		MaxTokens: tokens,
		Messages:  []model.Message{{Role: model.RoleSystem, Content: system}, {Role: model.RoleUser, Content: user}},
	}
	sent := y.known.Calibration.Tokens(assistant.RequestTokens(request))
	request.MaxTokens += y.known.SmallCallThoughts(sent, tokens, false)
	response, err := y.call(ctx, request, request.MaxTokens, y.Client.Complete)
	if err != nil {
		return err
	}
	y.acts = append(y.acts, act{text: response.Answer()})
	y.show("model", response.Answer())
	return nil
}

// turn lets the model answer as in a turn of the product.
func (y *play) turn(ctx context.Context) error {
	y.known.Thinks = true
	y.show("person", y.s.Message)
	var running []model.Message
	for range MaxSteps {
		response, offer, err := y.ask(ctx, running)
		if err != nil {
			return err
		}
		messages, ends := y.step(ctx, response, offer)
		running = append(running, messages...)
		if ends {
			return nil
		}
		if y.used.InputTokens+y.used.OutputTokens > MaxTokens {
			y.acts = append(y.acts, act{})
			y.show("check", fmt.Sprintf("Ended here: more than %d tokens were used.", MaxTokens))
			return nil
		}
	}
	y.acts = append(y.acts, act{})
	y.show("check", fmt.Sprintf("Ended here: no answer after %d steps.", MaxSteps))
	return nil
}

// step processes one response. ends reports that the turn has ended: the model has answered, or a person has to decide.
func (y *play) step(ctx context.Context, r model.Response, offer assistant.Offer) (messages []model.Message, ends bool) {
	done := act{text: r.Text}
	y.show("model", r.Text)
	said := model.Message{Role: model.RoleAssistant, Content: r.Text, ReplayData: r.ReplayData}
	for i, c := range r.ToolCalls {
		made, result := y.answer(ctx, c, i, offer)
		done.calls = append(done.calls, made)
		arguments := c.Arguments
		if !json.Valid([]byte(arguments)) {
			arguments, said.ReplayData = "{}", said.ReplayData.WithoutCall(i)
		}
		said.ToolCalls = append(said.ToolCalls, model.ToolCall{ID: c.ID, Name: c.Name, Arguments: arguments})
		messages = append(messages, model.Message{Role: model.RoleTool, ToolCallID: c.ID, Content: result.ForModel()})
		ends = ends || result.Ends
		y.show("call", made.tool+" "+c.Arguments)
		y.show("tool", result.ForModel())
	}
	y.acts = append(y.acts, done)
	return append([]model.Message{said}, messages...), ends || len(r.ToolCalls) == 0
}

// answer is the simulated tool result, without any effect.
func (y *play) answer(ctx context.Context, c model.ToolCall, number int, offer assistant.Offer) (call, turn.ToolResult) {
	made := call{tool: strings.ReplaceAll(c.Name, "_", "."), arguments: json.RawMessage(c.Arguments)}
	i := slices.IndexFunc(y.tools, func(t Tool) bool { return t.wireName() == c.Name || t.Name == c.Name })
	switch {
	case i < 0:
		made.wrong = problem.Errorf(problem.NotFound, "There is no tool %q. Use one of the offered tools.", scrub.Text(excerpt(c.Name)))
	case number >= assistant.MaxCallsPerStep:
		made.wrong = problem.Errorf(
			problem.Invalid,
			"At most %d tool calls are run at once. Make this call again by itself.",
			assistant.MaxCallsPerStep,
		)
	default:
		made.tool = y.tools[i].Name
		made.wrong = y.tools[i].Input.Validate(ctx, made.arguments)
	}
	if made.wrong != nil {
		return made, turn.ToolResult{Error: turn.FailureOf(made.wrong)}
	}
	if made.tool == searchTool && y.Search != nil {
		return made, y.search(made.arguments, offer)
	}
	result := y.result(y.tools[i], made.arguments)
	made.proposed = y.tools[i].Effect != tool.Read && result.Error == nil
	return made, result
}

const (
	awaiting = `{"status":"awaiting_operator","proposalId":"0199d0c0-0000-7000-8000-00000000c0de","note":"Nothing has changed yet. A person decides about this proposal on its card."}`
	nothing  = "There is nothing with these arguments."
)

// result is the one that is written down for a call; else a card for a change and a refusal for a read.
func (y *play) result(t Tool, arguments json.RawMessage) turn.ToolResult {
	if t.Question {
		return turn.ToolResult{Output: arguments, Ends: true, Trusted: true}
	}
	for i, r := range y.results {
		if r.Tool != t.Name || r.Times > 0 && y.given[i] >= r.Times || !fits(arguments, r.With) {
			continue
		}
		y.given[i]++
		if r.Fails != "" {
			return refusal(r)
		}
		return turn.ToolResult{
			Output:    assistant.Clamp(scrub.JSON(json.RawMessage(r.Returns)), assistant.ClampChars(y.known.Window)),
			Untrusted: t.Foreign,
			Trusted:   t.Trusted,
		}
	}
	if t.Effect != tool.Read {
		return turn.ToolResult{Output: json.RawMessage(awaiting), Ends: true}
	}
	return refusal(Result{Fails: nothing, Code: string(problem.NotFound)})
}

func refusal(r Result) turn.ToolResult {
	e := problem.Errorf(problem.Code(r.Code), "%s", r.Fails)
	if r.Code == "" {
		e = problem.InvalidInput(r.Fails, problem.Issue{Path: r.Path, Message: r.Fails})
	}
	return turn.ToolResult{Error: turn.FailureOf(e)}
}

// call makes a model call, again as often and after as long as a turn does, and with the same corrections.
func (y *play) call(
	ctx context.Context,
	request model.Request,
	reply int,
	ask func(context.Context, model.Request) (model.Response, error),
) (model.Response, error) {
	estimate := assistant.RequestTokens(request) + reply
	sent := y.known.Calibration.Tokens(estimate - reply)
	var told model.Reason
	for attempt := 1; ; attempt++ {
		number := y.requests
		y.requests++
		if err := y.Meter.Reserve(ctx, number, estimate); err != nil {
			return model.Response{}, err
		}
		request.FirstToken = y.firstToken(sent, told == assistant.TimedOut)
		response, err := ask(ctx, request)
		y.Meter.Settle(context.WithoutCancel(ctx), number, estimate, response.Usage, err)
		if err == nil {
			y.count(request, response)
			return response, nil
		}
		failure, ok := errors.AsType[*model.Error](err)
		if !ok || ctx.Err() != nil {
			return model.Response{}, err
		}
		y.known.MarkFinal(failure, sent, model.DefaultStallTimeout)
		if failure.Reason == model.ToolCallInText && assistant.IsCorrected(failure.Reason, told) {
			y.Client.NoteTextCalls(y.Model, failure.CallForm)
		}
		if attempt == assistant.MaxAttempts || !assistant.IsWorthRetrying(failure, told) {
			return model.Response{}, err
		}
		switch {
		case assistant.IsCorrectable(failure.Reason):
			told = failure.Reason
			request.Messages, request.ToldOfTextCalls = slices.Clone(request.Messages), told == model.ToolCallInText
			assistant.Correct(request.Messages, assistant.CorrectionOf(failure))
		case failure.IsTimeout():
			told = assistant.TimedOut
		}
		if err := y.Wait(ctx, assistant.Backoff(attempt+1, failure.RetryAfter)); err != nil {
			return model.Response{}, err
		}
	}
}

// count adds the usage of a call, estimated where the provider reports none.
func (y *play) count(request model.Request, r model.Response) {
	used := r.Usage
	if !used.Reported {
		y.estimated = true
		answer := model.Message{Content: r.Text, ToolCalls: r.ToolCalls}
		used.InputTokens, used.OutputTokens = assistant.RequestTokens(request), assistant.MessageTokens(answer)
	}
	y.used.InputTokens += used.InputTokens
	y.used.OutputTokens += used.OutputTokens
}

func (y *play) calls() (n int) {
	for _, a := range y.acts {
		n += len(a.calls)
	}
	return n
}
