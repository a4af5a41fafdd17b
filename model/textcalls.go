package model

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Servers without a parser for the model's own form of a call leave it in the text of the answer. Its beginning counts
// outside of code and quotes; what follows is held back until the answer ends, since it is a call only when all of it can
// be read and its tool was offered.

var (
	// jsonBegins is the beginning of an answer that may be a call in JSON, pythonBegins of one in the form of Python.
	jsonBegins   = regexp.MustCompile(`^[\[{\s]*"(?:name|type|function|parameters|arguments|args|input|tool|tool_name|tool_calls|action)"\s*:`)
	mayBeJSON    = regexp.MustCompile(`^[\[{\s]*(?:"[a-z_]{0,10}"?\s*)?$`)
	pythonBegins = regexp.MustCompile(`^\[\s*[A-Za-z_][\w.]{0,127}\(`)
	mayBePython  = regexp.MustCompile(`^\[\s*(?:[A-Za-z_][\w.]{0,127})?$`)
	// codeBegins is the opening of code, and with it a call that is an answer alone; toolCode is one that holds calls as Python.
	codeBegins = regexp.MustCompile("^(?:`{1,3}|~{1,3})[a-z_]*\\s*")
	toolCode   = regexp.MustCompile("^(?:```|~~~)tool_(?:code|calls?)\\s")
	// cutTag is a tag behind a call of which only the beginning has come.
	cutTag = regexp.MustCompile(`^[<\[][^\s>\]]{0,40}$`)
	// strippedMark begins harmony whose marks a server has removed.
	strippedMark   = []byte("analysis")
	strippedBegins = regexp.MustCompile(`^analysis\S`)
)

// longestMark bounds the text that is held back because it may be the beginning of a mark.
const longestMark = 40

// textCalls separates calls from the text of an answer that arrives in pieces.
type textCalls struct {
	held  []byte
	found bool // a mark has come: everything from it on is held
	// last is the end of the text that has been passed on, ticks the length of the run of backticks at it. code is the length of
	// the run that has opened code, which one as long closes; fence counts the fences of tildes.
	last               byte
	ticks, code, fence int
	begun              bool
	// straight and opened are the open quotes of the current line, recent its last bytes, cited says that it begins with >.
	straight, cited bool
	opened, tildes  int
	recent          [3]byte
	solid           [utf8.UTFMax]byte // the last bytes without blanks
	// struck says that <s> is open: the end of what it strikes out is no mark of a template.
	struck bool
	quoting
}

// write adds a piece and returns the text that is certainly no call. The slice is valid until the next call.
func (t *textCalls) write(piece []byte) []byte {
	t.held = append(t.held, piece...)
	if t.found {
		return nil
	}
	if !t.begun {
		t.held = withoutBeginMark(t.held)
		rest := bytes.TrimLeft(t.held, space)
		could, does := beginsCall(rest, nil)
		if code := codeBegins.Find(rest); !could && len(code) > 0 {
			could, does = beginsCall(rest[len(code):], code)
		}
		could = could || bytes.HasPrefix(strippedMark, rest) || slices.ContainsFunc(beginMarks, func(m []byte) bool {
			return bytes.HasPrefix(m, rest)
		})
		if t.found = does || strippedBegins.Match(rest); t.found || could {
			return nil
		}
	}
	at := t.scan()
	free := t.held[:at]
	t.held = append([]byte(nil), t.held[at:]...)
	return free
}

// withoutBeginMark drops the mark of a template before an answer.
func withoutBeginMark(held []byte) []byte {
	rest := bytes.TrimLeft(held, space)
	for _, m := range beginMarks {
		if inner, found := bytes.CutPrefix(rest, m); found {
			return bytes.TrimLeft(inner, space)
		}
	}
	return held
}

// beginsCall reports whether a text could still begin with a call in JSON, in Python, or behind the opening of code in any form,
// and whether it does.
func beginsCall(rest, code []byte) (could, does bool) {
	does = jsonBegins.Match(rest) || pythonBegins.Match(rest)
	could = does || mayBeJSON.Match(rest) || mayBePython.Match(rest)
	if len(code) == 0 {
		return could, does
	}
	if toolCode.Match(code) {
		does = does || barePython.Match(rest)
		could = could || does || mayBeBarePython.Match(rest)
	}
	for _, m := range callMarks {
		does = does || bytes.HasPrefix(rest, m)
		could = could || does || bytes.HasPrefix(m, rest)
	}
	return could, does
}

