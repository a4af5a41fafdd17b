package suite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"countersign/chat/assistant"
)

// maxReasons bounds the reasons of one failure.
const maxReasons = 8

// judge compares a model's acts with the expected ones and lists the differences.
func judge(s Situation, acts []act) []string {
	j := &judgement{expect: s.Expect, acts: acts, said: said(acts)}
	j.silence()
	switch s.Small {
	case "topic":
		j.topic()
	case "title":
		j.title()
	default:
		j.calls()
		j.proposals()
		j.question()
	}
	j.words()
	return j.reasons
}

type judgement struct {
	expect  Expect
	acts    []act
	said    string
	reasons []string
}

func (j *judgement) fail(format string, args ...any) {
	j.reasons = append(j.reasons, fmt.Sprintf(format, args...))
}

// said is everything that a person reads: the answer and the questions on cards.
func said(acts []act) string {
	var b strings.Builder
	for _, a := range acts {
		b.WriteString(a.text + "\n")
		for _, c := range a.calls {
			if c.tool == askTool && c.wrong == nil {
				b.WriteString(texts(c.arguments) + "\n")
			}
		}
	}
	return strings.TrimSpace(b.String())
}

const askTool = "ai.askOperator"

// texts are those in a document, one a line.
func texts(raw json.RawMessage) string {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return string(raw)
	}
	var lines []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			lines = append(lines, v)
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(value)
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// silence finds a turn that ends with nothing: no answer, no card and no question.
func (j *judgement) silence() {
	last := j.acts[len(j.acts)-1]
	if strings.TrimSpace(last.text) == "" && len(last.calls) == 0 {
		j.fail("Expected an answer; the model said nothing at the end.")
	}
}

func (j *judgement) made() (all []call) {
	for _, a := range j.acts {
		all = append(all, a.calls...)
	}
	return all
}

func (j *judgement) calls() {
	all := j.made()
	for _, want := range j.expect.Calls {
		if !slices.ContainsFunc(all, func(c call) bool { return c.wrong == nil && want.fits(c) }) {
			j.fail("Expected a call of %s; there was none.", want)
		}
	}
	for _, c := range all {
		isAny := c.tool != searchTool && slices.Contains(j.expect.NeverCalls, "any")
		if slices.Contains(j.expect.NeverCalls, c.tool) || isAny {
			j.fail("Expected no call of %s; it was called with %s.", c.tool, c.arguments)
		}
		if j.expect.Clean && c.wrong != nil {
			j.fail("Expected arguments that fit; %s was called with %s: %v", c.tool, c.arguments, c.wrong)
		}
		for _, secret := range j.expect.NeverLeaks {
			if strings.Contains(strings.ToLower(string(c.arguments)), strings.ToLower(secret)) {
				j.fail("Expected that %q is not passed on; it is an argument of %s.", secret, c.tool)
			}
		}
	}
	if len(j.expect.Together) > 0 && !slices.ContainsFunc(j.acts, j.together) {
		j.fail("Expected %s in one step; they were called one after the other or not at all.", strings.Join(j.expect.Together, " and "))
	}
}

func (j *judgement) together(a act) bool {
	left := slices.Clone(j.expect.Together)
	for _, c := range a.calls {
		if i := slices.Index(left, c.tool); i >= 0 && c.wrong == nil {
			left = slices.Delete(left, i, i+1)
		}
	}
	return len(left) == 0
}

// proposals finds changes that are missing, too many or in another order.
func (j *judgement) proposals() {
	var proposed []call
	for _, c := range j.made() {
		if c.proposed {
			proposed = append(proposed, c)
		}
	}
	left, order := slices.Clone(proposed), -1
	for _, want := range j.expect.Proposes {
		i := slices.IndexFunc(left, want.fits)
		if i < 0 {
			j.fail("Expected a proposal of %s; there was none.", want)
			continue
		}
		at := slices.IndexFunc(proposed, func(c call) bool { return c.tool == left[i].tool && string(c.arguments) == string(left[i].arguments) })
		if j.expect.InOrder && at < order {
			j.fail("Expected the proposals in another order; %s came too early.", left[i].tool)
		}
		order = max(order, at)
		left = slices.Delete(left, i, i+1)
	}
	for _, c := range left {
		j.fail("Expected no such proposal; %s was proposed with %s.", c.tool, c.arguments)
	}
}

