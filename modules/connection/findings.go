package connection

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"countersign/model"
)

// Finding is one result of a test.
type Finding struct {
	Subject string `json:"subject" enum:"answer,streaming,whole,tools,parallel,reasoning,usage,window,speed,models"`
	State   string `json:"state" enum:"ok,not,unknown" doc:"unknown: it could not be found out"`
	Text    string `json:"text" doc:"What was found"`
	Advice  string `json:"advice,omitempty" doc:"What to do about it"`
}

// States of a finding.
const (
	found   = "ok"
	missing = "not"
	unknown = "unknown"
)

// comfortableWindow is the context window in tokens below which the assistant works with restrictions.
const comfortableWindow = 16_000

// findings describes the results of the probes.
type findings struct {
	probe Probe
	said  timedAnswer
	// whole is the failure of the answer that was not to be streamed.
	whole   error
	learned *learnedInTest
	tools   toolUse
	list    []model.Listed
	listed  error
	seen    dialect
	server  model.Window
	windows map[string]int

	all []Finding
}

func (f *findings) add(subject, state, text, advice string) {
	f.all = append(f.all, Finding{Subject: subject, State: state, Text: text, Advice: advice})
}

func (f *findings) result() TestResult {
	r := TestResult{OK: f.said.err == nil, LatencyMS: f.said.took.Milliseconds(), Windows: f.windows, Slots: f.server.Slots}
	r.Message = fmt.Sprintf("The model %s answered in %d ms.", f.probe.Model, r.LatencyMS)
	f.answer(&r)
	if f.said.err == nil {
		f.streaming()
		f.inOnePiece()
		f.used()
		f.reasoning()
		f.usage()
		f.speed()
		f.window(&r)
	}
	f.models(&r)
	r.Findings = f.all
	return r
}

func (f *findings) answer(r *TestResult) {
	switch {
	case f.said.err != nil:
		r.Message = failureText(f.said.err)
		f.add("answer", missing, "The model did not answer.", "")
	case f.said.Empty() && f.said.FinishReason == model.FinishLength:
		f.add("answer", found, fmt.Sprintf("It thought for %d tokens without coming to an answer. In chats it has more.", testTokens),
			"If chats end without an answer, let it think less at the provider, or choose another model.")
	case f.said.Empty():
		r.OK, r.Message = false, "The model sent an empty answer."
		f.add("answer", missing, r.Message, "Check that the model is one for chats.")
	default:
		f.add("answer", found, "Address, key and model are right.", "")
	}
}

// failureText describes a failure for managers of connections.
func failureText(err error) string {
	failure, ok := errors.AsType[*model.Error](err)
	if !ok {
		return err.Error()
	}
	if failure.Detail != "" {
		return failure.Message + " Detail: " + failure.Detail
	}
	return failure.Message
}

func (f *findings) streaming() {
	switch {
	case f.probe.Streaming == model.StreamNever:
		f.add("streaming", missing, "The connection does not stream: answers are shown when they are complete.", "")
	case f.learned.has(f.probe.Model, "no_streaming"):
		f.add("streaming", missing, "The model refuses to stream. Its answers are requested as a whole, and shown when they are complete.", "")
	case f.said.pieces > 1:
		f.add("streaming", found, fmt.Sprintf("The answer came in %d pieces.", f.said.pieces), "")
	case f.said.pieces == 1:
		f.add(
			"streaming",
			missing,
			"The answer came in one piece.",
			"It is shown when it is complete. Look whether a proxy before the provider holds answers back.",
		)
	default:
		f.add("streaming", unknown, "There was no answer to see it from.", "")
	}
}

// inOnePiece describes whether short answers, such as titles, can be requested as a whole.
func (f *findings) inOnePiece() {
	switch {
	case f.whole != nil && (isBusy(f.whole) || model.ClassOf(f.whole) == model.Canceled):
		f.add("whole", unknown, "Whether short answers come as a whole could not be seen: "+failureText(f.whole), "Test again in a while.")
	case f.whole != nil:
		f.add("whole", missing, "A short answer was refused: "+failureText(f.whole),
			"Titles, topic checks and summaries are left out. Set streaming to on, or choose another model.")
	case f.probe.Streaming == model.StreamAlways:
		f.add("whole", missing, "The connection streams everything, titles, topic checks and summaries too.", "")
	case f.learned.has(f.probe.Model, "only_streams"):
		f.add("whole", missing, "The model answers as a stream only. Titles, topic checks and summaries are streamed as well.", "")
	default:
		f.add("whole", found, "Titles, topic checks and summaries come as a whole.", "")
	}
}