// scan finds where the text begins that must be held back: a mark, or the beginning of one at the end.
func (t *textCalls) scan() int {
	for i, c := range t.held {
		if c == '<' || c == '[' {
			rest := t.held[i:]
			if t.counts() {
				for _, m := range callMarks {
					if bytes.HasPrefix(rest, m) {
						t.found = true
						return i
					}
				}
			}
			if t.struck && bytes.HasPrefix(rest, []byte("</s>")) {
				t.pass(c)
				continue
			}
			if len(rest) < longestMark && slices.ContainsFunc(callMarks, func(m []byte) bool { return bytes.HasPrefix(m, rest) }) ||
				trailing(rest) {
				return i
			}
		}
		t.pass(c)
	}
	return len(t.held)
}

// trailing reports whether a text is end marks alone, of which the last may be incomplete.
func trailing(rest []byte) bool {
	at := max(bytes.LastIndexAny(rest, "<["), 0)
	if slices.ContainsFunc(endMarks, func(m []byte) bool { return bytes.HasPrefix(m, rest[at:]) }) {
		rest = rest[:at]
	}
	return len(withoutEndMarks(rest)) == 0
}

// counts reports whether a mark here is neither in code nor in quotes: what a tool answered or a page says must not become a call
// because the model shows it.
func (t *textCalls) counts() bool {
	return !t.inQuotation() && strings.IndexByte("`\"'", t.last) < 0
}

// inQuotation reports whether code, quotes or a citation are open. A run of backticks may have closed a span of an earlier line.
func (t *textCalls) inQuotation() bool {
	return t.fence%2 != 0 || t.code != 0 && t.code != t.span || t.straight || t.opened > 0 || t.cited || t.quotes()
}

// quotes of several bytes: what opens is positive, what closes negative. In some languages “ closes what „ has opened.
var quotes = map[string]int{"“": 1, "”": -1, "„": 1, "‘": 1, "’": -1, "«": 1, "»": -1}

// mark notes quotes, citations and fences of tildes, which end with the line apart from the last.
func (t *textCalls) mark(c byte) {
	t.recent = [3]byte{t.recent[1], t.recent[2], c}
	t.quoting.pass(c)
	if c == '\n' {
		t.endLine(t.opened, t.code)
		t.straight, t.cited, t.opened, t.tildes = false, false, 0, 0
		return
	}
	switch string(t.recent[:]) {
	case "<s>":
		t.struck = true
	case "/s>":
		t.struck = false
	}
	if strings.IndexByte(space, c) < 0 {
		t.solid = [utf8.UTFMax]byte{t.solid[1], t.solid[2], t.solid[3], c}
		t.cited = t.cited || c == '>' && listEntry.Match(t.lead[:len(t.lead)-1]) // a citation can be an entry of a list
	}
	if t.tildes >= 0 && c == '~' {
		if t.tildes++; t.tildes == 3 {
			t.fence++
		}
	} else if strings.IndexByte(space, c) < 0 {
		t.tildes = -1
	}
	t.straight = t.straight != (c == '"')
	if c < utf8.RuneSelf {
		return // the last byte of a quote is none of ASCII
	}
	change := quotes[string(t.recent[:])]
	if change == 0 {
		change = quotes[string(t.recent[1:])]
	}
	if string(t.recent[:]) == "“" && t.opened > 0 {
		change = -1
	}
	if change < 0 && t.opened == 0 && t.curly > 0 {
		t.curly--
	}
	t.opened = max(t.opened+change, 0)
}

// pass notes a byte that is passed on.
func (t *textCalls) pass(c byte) {
	t.mark(c)
	if c == '`' {
		t.ticks++
	} else {
		t.endTicks()
	}
	const fence = 3
	if c == '\n' && t.code < fence {
		t.code = 0
	}
	t.last = c
	t.begun = t.begun || strings.IndexByte(space, c) < 0
}

// endTicks lets a run of backticks open or close code. A fence is closed by a longer run, too.
func (t *textCalls) endTicks() {
	const fence = 3
	switch {
	case t.ticks == 0:
	case t.code == 0:
		t.code = t.ticks
	case t.ticks == t.code, t.code >= fence && t.ticks > t.code:
		t.code = 0
	}
	t.ticks = 0
}

