package demo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Script is the content of a message's directives for the scripted model.
type Script struct {
	// Rounds of tool calls come before the final text.
	Rounds int
	// Calls are made in every round that Override does not change.
	Calls    []ScriptCall
	Override map[int]Round
	// Repeat is how often each call is made in a round.
	Repeat int
	// Tokens and Text make the final text: the text, then filler up to so many
	// tokens.
	Tokens int
	Text   string
	// Reasoning is how many tokens of reasoning come before each answer.
	Reasoning int
	// Delays and chunk size override those of the server.
	DelayFirst, DelayToken *time.Duration
	Chunk                  int
	Faults                 []Fault
	RetryAfter             time.Duration
	// Finish replaces the finish reason of every answer.
	Finish string
	// Stamp puts the time at which it is sent behind each piece of text.
	Stamp bool
	// NeverEnds calls tools for as long as the request offers any.
	NeverEnds bool
}

// ScriptCall is a call to make. In Input, {round} and {call} stand for the
// numbers of the round and of the call in it, both from one.
type ScriptCall struct {
	Tool  string
	Input string
}

// Round overrides one round.
type Round struct {
	Calls []ScriptCall
	Text  string
}

// Fault is a fault in one model request of the turn.
type Fault struct {
	Kind FaultKind
	// Round is the request, counted from one; zero is every one.
	Round int
	// Times is the number of occurrences for the same request, which a client repeats; zero is always.
	Times int
}

const (
	maxScriptRounds = 1000
	maxScriptCalls  = 64
	maxScriptTokens = 200_000
	maxScriptDelay  = 10 * time.Minute
	maxScriptFaults = 64
	maxScriptBytes  = 64 << 10
	maxScriptTexts  = 16

	scriptMark = "script:"
)

// ParseScript reads the directives of a message: every line that begins with
// "script:" holds some, separated by blanks. found is false when there is none.
//
//	rounds=4                  rounds of tool calls before the final text
//	tool=ai.searchDocs        a call for every round; may be repeated
//	input={"query":"x"}       input of the call before it, {} by default;
//	                          {round} and {call} in it become numbers
//	calls=2                   makes each call so often in a round
//	ask="Which?"              puts a question to the person,
//	option="A"                with these answers to pick; may be repeated
//	r2.tool= r2.input=        what the second round calls instead
//	r2.text="..."             text before the calls of the second round
//	text="..." tokens=20      the final text, filled up to 20 tokens
//	repeat=2                  writes the text twice in a row
//	reasoning=10              tokens of reasoning before every answer
//	delay_first=300ms         until the first token
//	delay_token=33ms          between tokens
//	chunk=4                   tokens sent at a time
//	stamp                     ends each piece of text with the microseconds since
//	                          1970 at which it is sent, as <1700000000000000>
//	never_ends                calls tools as long as any are offered
//	fault=429                 goes wrong in the first request of the turn,
//	fault=429@3               in the third one,
//	fault=429@3x2             the first two times that this one is made,
//	fault=429@*               in every request; x* is always. May be repeated.
//	retry_after=1s            what a 429 or 503 asks for (1s by default for 429)
//	finish=length             why the answers end, instead of the true reason
//	id=a1                     has no effect but to tell equal messages apart
//
// Values with blanks are JSON strings. [FaultKinds] lists the faults. Their
// times are counted by process, for the conversation up to the message; two
// conversations with equal messages and equal users share the count unless
// their ids differ. The count is forgotten after ten minutes.
func ParseScript(message string) (script Script, found bool, err error) {
	var directives []string
	for line := range strings.Lines(message) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), scriptMark); ok {
			directives = append(directives, rest)
		}
	}
	if len(directives) == 0 {
		return Script{}, false, nil
	}
	text := strings.TrimSpace(strings.Join(directives, " "))
	if len(text) > maxScriptBytes {
		return Script{}, true, fmt.Errorf("the script is longer than %d bytes", maxScriptBytes)
	}
	p := parser{texts: 1, script: Script{Rounds: -1, Repeat: 1, Tokens: -1, Override: map[int]Round{}}}
	for text != "" {
		var key, value string
		if key, value, text, err = directive(text); err != nil {
			return Script{}, true, err
		}
		if err := p.set(key, value); err != nil {
			return Script{}, true, err
		}
	}
	return p.finish(), true, nil
}

