package demo

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"countersign/model"
)

const (
	// maxOptions and maxLabel are the limits of a question card.
	maxOptions = 6
	maxLabel   = 120

	nevermind = "Never mind"
)

// Questions carry in their words what an answer needs to be understood.
var (
	whichQuestion = regexp.MustCompile(`^Which (system|group|environment) do you mean by “(.+)”\?$`)
	nameQuestion  = regexp.MustCompile(`^What should the (system|group|environment) be called\?$`)
	teamQuestion  = regexp.MustCompile(`Which team should own (“.+”)\?$`)
	quotedName    = regexp.MustCompile(`“([^”]+)”`)
	dismissal     = regexp.MustCompile(`(?i)^(?:no|nope|cancel(?:\s+(?:it|that))?|never\s*mind|stop|forget it)[.!]?$`)
)

// ask puts a question with answers to pick to the person, which ends the turn. Without the tool for it, otherwise is
// said instead.
func (t *turn) ask(question string, labels []string, otherwise string) {
	var options []any
	for _, label := range labels {
		if len(options) < maxOptions && label != "" && len([]rune(label)) <= maxLabel {
			options = append(options, object{"label": label})
		}
	}
	input := object{"question": question, "options": options}
	const longestQuestion = 500
	if !t.offered[askOperator] || len(options) == 0 || len([]rune(question)) > longestQuestion {
		t.say(otherwise)
		return
	}
	r, asked := t.resultOf(askOperator, input, &t.questions)
	switch {
	case asked && r.failure != nil:
		t.say(otherwise)
	case asked:
		t.say("I'll go on when you have answered.")
	}
}

// which asks which of several things is meant by a name.
func (t *turn) which(kind, name string, among []entry) {
	labels := make([]string, 0, len(among))
	for _, e := range among {
		labels = append(labels, e.text("name", "title"))
	}
	t.ask("Which "+kind+" do you mean by “"+name+"”?", labels,
		"“"+clean(name)+"” fits several "+kind+"s."+existing(kind, among, false)+" Tell me the whole name.")
}

// asked is what a person asked for with the message at this index: the message, or what it answers a question about
// with the answer worked in. named says that the answer was the name of something new.
func asked(messages []model.Message, at int) (text string, named bool) {
	text = messages[at].Content
	before := lastUser(messages[:at])
	if before < 0 {
		return text, false
	}
	question, labels := questionIn(messages[before+1 : at])
	answer := strings.Trim(strings.TrimSpace(strings.ReplaceAll(text, `"`, "")), " .!")
	if question == "" || answer == "" || dismissal.MatchString(answer) || !isAnswer(answer, labels) {
		return text, false
	}
	if found := whichQuestion.FindStringSubmatch(question); found != nil {
		whole, wasNamed := asked(messages, before)
		if at := strings.Index(strings.ToLower(whole), strings.ToLower(found[2])); at >= 0 && at+len(found[2]) <= len(whole) {
			return unquoted(whole[:at], true) + `"` + answer + `"` + unquoted(whole[at+len(found[2]):], false), wasNamed
		}
		return text, false
	}
	if found := nameQuestion.FindStringSubmatch(question); found != nil {
		return "add a " + found[1] + ` called "` + answer + `"`, true
	}
	if found := teamQuestion.FindStringSubmatch(question); found != nil {
		var names []string
		for _, name := range quotedName.FindAllStringSubmatch(found[1], -1) {
			names = append(names, `"`+name[1]+`"`)
		}
		request := "add a system called " + names[0]
		if len(names) > 1 {
			request = "add systems " + join(names, "and")
		}
		if !nobody.MatchString(answer) {
			request += ` owned by "` + answer + `"`
		}
		return request, false
	}
	return text, false
}

// unquoted removes the quote that stands at one end of a text.
func unquoted(text string, atEnd bool) string {
	const quotationMarks = "\"'“”‘’`"
	if atEnd {
		return strings.TrimRight(text, quotationMarks)
	}
	return strings.TrimLeft(text, quotationMarks)
}

func isAnswer(text string, labels []string) bool {
	if slices.ContainsFunc(labels, func(label string) bool { return strings.EqualFold(strings.ReplaceAll(label, `"`, ""), text) }) {
		return true
	}
	return len(strings.Fields(text)) <= longestAnswer && !otherRequest.MatchString(text) && !strings.Contains(text, "\n")
}

// questionIn returns the question that these messages of a turn put to the person.
func questionIn(messages []model.Message) (question string, labels []string) {
	for _, m := range slices.Backward(messages) {
		for _, call := range m.ToolCalls {
			var input struct {
				Question string `json:"question"`
				Options  []struct {
					Label string `json:"label"`
				} `json:"options"`
			}
			if call.Name != askOperator || json.Unmarshal([]byte(call.Arguments), &input) != nil {
				continue
			}
			for _, o := range input.Options {
				labels = append(labels, o.Label)
			}
			return input.Question, labels
		}
	}
	return "", nil
}