// textAnswer is what held text turns out to be.
type textAnswer struct {
	thought, text []byte
	calls         []textCall
	// unread says that the text has a call that is not made: it cannot be read, or calls of its form are not; form names that.
	unread bool
	form   string
	// marked says that calls stood in the marks of a template.
	marked bool
}

// madeCalls are the calls of a text that are made: those in the marks of templates, and those in JSON, in Python or in code.
// told says that the request tells the model of a call that it wrote into its text.
type madeCalls struct{ marked, bare, told bool }

// textCall is a call that was written as text. Values without JSON types are text until the schema of the tool says what
// they are.
type textCall struct {
	name      string
	arguments map[string]textValue
	// raw is the JSON of all arguments, where the form has it.
	raw json.RawMessage
}

type textValue struct {
	text string
	// typed says that text is JSON.
	typed bool
}

// end returns what the held text is, once the answer has ended. tools are those that were offered.
func (t *textCalls) end(tools []Tool, made madeCalls) textAnswer {
	held := t.held
	t.held = nil
	if len(held) == 0 {
		return textAnswer{}
	}
	if !t.found && beginsMark(held) {
		return textAnswer{unread: len(tools) > 0} // the answer was cut in the mark of a call
	}
	if !t.found {
		return textAnswer{text: t.withoutLeakedMarks(held)}
	}
	if quoted := t.quotedUntil(held, t.code == 0); quoted > 0 {
		return t.behind(held, quoted, tools, made)
	}
	if thought, text, calls, ok := parseHarmony(string(held)); ok {
		answer := textAnswer{thought: []byte(thought), text: []byte(text), calls: calls, marked: true}
		if answer.unread = !offered(calls, tools) || len(calls) > 0 && !made.marked; answer.unread {
			answer.calls, answer.form = nil, formOf(held)
		}
		return answer
	}
	if code := codeBegins.Find(bytes.TrimLeft(held, space)); len(code) > 0 {
		return alone(held, tools, made)
	}
	calls, rest := parseTextCalls(string(held))
	rest = cutTag.ReplaceAllString(strings.TrimSpace(string(withoutEndMarks([]byte(rest)))), "")
	bare := mayBeText(held)
	isCall := len(calls) > 0 && offered(calls, tools) && (rest == "" || !bare) // JSON with words behind it is an example
	switch {
	case isCall && (made.bare || made.marked && !bare):
		return textAnswer{text: []byte(rest), calls: calls, marked: !bare}
	case len(tools) > 0 && (isCall || !bare && strings.IndexByte("<[", bytes.TrimLeft(held, space)[0]) >= 0):
		return textAnswer{unread: true, form: formOf(held)}
	}
	return textAnswer{text: withoutEndMarks(held)}
}

// behind reads held text whose beginning is quoted.
func (t *textCalls) behind(held []byte, quoted int, tools []Tool, made madeCalls) textAnswer {
	for _, c := range held[:quoted] {
		t.pass(c)
	}
	t.held, t.found = held[quoted:], false
	at := quoted + t.scan()
	t.held = held[at:]
	answer := t.end(tools, made)
	answer.text = append(slices.Clone(held[:at]), answer.text...)
	return answer
}

// alone reads an answer that begins with code: it is a call when there is nothing but that. In code of other languages than
// that of calls it may also be what the person has asked for, so a model that knows of it writes it again.
func alone(held []byte, tools []Tool, made madeCalls) textAnswer {
	text := withoutEndMarks(held)
	inner := bytes.TrimLeft(text, space)
	code := codeBegins.Find(inner)
	inner = bytes.TrimRight(bytes.TrimRight(inner[len(code):], space), "`~")
	calls, rest := parseTextCalls(string(inner))
	if len(calls) == 0 || len(tools) == 0 || !offered(calls, tools) || strings.TrimSpace(rest) != "" {
		return textAnswer{text: text}
	}
	marked := toolCode.Match(code)
	switch {
	case made.bare || made.marked && marked:
		return textAnswer{calls: calls, marked: marked}
	case made.told && !marked:
		return textAnswer{text: text}
	case marked:
		return textAnswer{unread: true, form: toolCodeForm}
	}
	return textAnswer{unread: true, form: codeForm}
}

// formOf names the form of a call at the beginning of held text.
func formOf(held []byte) string {
	rest := bytes.TrimLeft(held, space)
	for _, f := range callForms {
		if bytes.HasPrefix(rest, []byte(f.mark)) {
			return f.name
		}
	}
	if pythonBegins.Match(rest) {
		return pythonForm
	}
	return jsonForm
}

