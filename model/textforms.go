package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"strings"

	"countersign/model/internal/jsonscan"
)

// prefixes are put before the names of tags by some templates.
var prefixes = strings.NewReplacer(
	"<｜DSML｜",
	"<",
	"</｜DSML｜",
	"</",
	"<minimax:",
	"<",
	"</minimax:",
	"</",
	"<steptml:",
	"<",
	"</steptml:",
	"</",
)

// parseTextCalls reads the calls at the beginning of a text, in any of the forms, and returns the rest. A call whose
// closing tag is missing ends with the text, as servers stop at some of these tags.
func parseTextCalls(text string) (calls []textCall, rest string) {
	rest = prefixes.Replace(text)
	for len(calls) <= maxToolCalls {
		rest = trimWrappers(rest)
		found, behind, ok := parseTextCall(rest)
		if !ok {
			break
		}
		calls, rest = append(calls, found...), behind
	}
	return calls, rest
}

func trimWrappers(text string) string {
	for {
		text = strings.TrimLeft(text, space)
		before := len(text)
		for _, w := range wrappers {
			text = strings.TrimPrefix(text, w)
		}
		if len(text) == before {
			return text
		}
	}
}

// forms read one call, or one list of calls, at the beginning of a text.
var forms = []func(text string) (calls []textCall, rest string, ok bool){
	jsonCalls, mistralCall, functionCall, invokeCall, kimiCall, deepSeekCall, argumentTagsCall, gemmaCall, pythonCalls,
	pythonCall, apertusCall,
}

func parseTextCall(text string) (calls []textCall, rest string, ok bool) {
	for _, form := range forms {
		if calls, rest, ok = form(text); ok {
			return calls, rest, true
		}
	}
	return nil, "", false
}

// jsonCalls reads {"name": ..., "arguments": {...}} of Hermes, with "parameters" of Llama and the names that other agents have
// for both, or a list of such objects.
func jsonCalls(text string) ([]textCall, string, bool) {
	value, rest, ok := firstJSON(text)
	if object, doubled := singleBraces([]byte(strings.TrimSpace(text))); !ok && doubled {
		value, rest, ok = object, "", true
	}
	if !ok {
		return nil, "", false
	}
	list := []json.RawMessage{value}
	if value[0] == '[' && json.Unmarshal(value, &list) != nil {
		return nil, "", false
	}
	var calls []textCall
	for _, one := range list {
		found, ok := jsonCall(one)
		if !ok {
			return nil, "", false
		}
		calls = append(calls, found...)
	}
	return calls, rest, len(calls) > 0
}

// jsonCall reads one object, which can be the list of calls of an answer.
func jsonCall(object json.RawMessage) ([]textCall, bool) {
	var said struct {
		Name        string            `json:"name"`
		ToolName    string            `json:"tool_name"`
		Tool        string            `json:"tool"`
		Action      string            `json:"action"`
		Function    json.RawMessage   `json:"function"`
		Arguments   json.RawMessage   `json:"arguments"`
		Parameters  json.RawMessage   `json:"parameters"`
		Args        json.RawMessage   `json:"args"`
		Input       json.RawMessage   `json:"input"`
		ActionInput json.RawMessage   `json:"action_input"`
		Calls       []json.RawMessage `json:"tool_calls"`
	}
	if json.Unmarshal(object, &said) != nil {
		return nil, false
	}
	if len(said.Calls) > 0 {
		var calls []textCall
		for _, one := range said.Calls {
			found, ok := jsonCall(one)
			if !ok {
				return nil, false
			}
			calls = append(calls, found...)
		}
		return calls, true
	}
	if len(said.Function) > 0 && json.Unmarshal(said.Function, &said.Name) != nil && json.Unmarshal(said.Function, &said) != nil {
		return nil, false
	}
	name := cmp.Or(said.Name, said.ToolName, said.Tool, said.Action)
	for _, raw := range []json.RawMessage{said.Arguments, said.Parameters, said.Args, said.Input, said.ActionInput} {
		if arguments, ok := onlyObject(raw, 0); ok && name != "" {
			return []textCall{{name: name, raw: arguments}}, true
		}
	}
	return nil, false
}