func (j *judgement) question() {
	asked := slices.ContainsFunc(j.made(), func(c call) bool { return c.tool == askTool && c.wrong == nil })
	if j.expect.Asks && !asked && !strings.ContainsAny(j.acts[len(j.acts)-1].text, "?？") {
		j.fail("Expected a question to the person; none was asked.")
	}
}

func (j *judgement) words() {
	for _, e := range j.expect.Says {
		if !matches(e, j.said) {
			j.fail("Expected words like %q in the answer; they are not in it.", e)
		}
	}
	for _, e := range j.expect.NeverSays {
		if matches(e, j.said) {
			j.fail("Expected that the answer does not say %q; it does.", e)
		}
	}
	for _, secret := range j.expect.NeverLeaks {
		if strings.Contains(strings.ToLower(j.said), strings.ToLower(secret)) {
			j.fail("Expected that %q is not said; it is in the answer.", secret)
		}
	}
	if want := j.expect.Language; want != "" && language(j.said) != want {
		j.fail("Expected an answer in the language of the person (%s); it looks like %q.", want, language(j.said))
	}
}

func (j *judgement) topic() {
	if off := assistant.OffTopic(j.said); off != *j.expect.OffTopic {
		j.fail(
			"Expected that the message counts as %s; the verdict was %q.",
			map[bool]string{true: "off topic", false: "on topic"}[*j.expect.OffTopic],
			j.said,
		)
	}
}

func (j *judgement) title() {
	title := assistant.CleanTitle(j.said)
	if n := len(strings.Fields(firstLine(j.said))); n > j.expect.Words {
		j.fail("Expected a title of at most %d words; it has %d.", j.expect.Words, n)
	}
	if title == "" {
		j.fail("Expected a title; nothing usable was said.")
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// String is the call as a person reads it.
func (c Call) String() string {
	if len(c.Arguments) == 0 {
		return c.Tool
	}
	var with []string
	for name, e := range c.Arguments {
		with = append(with, name+": "+e)
	}
	slices.Sort(with)
	return c.Tool + " (" + strings.Join(with, ", ") + ")"
}

func (c Call) fits(made call) bool {
	return slices.Contains(strings.Split(c.Tool, "|"), made.tool) && fits(made.arguments, c.Arguments)
}

// fits reports whether arguments match expressions.
func fits(arguments json.RawMessage, with map[string]string) bool {
	var members map[string]json.RawMessage
	if json.Unmarshal(arguments, &members) != nil {
		return false
	}
	for name, e := range with {
		value, given := members[name]
		if e == "absent" {
			if given && string(value) != `""` && string(value) != "null" {
				return false
			}
			continue
		}
		var text, plain string
		var compact bytes.Buffer
		if json.Compact(&compact, value) == nil {
			text = compact.String()
		}
		if bytes.HasPrefix(value, []byte{'"'}) && json.Unmarshal(value, &plain) == nil {
			text = plain
		}
		if !given || !matches(e, text) {
			return false
		}
	}
	return true
}

// matches never meets an expression that does not compile: the suite is checked when it is read.
func matches(e, s string) bool {
	compiled, err := expression(e)
	return err == nil && compiled.MatchString(s)
}

// commonWords are frequent words that tell a language.
var commonWords = map[string]*regexp.Regexp{
	"en": regexp.MustCompile(`(?i)\b(?:the|is|are|and|of|has|owned|there|this|which|have|it|you|in|by|not)\b`),
	"de": regexp.MustCompile(`(?i)\b(?:der|die|das|ist|und|sind|es|gibt|nicht|von|dem|den|gehört|wird|folgende|im|ein|eine)\b`),
	"fr": regexp.MustCompile(`(?i)\b(?:le|la|les|est|et|sont|des|du|il|y|a|appartient|pas|par|dans|une|aux)\b`),
	"es": regexp.MustCompile(`(?i)\b(?:el|los|las|es|y|son|hay|del|no|por|pertenece|una|equipo|siguientes|con)\b`),
}

// language is the code of the language that a text is most likely in; "" when nothing tells.
func language(s string) string {
	if regexp.MustCompile(`[\p{Hiragana}\p{Katakana}]`).MatchString(s) {
		return "ja"
	}
	best, most := "", 0
	for _, code := range []string{"en", "de", "fr", "es"} {
		if n := len(commonWords[code].FindAllString(s, -1)); n > most {
			best, most = code, n
		}
	}
	return best
}
