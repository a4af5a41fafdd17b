package scrub

import (
	"encoding/json"
	"strconv"
	"strings"
)

// maxNesting bounds JSON within strings within JSON.
const maxNesting = 8

// JSON returns a JSON value without credentials. Strings that hold JSON, such as the arguments of a tool call, are read
// as JSON. A value without credentials keeps its bytes: the text of numbers, the order of members, the spaces. Invalid
// JSON is treated as text.
func JSON(value json.RawMessage) json.RawMessage {
	if !json.Valid(value) {
		if clean := Text(string(value)); clean != string(value) {
			return json.RawMessage(clean)
		}
		return value
	}
	w := walker{data: string(value), names: names{}, pathless: true}
	w.value(context{})
	if !w.changed {
		return value
	}
	w.out.WriteString(w.data[w.copied:])
	return json.RawMessage(w.out.String())
}

// Paths lists where a JSON value holds credentials, as dotted paths such as headers.authorization and list[0].password,
// in the order of the value. The path of the value itself is "".
func Paths(value json.RawMessage) []string {
	if !json.Valid(value) {
		if Text(string(value)) != string(value) {
			return []string{""}
		}
		return nil
	}
	w := walker{data: string(value), names: names{}}
	w.value(context{})
	return w.paths
}

// Value reports whether value, given to key, is a credential, as a member of a JSON object would be.
func Value(key, value string) bool {
	return isMember(kindOf(key), value)
}

// context is what surrounds a value.
type context struct {
	path string
	// kind is that of the member's name.
	kind keyKind
	// within is the kind of a name around an object in which the value is.
	within keyKind
	name   string
}

// walker goes through valid JSON and copies what it does not replace.
type walker struct {
	data    string
	i       int
	depth   int
	out     strings.Builder
	copied  int
	changed bool
	paths   []string
	// pathless skips paths for callers that do not need them.
	pathless bool
	names    names
}

// names caches the kinds of member names, of which a value has few.
type names map[string]struct {
	kind keyKind
	safe bool
}

func (n names) of(name string) (kind keyKind, safe bool) {
	known, ok := n[name]
	if !ok {
		known.kind, known.safe = kindOf(name), Text(name) == name
		if len(name) <= maxKey {
			n[name] = known
		}
	}
	return known.kind, known.safe
}

func (w *walker) space() {
	for w.i < len(w.data) && strings.IndexByte(" \t\r\n", w.data[w.i]) >= 0 {
		w.i++
	}
}

func (w *walker) value(c context) {
	w.space()
	if w.i >= len(w.data) {
		return
	}
	switch w.data[w.i] {
	case '{':
		w.object(c)
	case '[':
		w.array(c)
	case '"':
		from := w.i
		text := w.text()
		if clean, changed := w.clean(c, text); changed {
			w.replace(from, clean)
		}
	default:
		from := w.i
		for w.i < len(w.data) && strings.IndexByte(",]} \t\r\n", w.data[w.i]) < 0 {
			w.i++
		}
		if isNumber(c.kind, w.data[from:w.i]) {
			w.paths = append(w.paths, c.path)
			w.replace(from, Marker)
		}
	}
}

func (w *walker) object(c context) {
	within := c.within
	if c.kind != noKey {
		within = c.kind
	}
	named := w.namedValue()
	w.i++
	for w.space(); w.data[w.i] != '}'; w.space() {
		if w.data[w.i] == ',' {
			w.i++
			w.space()
		}
		from := w.i
		name := w.text()
		kind, safe := w.names.of(name)
		if name == "value" && named != noKey {
			kind = named
		}
		path := w.join(c.path, name)
		if !safe {
			clean := Text(name)
			w.replace(from, clean)
			path = w.join(c.path, clean)
			w.paths = append(w.paths, path)
		}
		w.space()
		w.i++ // the colon
		w.value(context{path: path, kind: kind, within: within, name: name})
	}
	w.i++
}