// directive splits off "key=value" or "key".
func directive(text string) (key, value, rest string, err error) {
	end := strings.IndexAny(text, "= \t")
	if end < 0 {
		return text, "", "", nil
	}
	key, rest = text[:end], text[end:]
	if rest[0] != '=' {
		return key, "", strings.TrimLeft(rest, " \t"), nil
	}
	rest = rest[1:]
	if rest != "" && (rest[0] == '"' || rest[0] == '{') {
		decoder := json.NewDecoder(strings.NewReader(rest))
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil {
			return "", "", "", fmt.Errorf("the value of %s is not valid JSON", key)
		}
		rest = rest[decoder.InputOffset():]
		if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
			return "", "", "", fmt.Errorf("the value of %s is followed by %q", key, rest[:1])
		}
		value = string(raw)
		if raw[0] == '"' {
			if err := json.Unmarshal(raw, &value); err != nil {
				return "", "", "", fmt.Errorf("the value of %s is not a string", key)
			}
		}
		return key, value, strings.TrimLeft(rest, " \t"), nil
	}
	if end = strings.IndexAny(rest, " \t"); end < 0 {
		end = len(rest)
	}
	return key, rest[:end], strings.TrimLeft(rest[end:], " \t"), nil
}

type parser struct {
	script Script
	// texts is the number of repetitions of the final text.
	texts int
}

func (p *parser) set(key, value string) (err error) {
	s := &p.script
	number := func(most int) int {
		n, wrong := strconv.Atoi(value)
		if wrong != nil || n < 0 || n > most {
			err = fmt.Errorf("%s has to be a number from 0 to %d, not %q", key, most, value)
		}
		return n
	}
	delay := func() time.Duration {
		d, wrong := time.ParseDuration(value)
		if wrong != nil || d < 0 || d > maxScriptDelay {
			err = fmt.Errorf("%s has to be a duration up to %s, not %q", key, maxScriptDelay, value)
		}
		return d
	}
	switch key {
	case "rounds":
		s.Rounds = number(maxScriptRounds)
	case "calls":
		if s.Repeat = number(maxScriptCalls); s.Repeat == 0 && err == nil {
			err = errors.New("calls has to be at least 1")
		}
	case "tokens":
		s.Tokens = number(maxScriptTokens)
	case "reasoning":
		s.Reasoning = number(maxScriptTokens)
	case "chunk":
		s.Chunk = number(maxScriptTokens)
	case "text":
		s.Text = value
	case "repeat":
		p.texts = number(maxScriptTexts)
	case "delay_first":
		d := delay()
		s.DelayFirst = &d
	case "delay_token":
		d := delay()
		s.DelayToken = &d
	case "retry_after":
		s.RetryAfter = delay()
	case "finish":
		if s.Finish = value; strings.Trim(value, "abcdefghijklmnopqrstuvwxyz_") != "" {
			err = errors.New("finish has to be a word in small letters")
		}
	case "never_ends", "stamp":
		s.NeverEnds = s.NeverEnds || key == "never_ends"
		s.Stamp = s.Stamp || key == "stamp"
		if value != "" {
			err = fmt.Errorf("%s takes no value", key)
		}
	case "id":
	case "tool":
		s.Calls, err = appendCall(s.Calls, value)
	case "input":
		err = setInput(s.Calls, value)
	case "ask":
		s.Calls, err = appendCall(s.Calls, askOperator)
		if err == nil {
			err = setInput(s.Calls, inputText(object{"question": value, "options": []any{}}))
		}
	case "option":
		err = addOption(s.Calls, value)
	case "fault":
		if value == "never_ends" {
			s.NeverEnds = true
			return nil
		}
		err = p.addFault(value)
	default:
		return p.setRound(key, value)
	}
	return err
}

