package connection

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"countersign/model"
)

// Finding is one thing that a test has looked at.
type Finding struct {
	Subject string `json:"subject" enum:"answer,streaming,tools,parallel,reasoning,usage,window,speed,models"`
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

// comfortable is the window in tokens below which the assistant has to do without much.
const comfortable = 16_000

// findings puts what the probes have seen into words.
type findings struct {
	probe   Probe
	said    answered
	tools   used
	list    []model.Listed
	listed  error
	seen    sighting
	server  model.Window
	windows map[string]int

	all []Finding
}

func (f *findings) note(subject, state, text, advice string) {
	f.all = append(f.all, Finding{Subject: subject, State: state, Text: text, Advice: advice})
}

func (f *findings) result() TestResult {
	r := TestResult{OK: f.said.err == nil, LatencyMS: f.said.took.Milliseconds(), Windows: f.windows}
	r.Message = fmt.Sprintf("The model %s answered in %d ms.", f.probe.Model, r.LatencyMS)
	f.answer(&r)
	if f.said.err == nil {
		f.streaming()
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
		r.Message = inWords(f.said.err)
		f.note("answer", missing, "The model did not answer.", "")
	case f.said.Empty() && f.said.FinishReason == model.FinishLength:
		f.note("answer", found, fmt.Sprintf("It thought for %d tokens without coming to an answer. In chats it has more.", testTokens),
			"If chats end without an answer, let it think less at the provider, or choose another model.")
	case f.said.Empty():
		r.OK, r.Message = false, "The model sent an empty answer."
		f.note("answer", missing, r.Message, "Check that the model is one for chats.")
	default:
		f.note("answer", found, "Address, key and model are right.", "")
	}
}

// inWords is a failure as a person who manages connections reads it.
func inWords(err error) string {
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
	case f.said.pieces > 1:
		f.note("streaming", found, fmt.Sprintf("The answer came in %d pieces.", f.said.pieces), "")
	case f.said.pieces == 1:
		f.note(
			"streaming",
			missing,
			"The answer came in one piece.",
			"It is shown when it is complete. Look whether a proxy before the provider holds answers back.",
		)
	default:
		f.note("streaming", unknown, "There was no answer to see it from.", "")
	}
}

const toolsAdvice = "The assistant works with tools. Choose a model that can call them; servers of your own may have to be started for it (vLLM: --enable-auto-tool-choice with --tool-call-parser, llama.cpp: --jinja)."

func (f *findings) used() {
	tools, one := f.tools, "The tools of the assistant work one after another as well."
	switch {
	case tools.skipped:
		f.note("tools", found, "The demo model calls the product's own tools.", "")
		return
	case tools.called != nil && model.ClassOf(tools.called) == model.Canceled:
		f.note("tools", unknown, "There was no time left to find out.", "Test again.")
	case tools.called != nil && busy(tools.called):
		f.note("tools", unknown, "The provider was busy: "+inWords(tools.called), "Test again in a while.")
	case tools.called != nil:
		f.note("tools", missing, "A request with a tool was refused: "+inWords(tools.called), toolsAdvice)
	case tools.wrong != "":
		f.note("tools", missing, "The model called a tool wrongly. "+tools.wrong, toolsAdvice)
	case tools.calls == 0:
		f.note("tools", missing, "The model answered without calling the tool that it was told to call.", toolsAdvice)
	case tools.err != nil && (busy(tools.err) || model.ClassOf(tools.err) == model.Canceled):
		f.note(
			"tools",
			unknown,
			"The model calls tools. Whether it takes their results could not be seen: "+inWords(tools.err),
			"Test again in a while.",
		)
	case tools.err != nil:
		f.note("tools", missing, "The model calls tools, but their results were refused: "+inWords(tools.err), toolsAdvice)
	default:
		f.note("tools", found, "The model called a tool and took its result.", "")
	}
	switch {
	case tools.calls > 1 && tools.wrong == "":
		f.note("parallel", found, fmt.Sprintf("It made %d calls at once.", tools.calls), "")
	case tools.calls == 1:
		f.note("parallel", missing, "It makes one call after another.", one)
	default:
		f.note("parallel", unknown, "It made no calls to see it from.", "")
	}
}