const (
	toolsAdvice   = "The assistant works with tools. Choose a model that can call them; servers" + serverOptions
	serverAdvice  = "Servers" + serverOptions
	serverOptions = " of your own may have to be started for it (vLLM: --enable-auto-tool-choice with --tool-call-parser, " +
		"llama.cpp: --jinja)."
	textCallsAdvice = "Set text calls to on, to make them from there. Or: "
)

func isCallInText(err error) bool {
	failure, ok := errors.AsType[*model.Error](err)
	return ok && failure.Reason == model.ToolCallInText
}

func (f *findings) used() {
	tools, one := f.tools, "The tools of the assistant work one after another as well."
	switch {
	case tools.skipped:
		f.add("tools", found, "The demo model calls the product's own tools.", "")
		return
	case tools.called != nil && model.ClassOf(tools.called) == model.Canceled:
		f.add("tools", unknown, "There was no time left to find out.", "Test again.")
	case tools.called != nil && isBusy(tools.called):
		f.add("tools", unknown, "The provider was busy: "+failureText(tools.called), "Test again in a while.")
	case isCallInText(tools.called):
		f.add("tools", missing, failureText(tools.called), textCallsAdvice+toolsAdvice)
	case tools.called != nil:
		f.add("tools", missing, "A request with a tool was refused: "+failureText(tools.called), toolsAdvice)
	case tools.wrong != "":
		f.add("tools", missing, "The model called a tool wrongly. "+tools.wrong, toolsAdvice)
	case tools.calls == 0:
		f.add("tools", missing, "The model answered without calling the tool that it was told to call.", toolsAdvice)
	case tools.err != nil && (isBusy(tools.err) || model.ClassOf(tools.err) == model.Canceled):
		f.add(
			"tools",
			unknown,
			"The model calls tools. Whether it takes their results could not be seen: "+failureText(tools.err),
			"Test again in a while.",
		)
	case tools.err != nil:
		f.add("tools", missing, "The model calls tools, but their results were refused: "+failureText(tools.err), toolsAdvice)
	case f.learned.has(f.probe.Model, "text_calls") || f.learned.has(f.probe.Model, "bare_text_calls"):
		f.add("tools", found, "The model writes its tool calls into its text, from where they are made.",
			"A server that reads them is more reliable. "+serverAdvice)
	case tools.inText != "":
		f.add(
			"tools",
			found,
			"The model wrote a tool call into its text, in the form of "+tools.inText+", and made it after a correction.",
			serverAdvice,
		)
	default:
		f.add("tools", found, "The model called a tool and took its result.", "")
	}
	switch {
	case tools.calls > 1 && tools.wrong == "":
		f.add("parallel", found, fmt.Sprintf("It made %d calls at once.", tools.calls), "")
	case tools.calls == 1:
		f.add("parallel", missing, "It makes one call after another.", one)
	default:
		f.add("parallel", unknown, "It made no calls to see it from.", "")
	}
}

func (f *findings) reasoning() {
	switch {
	case f.said.Reasoning == "":
		f.add("reasoning", unknown, "No thoughts came. The model has none, or its provider keeps them.", "")
	case f.seen.field != "":
		f.add("reasoning", found, "Its thoughts come apart from the answer, in "+f.seen.field+".", "")
	default:
		f.add("reasoning", found, "Its thoughts are told apart from its answer.", "")
	}
}

func (f *findings) usage() {
	u := f.said.Usage
	if !u.Reported {
		f.add("usage", missing, "The provider does not say how many tokens a call has used.", "Spend caps count estimates instead.")
		return
	}
	text := fmt.Sprintf("%s tokens in, %s out.", number(u.InputTokens), number(u.OutputTokens))
	if f.seen.countsCached {
		text += fmt.Sprintf(" Tokens from the provider's cache are counted: %s this time.", number(u.CachedTokens))
	}
	f.add("usage", found, text, "")
}

func (f *findings) speed() {
	if f.said.pieces == 0 {
		f.add("speed", unknown, "There was no answer to measure.", "")
		return
	}
	tokens := f.said.Usage.OutputTokens
	if tokens == 0 {
		tokens = (len(f.said.Text) + len(f.said.Reasoning)) / 4
	}
	text := fmt.Sprintf("The first words came after %.1f s", f.said.first.Sub(f.said.began).Seconds())
	if f.said.reading >= 10*time.Millisecond {
		text += fmt.Sprintf(", then about %.0f tokens a second", float64(tokens)/f.said.reading.Seconds())
	}
	f.add("speed", found, text+".", "")
}