// setRound handles "r2.tool" and its like.
func (p *parser) setRound(key, value string) error {
	prefix, name, dotted := strings.Cut(key, ".")
	n, err := strconv.Atoi(strings.TrimPrefix(prefix, "r"))
	if !dotted || !strings.HasPrefix(prefix, "r") || err != nil || n < 1 || n > maxScriptRounds {
		return fmt.Errorf("%q is not a directive", key)
	}
	round := p.script.Override[n]
	switch name {
	case "tool":
		round.Calls, err = appendCall(round.Calls, value)
	case "input":
		err = setInput(round.Calls, value)
	case "text":
		round.Text = value
	default:
		err = fmt.Errorf("%q is not a directive", key)
	}
	p.script.Override[n] = round
	return err
}

func appendCall(calls []ScriptCall, tool string) ([]ScriptCall, error) {
	if tool == "" || len(tool) > 128 || len(calls) == maxScriptCalls {
		return calls, fmt.Errorf("tool has to be the name of a tool, %d times at the most", maxScriptCalls)
	}
	return append(calls, ScriptCall{Tool: strings.ReplaceAll(tool, ".", "_"), Input: "{}"}), nil
}

func setInput(calls []ScriptCall, input string) error {
	if len(calls) == 0 {
		return errors.New("input has to follow the tool that it is for")
	}
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(input), &members) != nil || members == nil {
		return errors.New("input has to be a JSON object")
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(input)); err != nil {
		return errors.New("input has to be a JSON object")
	}
	calls[len(calls)-1].Input = compact.String()
	return nil
}

// addOption adds an answer to the question before it.
func addOption(calls []ScriptCall, label string) error {
	var question object
	if len(calls) == 0 || calls[len(calls)-1].Tool != askOperator || json.Unmarshal([]byte(calls[len(calls)-1].Input), &question) != nil {
		return errors.New("option has to follow the question that it is for")
	}
	options, _ := question["options"].([]any)
	question["options"] = append(options, object{"label": label})
	return setInput(calls, inputText(question))
}

func (p *parser) addFault(value string) error {
	kind, place, placed := strings.Cut(value, "@")
	times, repeated := "1", false
	if placed {
		if at := strings.LastIndexByte(place, 'x'); at >= 0 {
			place, times, repeated = place[:at], place[at+1:], true
		}
	} else if at := strings.LastIndexByte(kind, 'x'); at >= 0 && isCount(kind[at+1:]) {
		kind, times, repeated = kind[:at], kind[at+1:], true
	}
	fault := Fault{Kind: FaultKind(kind), Round: 1}
	if _, known := faultKinds[fault.Kind]; !known {
		return fmt.Errorf("%q is not a fault", kind)
	}
	if placed {
		n, err := count(place)
		if err != nil {
			return fmt.Errorf("the request of a fault has to be a number from 1 or *, not %q", place)
		}
		fault.Round = n
	}
	n, err := count(times)
	if err != nil && repeated {
		return fmt.Errorf("the times of a fault have to be a number from 1 or *, not %q", times)
	}
	fault.Times = n
	if len(p.script.Faults) == maxScriptFaults {
		return fmt.Errorf("a script can have %d faults", maxScriptFaults)
	}
	p.script.Faults = append(p.script.Faults, fault)
	return nil
}

func isCount(text string) bool {
	_, err := count(text)
	return err == nil
}

// count reads a number from one, or "*" as zero.
func count(text string) (int, error) {
	if text == "*" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxScriptRounds {
		return 0, fmt.Errorf("%q is not a count", text)
	}
	return n, nil
}

// finish fills in omitted directives.
func (p *parser) finish() Script {
	s := p.script
	s.Text = strings.Repeat(s.Text, p.texts)
	if s.Rounds < 0 {
		s.Rounds = 0
		if len(s.Calls) > 0 {
			s.Rounds = 1
		}
		for n := range s.Override {
			s.Rounds = max(s.Rounds, n)
		}
	}
	if s.Tokens < 0 {
		s.Tokens = 0
		if s.Text == "" {
			s.Tokens = 8
		}
	}
	return s
}
