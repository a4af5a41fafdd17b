package assistant

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Numbers of the context window.
const (
	// DefaultWindow is the window in tokens of a connection that declares none.
	DefaultWindow = 128_000
	// ReplyTokens and SchemaTokens are kept free for the answer and for the tools' schemas.
	ReplyTokens  = 4_096
	SchemaTokens = 6_000

	charsPerToken  = 4
	defaultClamp   = 12_000
	minClamp       = 4_000
	maxClamp       = 48_000
	windowFraction = 40
	clampReserve   = 256
)

// ClampChars is how many characters of one tool result the model is shown: a small part of its window.
func ClampChars(windowTokens int) int {
	if windowTokens <= 0 {
		return defaultClamp
	}
	return min(max(windowTokens*charsPerToken/windowFraction, minClamp), maxClamp)
}

// Truncation tells the model what it does not see.
type Truncation struct {
	Fields       []TruncatedField `json:"fields,omitempty"`
	OmittedChars int              `json:"omittedChars,omitempty"`
	Hint         string           `json:"hint"`
}

// TruncatedField says how many elements of a list are shown.
type TruncatedField struct {
	Field   string `json:"field"`
	Kept    int    `json:"kept"`
	Omitted int    `json:"omitted"`
}

const narrow = "The result was too large and was cut. Narrow the filters or page through it to see the rest."

// Clamp makes a JSON result fit into limit characters. The longest lists of an object, or a bare list, lose elements
// from their end; what has no list becomes a preview. What was left out is said in "_truncated". NUL is dropped, which
// PostgreSQL refuses.
func Clamp(result json.RawMessage, limit int) json.RawMessage {
	result = dropNUL(result)
	if len(result) <= limit {
		return result
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(result, &fields) == nil {
		if clamped, ok := clampObject(fields, limit-clampReserve); ok {
			return clamped
		}
	}
	var list []json.RawMessage
	if json.Unmarshal(result, &list) == nil {
		kept := fit(list, limit-clampReserve)
		return encode(map[string]any{
			"items":      list[:kept],
			"_truncated": Truncation{Fields: []TruncatedField{{"items", kept, len(list) - kept}}, Hint: narrow},
		})
	}
	return preview(result, limit)
}

func clampObject(fields map[string]json.RawMessage, limit int) (json.RawMessage, bool) {
	size := 2
	lists := map[string][]json.RawMessage{}
	var names []string
	for name, raw := range fields {
		size += len(name) + len(raw) + 4
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
			lists[name] = list
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if len(fields[a]) != len(fields[b]) {
			return len(fields[b]) - len(fields[a])
		}
		return strings.Compare(a, b)
	})
	out := make(map[string]any, len(fields)+1)
	for name, raw := range fields {
		out[name] = raw
	}
	var cut []TruncatedField
	for _, name := range names {
		if size <= limit {
			break
		}
		kept := fit(lists[name], len(fields[name])-(size-limit))
		shorter := encode(lists[name][:kept])
		size -= len(fields[name]) - len(shorter)
		out[name] = shorter
		cut = append(cut, TruncatedField{name, kept, len(lists[name]) - kept})
	}
	if size > limit || len(cut) == 0 {
		return nil, false
	}
	out["_truncated"] = Truncation{Fields: cut, Hint: narrow}
	raw := encode(out)
	// The names of the fields count twice now.
	return raw, len(raw) <= limit+clampReserve
}

// fit is how many leading elements fit into limit characters.
func fit(list []json.RawMessage, limit int) int {
	size := 2
	for i, e := range list {
		if size += len(e) + 1; size > limit {
			return i
		}
	}
	return len(list)
}

func preview(result json.RawMessage, limit int) json.RawMessage {
	// Escaping can double what is quoted.
	shown := strings.ToValidUTF8(string(result[:min(len(result), (limit-clampReserve)/2)]), "")
	return encode(map[string]any{
		"_truncated": Truncation{OmittedChars: len(result) - len(shown), Hint: narrow},
		"preview":    shown,
	})
}

// encode leaves <, > and & as they are: escaped they take six times the room.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return json.RawMessage(fmt.Sprintf(`{"_truncated":{"hint":%q}}`, narrow))
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// dropNUL removes escaped NULs from JSON, but not what only looks like one: a backslash, itself escaped, before u0000.
func dropNUL(raw json.RawMessage) json.RawMessage {
	const nul = `\u0000`
	if !bytes.Contains(raw, []byte(nul)) {
		return raw
	}
	clean := make(json.RawMessage, 0, len(raw))
	for len(raw) > 0 {
		n := bytes.IndexByte(raw, '\\')
		switch {
		case n < 0:
			n = len(raw)
		case n == 0 && bytes.HasPrefix(raw, []byte(nul)):
			raw = raw[len(nul):]
			continue
		case n == 0:
			n = min(2, len(raw))
		}
		clean = append(clean, raw[:n]...)
		raw = raw[n:]
	}
	return clean
}