// namedValue is the kind of the credential in an object such as {"name":"API_KEY","value":"..."}.
func (w *walker) namedValue() keyKind {
	const most = 1024
	head := w.data[w.i:min(len(w.data), w.i+most)]
	if !strings.Contains(head, `"value"`) {
		return noKey
	}
	for _, member := range []string{`"name"`, `"key"`, `"header"`} {
		_, rest, ok := strings.Cut(head, member)
		if !ok {
			continue
		}
		rest = strings.TrimLeft(rest, " \t\r\n")
		rest, ok = strings.CutPrefix(rest, ":")
		rest = strings.TrimLeft(rest, " \t\r\n")
		if name, err := strconv.QuotedPrefix(rest); ok && err == nil && len(name) <= maxKey {
			if kind := kindOf(strings.Trim(name, `"`)); kind != noKey && kind != basic && kind != bearer {
				return kind
			}
		}
	}
	return noKey
}

func (w *walker) array(c context) {
	w.i++
	n := 0
	for w.space(); w.data[w.i] != ']'; w.space() {
		if w.data[w.i] == ',' {
			w.i++
		}
		element := c
		if !w.pathless {
			element.path += "[" + strconv.Itoa(n) + "]"
		}
		w.value(element)
		n++
	}
	w.i++
}

// text reads a string.
func (w *walker) text() string {
	from := w.i
	escaped := false
	for w.i++; w.data[w.i] != '"'; w.i++ {
		if w.data[w.i] == '\\' {
			escaped = true
			w.i++
		}
	}
	w.i++
	if !escaped {
		return w.data[from+1 : w.i-1]
	}
	var text string
	if json.Unmarshal([]byte(w.data[from:w.i]), &text) != nil {
		return w.data[from+1 : w.i-1]
	}
	return text
}

// clean returns the text without credentials.
func (w *walker) clean(c context, text string) (clean string, changed bool) {
	if isMember(c.kind, text) || (c.kind == noKey && isLeaf(c.name) || c.kind == opaque) && c.within != noKey && isPart(c.within, text) {
		w.paths = append(w.paths, c.path)
		return Marker, true
	}
	if inner := strings.TrimSpace(
		text,
	); w.depth < maxNesting && len(inner) > 1 && (inner[0] == '{' || inner[0] == '[' || inner[0] == '"') &&
		json.Valid([]byte(inner)) {
		nested := walker{data: inner, depth: w.depth + 1, names: w.names, pathless: w.pathless}
		nested.value(context{path: c.path, within: c.within})
		w.paths = append(w.paths, nested.paths...)
		if !nested.changed {
			return text, false
		}
		nested.out.WriteString(nested.data[nested.copied:])
		return nested.out.String(), true
	}
	if clean = Text(text); clean != text {
		w.paths = append(w.paths, c.path)
		return clean, true
	}
	return text, false
}

// isPart judges a value somewhere within a credential's object.
func isPart(within keyKind, text string) bool {
	return !isUUID(text) && isPlausible(within, text) && !strings.ContainsAny(text, " \n") && !strings.Contains(text, Marker)
}

// isLeaf reports whether a member within a credential's object may be a part of the credential.
func isLeaf(name string) bool {
	words := wordsOf(name)
	return len(words) > 0 && !strings.HasPrefix(name, "$") && !endsIn(words[len(words)-1], []string{
		"id",
		"name",
		"type",
		"format",
		"pattern",
		"at",
		"url",
		"uri",
		"prefix",
		"hint",
		"description",
		"title",
		"version",
		"policy",
		"email",
		"region",
	})
}

// replace puts text where the string from has just been read.
func (w *walker) replace(from int, text string) {
	w.out.WriteString(w.data[w.copied:from])
	w.out.WriteString(encode(text))
	w.copied = w.i
	w.changed = true
}

func encode(text string) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(text) != nil {
		return strconv.Quote(Marker)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (w *walker) join(path, name string) string {
	if w.pathless {
		return ""
	}
	if name == "" || !every(name, isWord) || strings.Contains(name, ".") {
		return path + "[" + encode(name) + "]"
	}
	if path == "" {
		return name
	}
	return path + "." + name
}
