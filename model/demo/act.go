package demo

import (
	"maps"
	"slices"
	"strings"
)

// perform runs the steps of a wish as far as the present results allow.
func (t *turn) perform(w wish) {
	if err := t.act(w, w.scene); err != nil {
		t.say("A tool has answered something that I cannot read: I'm a demo model that follows a script. " + connectModel)
	}
}

func (t *turn) act(w wish, s *scene) error {
	in := maps.Clone(w.slots)
	in["request"], in["answered"], in["question"] = w.text, t.answered, t.question != ""
	in["examples"], in["connect"] = t.examples(), connectModel
	ready := true
	for _, step := range s.Steps {
		// Two names are looked up at the same time.
		if !ready && step.Find == "" {
			return nil
		}
		due, err := step.When.holds(in)
		if err != nil {
			return err
		}
		if !due {
			continue
		}
		switch {
		case step.Find != "":
			found, other, err := t.find(w, step, in)
			if err != nil {
				return err
			}
			if other {
				return t.act(w, t.book.scene(step.Else))
			}
			ready = ready && found
		case step.Ask.is() && in[step.answers()] == nil:
			return t.put(step, in)
		default:
			if ready, err = t.do(w, step, in); err != nil {
				return err
			}
		}
	}
	if !ready {
		return nil
	}
	said, err := s.Answer.fill(in)
	t.say(strings.TrimSpace(said))
	return err
}

// do runs one step and reports whether the next step can run.
func (t *turn) do(w wish, s *step, in object) (bool, error) {
	if s.Call.is() {
		return t.call(s, in)
	}
	return true, t.utter(w, s, in)
}

// utter adds the text of a step.
func (t *turn) utter(w wish, s *step, in object) error {
	switch {
	case s.Say.is():
		said, err := s.Say.fill(in)
		if err != nil {
			return err
		}
		t.say(said)
	case s.Quote:
		t.quote(w.text)
	}
	return nil
}

// call makes the call of a step, once for each item if the step says so. done says that no result is missing.
func (t *turn) call(s *step, in object) (done bool, err error) {
	if s.Each == "" {
		return t.callOnce(s, in)
	}
	done = true
	for _, one := range listed(in[s.Each]) {
		with := maps.Clone(in)
		with[s.Each] = one
		answered, err := t.callOnce(s, with)
		if err != nil {
			return false, err
		}
		done = done && answered
	}
	return done, nil
}

func (t *turn) callOnce(s *step, in object) (done bool, err error) {
	filled, err := s.Input.of(in)
	if err != nil {
		return false, err
	}
	tool := s.Call.name
	if s.Call.made.is() {
		made, err := s.Call.made.fill(in)
		if err != nil {
			return false, err
		}
		tool = t.wire(made)
	}
	input, _ := filled.(object)
	in["input"] = input
	if s.Intent.is() {
		return t.change(s, tool, in, input)
	}
	if s.MayFail && !t.offered[tool] && !t.called(tool, input) {
		return true, nil
	}
	r, done := t.resultOf(tool, input, &t.reads)
	r = r.carriedOut()
	if done && r.failure != nil {
		if members, ok := r.value.(object); !ok || s.Holds == "" || members[s.Holds] == nil {
			if !s.MayFail {
				t.say(r.failure.explain())
			}
			return s.MayFail, nil
		}
	}
	if done && s.As != "" {
		in[s.As] = r.value
	}
	return done, nil
}

// change proposes the change of a step and reports its outcome.
func (t *turn) change(s *step, tool string, in, input object) (done bool, err error) {
	intent, err := s.Intent.fill(in)
	if err != nil {
		return false, err
	}
	r, ok := t.write(tool, input, intent, s.Optional...)
	if !ok {
		return true, nil
	}
	said, err := s.Done.fill(in)
	t.conclude(r, said)
	return true, err
}

// conclude reports the outcome of a change.
func (t *turn) conclude(r result, done string) {
	switch status := r.entry("").text("status"); status {
	case "", "applied":
		t.say(done)
	case "awaiting_operator":
		t.say("The change is waiting for a decision on its card. Nothing happens before that.")
	default:
		t.say("The change has not been made: it is " + clean(status) + ".")
	}
}

const (
	// maxOptions and maxLabel are the limits of a question card.
	maxOptions = 6
	maxLabel   = 120
	// longestAnswer is the maximum number of words of an answer; longer ones are new requests.
	longestAnswer = 6
	// neverMind leaves a question open.
	neverMind = "Never mind"
)

// put asks the question of a step.
func (t *turn) put(s *step, in object) error {
	question, err := s.Ask.fill(in)
	if err != nil {
		return err
	}
	var labels []string
	for _, option := range s.Options {
		label, err := option.of(in)
		if err != nil {
			return err
		}
		labels = append(labels, texts(label)[:min(len(texts(label)), maxOptions-len(s.Options)+1)]...)
	}
	t.ask(question, labels)
	return nil
}

// ask puts a question with options to the person, which ends the turn. Without the tool for it, the question is plain
// text.
func (t *turn) ask(question string, labels []string) {
	var options []any
	var some []string
	for _, label := range labels {
		if len(options) < maxOptions && label != "" && len([]rune(label)) <= maxLabel {
			options = append(options, object{"label": label})
			if label != neverMind {
				some = append(some, clean(label))
			}
		}
	}
	inWords := question + " Tell me in your next message."
	if len(some) > 0 {
		inWords = question + " Tell me which: " + join(some, "or") + "."
	}
	const longestQuestion = 500
	if !t.offered[askOperator] || len(options) == 0 || len([]rune(question)) > longestQuestion {
		t.say(inWords)
		return
	}
	r, asked := t.resultOf(askOperator, object{"question": question, "options": options}, &t.questions)
	switch {
	case asked && r.failure != nil:
		t.say(inWords)
	case asked:
		t.say("I'll go on when you have answered.")
	}
}

// which asks for the meaning of a name that several things contain.
func which(kind, name string) string { return "Which " + kind + " do you mean by “" + name + "”?" }

// asks finds the slot, and the name in it, that a question to the person is about.
func (w wish) asks(question string) (slot, name string) {
	for _, s := range w.scene.Steps {
		for _, name := range texts(w.slots[s.slot()]) {
			if s.Find != "" && strings.Contains(question, which(s.Find, name)) {
				return s.slot(), name
			}
		}
		if asked, err := s.Ask.fill(w.slots); err == nil && asked != "" && strings.Contains(question, asked) {
			return s.answers(), ""
		}
	}
	return "", ""
}

// answer puts an answer into the slot of the question.
func (w wish) answer(slot, name, answer string) wish {
	w.slots = maps.Clone(w.slots)
	if list, ok := w.slots[slot].(names); ok {
		list = slices.Clone(list)
		for i := range list {
			if list[i] == name {
				list[i] = answer
			}
		}
		w.slots[slot] = list
		return w
	}
	w.slots[slot] = answer
	return w
}