func (f *findings) window(r *TestResult) {
	told, declared := f.windows[f.probe.Model], f.probe.Window
	effective := declared
	if told > 0 && (declared == 0 || told < declared) {
		effective = told
	}
	var text, advice string
	state := found
	switch {
	case told > 0 && declared > told:
		state = missing
		text = fmt.Sprintf("The connection declares %s tokens, but the server gives %s.", number(declared), number(told))
		advice = fmt.Sprintf("Declare %s at most.", number(told))
		if told >= comfortableWindow {
			advice += " " + f.enlargeAdvice()
		}
	case told > 0 && declared > 0:
		text = fmt.Sprintf("The server gives %s tokens; the %s that are declared are used.", number(told), number(declared))
	case told > 0:
		text = fmt.Sprintf("The server gives %s tokens. They are used, as the connection declares no window.", number(told))
	case declared > 0:
		state = unknown
		text = fmt.Sprintf("The server does not say. The %s tokens that are declared are used.", number(declared))
		advice = f.truncationAdvice()
	default:
		state = unknown
		text = "The server does not say, and the connection declares none: a common size is assumed."
		advice = strings.TrimSpace("Declare the model's window in the connection. " + f.truncationAdvice())
	}
	if effective >= smallestWindow && effective < comfortableWindow {
		text += " It works in that, with fewer tools and shorter results."
		advice += " " + f.enlargeAdvice()
	}
	if effective > 0 && effective < smallestWindow {
		state = missing
		text += fmt.Sprintf(" The assistant needs at least %s.", number(smallestWindow))
		advice = f.enlargeAdvice()
		r.OK = false
		r.Message = fmt.Sprintf(
			"The model answers, but its window of %s tokens is too small: the assistant needs at least %s. %s",
			number(effective),
			number(smallestWindow),
			advice,
		)
	}
	if f.server.Slots == 1 {
		text += " It computes one request at a time, so messages are not checked for their topic: the check would displace the " +
			"conversation in the server's cache."
	}
	f.add("window", state, text, strings.TrimSpace(advice))
}

// enlargeAdvice describes how to configure a larger window at a server.
func (f *findings) enlargeAdvice() string {
	switch f.server.Server {
	case model.Ollama:
		return "Start Ollama with OLLAMA_CONTEXT_LENGTH set, or make a model with PARAMETER num_ctx; its OpenAI API takes " +
			"no window with a request, and it cuts longer conversations without a word."
	case model.LlamaCpp:
		return "Start llama-server with a larger --ctx-size; parallel slots share it."
	case model.LMStudio:
		return "Load the model with a larger context length in LM Studio."
	default:
		return "Give the model a larger window at its server (vLLM: --max-model-len), or choose another model."
	}
}

// truncationAdvice describes the truncation of long requests by a server.
func (f *findings) truncationAdvice() string {
	if f.server.Server != model.Ollama {
		return ""
	}
	return fmt.Sprintf(
		"This is Ollama, and the model could have %s tokens, but Ollama gives it few unless it is told otherwise. %s",
		number(f.server.Most),
		f.enlargeAdvice(),
	)
}

func (f *findings) models(r *TestResult) {
	if f.listed != nil {
		f.add("models", unknown, "The provider does not list its models.", "")
		return
	}
	named := false
	for _, m := range f.list {
		r.Models = append(r.Models, m.ID)
		named = named || m.ID == f.probe.Model || m.ID == f.probe.Model+":latest"
	}
	switch {
	case named:
		f.add("models", found, fmt.Sprintf("The provider lists %s models, %s among them.", number(len(f.list)), f.probe.Model), "")
	case f.said.err == nil:
		f.add(
			"models",
			found,
			fmt.Sprintf("The provider lists %s models; %s is not among them and answers all the same.", number(len(f.list)), f.probe.Model),
			"",
		)
	default:
		f.add(
			"models",
			missing,
			fmt.Sprintf("The provider lists %s models, and %s is not among them.", number(len(f.list)), f.probe.Model),
			"Choose one of those that it lists.",
		)
	}
}

// number formats with thousands separators.
func number(n int) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