// beginsMark reports whether a text is a part of the mark of a call, and too long for anything else.
func beginsMark(text []byte) bool {
	const least = 3
	return len(text) >= least && slices.ContainsFunc(callMarks, func(m []byte) bool { return bytes.HasPrefix(m, text) })
}

// WritesCall reports whether the text has the marks of a tool call.
func (r Response) WritesCall() bool {
	return slices.ContainsFunc(callMarks, func(m []byte) bool { return strings.Contains(r.Text, string(m)) })
}

// mayBeText reports whether held text begins like a call in JSON or Python, and is otherwise an ordinary answer.
func mayBeText(held []byte) bool {
	rest := bytes.TrimLeft(held, space)
	return jsonBegins.Match(rest) || pythonBegins.Match(rest)
}

// offered reports whether every call is of a tool that was offered.
func offered(calls []textCall, tools []Tool) bool {
	if len(tools) == 0 {
		return true
	}
	return !slices.ContainsFunc(calls, func(c textCall) bool { return toolNamed(c.name, tools) == nil })
}

// toolNamed returns the tool of a name on the wire or in its plain form, nil without one.
func toolNamed(name string, tools []Tool) *Tool {
	i := slices.IndexFunc(tools, func(o Tool) bool { return o.Name == name || PlainName(o.Name) == name })
	if i < 0 {
		return nil
	}
	return &tools[i]
}

// withoutLeakedMarks removes marks of templates from the end of an answer, unless the answer is about them: they are quoted, an
// entry of a list, or end a sentence that leads to them.
func (t *textCalls) withoutLeakedMarks(held []byte) []byte {
	t.endTicks()
	if !t.begun {
		return withoutEndMarks(held)
	}
	if t.inQuotation() || t.text && listEntry.Match(t.lead) {
		return held
	}
	before, _ := utf8.DecodeLastRune(t.solid[:])
	const leading = ":：,、-—=("
	isSentence := !unicode.IsLetter(before) && !unicode.IsDigit(before)
	if strings.ContainsRune(leading, before) || t.last == ' ' && !isSentence {
		return held
	}
	return withoutEndMarks(held)
}

// withoutEndMarks removes marks of templates from the end of an answer.
func withoutEndMarks(text []byte) []byte {
	for {
		cut := bytes.TrimRight(text, space)
		shorter := cut
		for _, m := range endMarks {
			if string(m) == "</s>" && bytes.Count(cut, []byte("<s>")) > 0 {
				continue // strikes something out
			}
			shorter = bytes.TrimSuffix(shorter, m)
		}
		if len(shorter) == len(cut) {
			return text
		}
		text = bytes.TrimRight(shorter, space)
	}
}

// encode returns the arguments as JSON, with the types of the tool's schema.
func (c textCall) encode(tools []Tool) string {
	if c.raw != nil {
		return string(c.raw)
	}
	types := propertyTypes(c.name, tools)
	members := make(map[string]json.RawMessage, len(c.arguments))
	for name, v := range c.arguments {
		members[name] = v.encode(types[name], len(tools) > 0)
	}
	encoded, err := json.Marshal(members)
	if err != nil {
		return noArguments
	}
	return string(encoded)
}

func (v textValue) encode(kinds []string, known bool) json.RawMessage {
	text := strings.TrimSpace(v.text)
	isText := slices.Contains(kinds, "string")
	if json.Valid([]byte(text)) && (v.typed || !isText && (known || text[0] == '{' || text[0] == '[')) {
		return json.RawMessage(text)
	}
	quoted, err := json.Marshal(v.text)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return quoted
}

// propertyTypes are the types of the properties of a tool.
func propertyTypes(name string, tools []Tool) map[string][]string {
	types := map[string][]string{}
	called := toolNamed(name, tools)
	if called == nil {
		return types
	}
	var schema struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
	}
	if json.Unmarshal(called.Parameters, &schema) != nil {
		return types
	}
	for property, p := range schema.Properties {
		switch kind := p.Type.(type) {
		case string:
			types[property] = []string{kind}
		case []any:
			for _, one := range kind {
				if text, ok := one.(string); ok {
					types[property] = append(types[property], text)
				}
			}
		}
	}
	return types
}