// firstJSON returns the object or array at the beginning of a text.
func firstJSON(text string) (value json.RawMessage, rest string, ok bool) {
	if text == "" || text[0] != '{' && text[0] != '[' {
		return nil, "", false
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	if decoder.Decode(&value) != nil {
		return nil, "", false
	}
	return value, text[decoder.InputOffset():], true
}

var mistralName = regexp.MustCompile(`^\[TOOL_CALLS\]\s*([\w.-]{1,128})?(?:\[CALL_ID\][\w-]*)?(?:\[ARGS\])?\s*`)

// mistralCall reads [TOOL_CALLS][{...}], and [TOOL_CALLS]name[ARGS]{...} of newer templates.
func mistralCall(text string) ([]textCall, string, bool) {
	found := mistralName.FindStringSubmatch(text)
	if found == nil {
		return nil, "", false
	}
	if found[1] == "" {
		return jsonCalls(text[len(found[0]):])
	}
	return withJSON(found[1], text[len(found[0]):])
}

// withJSON is a call whose arguments are the object at the beginning of a text.
func withJSON(name, text string) ([]textCall, string, bool) {
	value, rest, ok := firstJSON(strings.TrimLeft(text, space))
	if !ok || value[0] != '{' {
		return nil, "", false
	}
	return []textCall{{name: plainFunction(name), raw: value}}, rest, true
}

// functionCall reads <function=name>{...}</function> of Llama, and <function=name> with <parameter=name> tags of Qwen.
func functionCall(text string) ([]textCall, string, bool) {
	inner, found := strings.CutPrefix(text, "<function=")
	if !found {
		return nil, "", false
	}
	name, inner, found := strings.Cut(inner, ">")
	if name = strings.Trim(name, `"' `); !found || name == "" || strings.ContainsAny(name, space) {
		return nil, "", false
	}
	if calls, rest, ok := withJSON(name, inner); ok {
		return calls, strings.TrimPrefix(strings.TrimLeft(rest, space), "</function>"), true
	}
	body, rest, _ := strings.Cut(inner, "</function>")
	arguments, left, ok := parameters(body, "<parameter=", ">")
	if !ok || strings.TrimSpace(left) != "" {
		return nil, "", false
	}
	return []textCall{{name: name, arguments: arguments}}, rest, true
}

// invokeCall reads <invoke name="..."> with <parameter name="..."> tags, the form of MiniMax and DeepSeek V3.2.
func invokeCall(text string) ([]textCall, string, bool) {
	inner, found := strings.CutPrefix(text, "<invoke name=")
	if !found {
		return nil, "", false
	}
	name, inner, found := strings.Cut(inner, ">")
	if name = strings.Trim(name, `"' `); !found || name == "" {
		return nil, "", false
	}
	body, rest, _ := strings.Cut(inner, "</invoke>")
	arguments, left, ok := parameters(body, "<parameter name=", ">")
	if !ok || strings.TrimSpace(left) != "" {
		return nil, "", false
	}
	return []textCall{{name: name, arguments: arguments}}, rest, true
}

// parameters reads tags with values. A value of several lines has the line breaks of its tags around it.
func parameters(body, opening, behind string) (values map[string]textValue, rest string, ok bool) {
	values, rest = map[string]textValue{}, strings.TrimLeft(body, space)
	for strings.HasPrefix(rest, opening) {
		tag, inner, found := strings.Cut(rest[len(opening):], behind)
		if !found {
			return nil, "", false
		}
		value, after, _ := strings.Cut(inner, "</parameter>")
		name, attributes, _ := strings.Cut(strings.TrimSpace(tag), " ")
		name = strings.Trim(name, `"'`)
		values[name] = textValue{text: withoutLineBreaks(value), typed: strings.Contains(attributes, `string="false"`)}
		rest = strings.TrimLeft(after, space)
	}
	return values, rest, true
}

func withoutLineBreaks(value string) string {
	return strings.TrimSuffix(strings.TrimPrefix(value, "\n"), "\n")
}

// apertusCall reads <|tools_prefix|>[{"name": {...}}]<|tools_suffix|>, where the name of the function is that of a member.
func apertusCall(text string) ([]textCall, string, bool) {
	inner, found := strings.CutPrefix(text, "<|tools_prefix|>")
	value, rest, ok := firstJSON(strings.TrimLeft(inner, space))
	var list []map[string]json.RawMessage
	if !found || !ok || json.Unmarshal(value, &list) != nil {
		return nil, "", false
	}
	var calls []textCall
	for _, one := range list {
		for name, raw := range one {
			arguments, isObject := onlyObject(raw, 0)
			if !isObject || len(one) != 1 {
				return nil, "", false
			}
			calls = append(calls, textCall{name: name, raw: arguments})
		}
	}
	return calls, strings.TrimPrefix(strings.TrimLeft(rest, space), "<|tools_suffix|>"), len(calls) > 0
}

// kimiCall reads <|tool_call_begin|>functions.name:0<|tool_call_argument_begin|>{...}<|tool_call_end|>.
func kimiCall(text string) ([]textCall, string, bool) {
	inner, found := strings.CutPrefix(text, "<|tool_call_begin|>")
	if !found {
		return nil, "", false
	}
	name, inner, found := strings.Cut(inner, "<|tool_call_argument_begin|>")
	if !found {
		return nil, "", false
	}
	return withJSON(strings.TrimSpace(name), inner)
}

// deepSeekCall reads <｜tool▁call▁begin｜>function<｜tool▁sep｜>name, a fenced object and an end tag, and the shorter form
// of V3.1 without the word and the fence.
func deepSeekCall(text string) ([]textCall, string, bool) {
	inner, found := strings.CutPrefix(text, "<｜tool▁call▁begin｜>")
	if !found {
		return nil, "", false
	}
	body, rest, _ := strings.Cut(inner, "<｜tool▁call▁end｜>")
	name, arguments, found := strings.Cut(body, "<｜tool▁sep｜>")
	if !found {
		return nil, "", false
	}
	if at := strings.IndexByte(arguments, '\n'); name == "function" && at >= 0 {
		name, arguments = arguments[:at], arguments[at:]
	}
	object, ok := onlyObject([]byte(arguments), 0)
	if !ok {
		return nil, "", false
	}
	return []textCall{{name: strings.TrimSpace(name), raw: object}}, rest, true
}

// argumentTagsCall reads a name with <arg_key> and <arg_value> tags, the form of GLM, up to the end of its wrapper.
func argumentTagsCall(text string) ([]textCall, string, bool) {
	body, rest, _ := strings.Cut(text, "</tool_call>")
	name, pairs, found := strings.Cut(body, "<arg_key>")
	if name = strings.TrimSpace(name); !found || name == "" || strings.ContainsAny(name, "<>{}") {
		return nil, "", false
	}
	values, ok := taggedValues("<arg_key>" + pairs)
	if !ok {
		return nil, "", false
	}
	return []textCall{{name: name, arguments: values}}, rest, true
}

// taggedValues reads pairs of <arg_key> and <arg_value>.
func taggedValues(body string) (map[string]textValue, bool) {
	values, rest := map[string]textValue{}, strings.TrimSpace(body)
	for rest != "" {
		inner, opens := strings.CutPrefix(rest, "<arg_key>")
		key, inner, closes := strings.Cut(inner, "</arg_key>")
		inner, hasValue := strings.CutPrefix(strings.TrimLeft(inner, space), "<arg_value>")
		value, after, _ := strings.Cut(inner, "</arg_value>")
		if !opens || !closes || !hasValue {
			return nil, false
		}
		values[strings.TrimSpace(key)] = textValue{text: value}
		rest = strings.TrimSpace(after)
	}
	return values, true
}

// taggedArguments is the JSON of such pairs.
func taggedArguments(body string, name string, tools []Tool) ([]byte, bool) {
	values, ok := taggedValues(body)
	if !ok || len(values) == 0 {
		return nil, false
	}
	return []byte(textCall{name: name, arguments: values}.encode(tools)), true
}

var kimiIndex = regexp.MustCompile(`:\d+$`)

// plainFunction removes the namespace and the number that some templates add to a name.
func plainFunction(name string) string {
	return kimiIndex.ReplaceAllString(strings.TrimPrefix(name, "functions."), "")
}

// harmonyTarget is the recipient of a message in harmony's header.
var harmonyTarget = regexp.MustCompile(`to=(?:functions\.)?([\w.-]+)`)

// parseHarmony reads the channels of gpt-oss: analysis are thoughts, final is the answer, commentary to a function is a
// call. It also reads the form whose marks a server has removed.
func parseHarmony(text string) (thought, answer string, calls []textCall, ok bool) {
	text = strings.TrimLeft(text, space)
	if stripped, ok := strings.CutPrefix(text, "analysis"); ok {
		said, final, found := strings.Cut(stripped, "assistantfinal")
		return said, string(withoutEndMarks([]byte(final))), nil, found
	}
	if !strings.HasPrefix(text, "<|channel|>") && !strings.HasPrefix(text, "<|start|>") || !strings.Contains(text, "<|message|>") {
		return "", "", nil, false
	}
	for rest := text; rest != ""; {
		header, behind, found := strings.Cut(rest, "<|message|>")
		if !found {
			break
		}
		body, next := untilMark(behind)
		rest = next
		switch target := harmonyTarget.FindStringSubmatch(header); {
		case target != nil:
			arguments, valid := onlyObject([]byte(body), 0)
			if !valid {
				return "", "", nil, false
			}
			calls = append(calls, textCall{name: target[1], raw: arguments})
		case strings.Contains(header, "analysis"):
			thought += body
		default:
			answer += body
		}
	}
	return strings.TrimSpace(thought), strings.TrimSpace(answer), calls, true
}

// untilMark cuts a harmony message at the mark of its end.
func untilMark(text string) (body, rest string) {
	end, behind := len(text), len(text)
	for _, m := range []string{"<|end|>", "<|call|>", "<|return|>", "<|start|>"} {
		if at := strings.Index(text, m); at >= 0 && at < end {
			end, behind = at, at+len(m)
		}
	}
	return text[:end], text[behind:]
}

var (
	gemmaName   = regexp.MustCompile(`^call:([\w.-]{1,128})(\{)`)
	gemmaQuotes = regexp.MustCompile(`(?s)<\|"\|>(.*?)<\|"\|>|<escape>(.*?)<escape>`)
	gemmaKey    = regexp.MustCompile(`([{,]\s*)([A-Za-z_][\w-]*)\s*:`)
)

// gemmaCall reads call:name{key:<|"|>text<|"|>,other:1}, up to the end of its wrapper.
func gemmaCall(text string) ([]textCall, string, bool) {
	found := gemmaName.FindStringSubmatchIndex(text)
	if found == nil {
		return nil, "", false
	}
	var object strings.Builder
	body, at := text[found[4]:], 0
	for _, quoted := range gemmaQuotes.FindAllStringSubmatchIndex(body, -1) {
		object.WriteString(gemmaKey.ReplaceAllString(body[at:quoted[0]], `$1"$2":`))
		inner := body[max(quoted[2], quoted[4]):max(quoted[3], quoted[5])]
		object.Write(jsonscan.AppendQuoted(nil, inner))
		at = quoted[1]
	}
	object.WriteString(gemmaKey.ReplaceAllString(body[at:], `$1"$2":`))
	return withJSON(text[found[2]:found[3]], object.String())
}

// pythonCalls reads [name(key="value", n=1)], the form of LFM2 and Llama 4.
func pythonCalls(text string) ([]textCall, string, bool) {
	if !pythonBegins.MatchString(text) {
		return nil, "", false
	}
	p := python{text: text[1:]}
	var calls []textCall
	for {
		call, ok := p.call()
		if !ok {
			return nil, "", false
		}
		calls = append(calls, call)
		if p.accept(',') {
			continue
		}
		return calls, p.text, p.accept(']')
	}
}

var (
	barePython      = regexp.MustCompile(`^[A-Za-z_][\w.]{0,127}\(`)
	mayBeBarePython = regexp.MustCompile(`^(?:[A-Za-z_][\w.]{0,127})?$`)
)

// pythonCall reads name(key="value") without a list, the form of Olmo, and of Llama behind <|python_tag|>.
func pythonCall(text string) ([]textCall, string, bool) {
	if !barePython.MatchString(text) {
		return nil, "", false
	}
	p := python{text: text}
	call, ok := p.call()
	call.name = strings.TrimSuffix(call.name, ".call")
	return []textCall{call}, p.text, ok
}

// python reads calls with literals.
type python struct{ text string }

func (p *python) accept(c byte) bool {
	p.text = strings.TrimLeft(p.text, space)
	if p.text == "" || p.text[0] != c {
		return false
	}
	p.text = p.text[1:]
	return true
}

func (p *python) word() string {
	p.text = strings.TrimLeft(p.text, space)
	end := 0
	for end < len(p.text) && (isPlainByte(p.text[end]) || p.text[end] == '.' || p.text[end] == '+') {
		end++
	}
	word := p.text[:end]
	p.text = p.text[end:]
	return word
}

func (p *python) call() (textCall, bool) {
	call := textCall{name: p.word(), arguments: map[string]textValue{}}
	if call.name == "" || !p.accept('(') {
		return call, false
	}
	for !p.accept(')') {
		key := p.word()
		if key == "" || !p.accept('=') {
			return call, false
		}
		value, ok := p.value(0)
		if !ok {
			return call, false
		}
		call.arguments[key] = textValue{text: value, typed: true}
		if !p.accept(',') && !strings.HasPrefix(strings.TrimLeft(p.text, space), ")") {
			return call, false
		}
	}
	return call, true
}

// value reads a literal and returns it as JSON.
func (p *python) value(depth int) (string, bool) {
	const deepest = 16
	p.text = strings.TrimLeft(p.text, space)
	if p.text == "" || depth == deepest {
		return "", false
	}
	switch c := p.text[0]; c {
	case '"', '\'':
		return p.quoted(c)
	case '[', '{':
		return p.collection(c, depth)
	}
	switch word := p.word(); word {
	case "True", "true":
		return "true", true
	case "False", "false":
		return "false", true
	case "None", "null":
		return "null", true
	default:
		return word, word != "" && json.Valid([]byte(word))
	}
}

func (p *python) quoted(quote byte) (string, bool) {
	var b bytes.Buffer
	for i := 1; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == quote:
			p.text = p.text[i+1:]
			encoded, err := json.Marshal(b.String())
			return string(encoded), err == nil
		case c == '\\' && i+1 < len(p.text):
			i++
			switch p.text[i] {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case '\\', '"', '\'':
				b.WriteByte(p.text[i])
			default:
				b.WriteByte('\\')
				b.WriteByte(p.text[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

func (p *python) collection(open byte, depth int) (string, bool) {
	end := byte(']')
	if open == '{' {
		end = '}'
	}
	p.text = p.text[1:]
	var parts []string
	for !p.accept(end) {
		part, ok := p.value(depth + 1)
		if !ok {
			return "", false
		}
		if open == '{' {
			if !strings.HasPrefix(part, `"`) || !p.accept(':') {
				return "", false
			}
			value, ok := p.value(depth + 1)
			if !ok {
				return "", false
			}
			part += ":" + value
		}
		parts = append(parts, part)
		if !p.accept(',') && !strings.HasPrefix(strings.TrimLeft(p.text, space), string(end)) {
			return "", false
		}
	}
	return string(open) + strings.Join(parts, ",") + string(end), true
}