func (f *findings) reasoning() {
	switch {
	case f.said.Reasoning == "":
		f.note("reasoning", unknown, "No thoughts came. The model has none, or its provider keeps them.", "")
	case f.seen.field != "":
		f.note("reasoning", found, "Its thoughts come apart from the answer, in "+f.seen.field+".", "")
	default:
		f.note("reasoning", found, "Its thoughts are told apart from its answer.", "")
	}
}

func (f *findings) usage() {
	u := f.said.Usage
	if !u.Reported {
		f.note("usage", missing, "The provider does not say how many tokens a call has used.", "Spend caps count estimates instead.")
		return
	}
	text := fmt.Sprintf("%s tokens in, %s out.", number(u.InputTokens), number(u.OutputTokens))
	if f.seen.told {
		text += fmt.Sprintf(" Tokens from the provider's cache are counted: %s this time.", number(u.CachedTokens))
	}
	f.note("usage", found, text, "")
}

func (f *findings) speed() {
	if f.said.pieces == 0 {
		f.note("speed", unknown, "There was no answer to measure.", "")
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
	f.note("speed", found, text+".", "")
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
		if told >= comfortable {
			advice += " " + f.enlarge()
		}
	case told > 0 && declared > 0:
		text = fmt.Sprintf("The server gives %s tokens; the %s that are declared are used.", number(told), number(declared))
	case told > 0:
		text = fmt.Sprintf("The server gives %s tokens. They are used, as the connection declares no window.", number(told))
	case declared > 0:
		state = unknown
		text = fmt.Sprintf("The server does not say. The %s tokens that are declared are used.", number(declared))
		advice = f.silent()
	default:
		state = unknown
		text = "The server does not say, and the connection declares none: a common size is assumed."
		advice = strings.TrimSpace("Declare the model's window in the connection. " + f.silent())
	}
	if effective >= smallestWindow && effective < comfortable {
		text += " It works in that, with fewer tools and shorter results."
		advice += " " + f.enlarge()
	}
	if effective > 0 && effective < smallestWindow {
		state = missing
		text += fmt.Sprintf(" The assistant needs at least %s.", number(smallestWindow))
		advice = f.enlarge()
		r.OK = false
		r.Message = fmt.Sprintf(
			"The model answers, but its window of %s tokens is too small: the assistant needs at least %s. %s",
			number(effective),
			number(smallestWindow),
			advice,
		)
	}
	f.note("window", state, text, strings.TrimSpace(advice))
}

// enlarge says how a server gets a larger window.
func (f *findings) enlarge() string {
	switch f.server.Server {
	case model.Ollama:
		return "Start Ollama with OLLAMA_CONTEXT_LENGTH set, or make a model with PARAMETER num_ctx; its OpenAI API takes no window with a request, and it cuts longer conversations without a word."
	case model.LlamaCpp:
		return "Start llama-server with a larger --ctx-size; parallel slots share it."
	case model.LMStudio:
		return "Load the model with a larger context length in LM Studio."
	default:
		return "Give the model a larger window at its server (vLLM: --max-model-len), or choose another model."
	}
}

// silent warns of servers that cut what is too long for them.
func (f *findings) silent() string {
	if f.server.Server != model.Ollama {
		return ""
	}
	return fmt.Sprintf(
		"This is Ollama, and the model could have %s tokens, but Ollama gives it few unless it is told otherwise. %s",
		number(f.server.Most),
		f.enlarge(),
	)
}

func (f *findings) models(r *TestResult) {
	if f.listed != nil {
		f.note("models", unknown, "The provider does not list its models.", "")
		return
	}
	named := false
	for _, m := range f.list {
		r.Models = append(r.Models, m.ID)
		named = named || m.ID == f.probe.Model || m.ID == f.probe.Model+":latest"
	}
	switch {
	case named:
		f.note("models", found, fmt.Sprintf("The provider lists %s models, %s among them.", number(len(f.list)), f.probe.Model), "")
	case f.said.err == nil:
		f.note(
			"models",
			found,
			fmt.Sprintf("The provider lists %s models; %s is not among them and answers all the same.", number(len(f.list)), f.probe.Model),
			"",
		)
	default:
		f.note(
			"models",
			missing,
			fmt.Sprintf("The provider lists %s models, and %s is not among them.", number(len(f.list)), f.probe.Model),
			"Choose one of those that it lists.",
		)
	}
}

// number has commas between its thousands.
func number(n int) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
