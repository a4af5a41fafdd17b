package assistant

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	defaultClamp   = 12_000
	minClamp       = 4_000
	maxClamp       = 48_000
	windowFraction = 10
	// clampReserve is the room for the note about truncation.
	clampReserve = 420
	// leastText is the minimum length of a cut text, in characters, before lists lose elements.
	leastText = 200
	// shownCuts bounds the cuts that are listed one by one.
	shownCuts = 4
)

// ClampChars is the limit of one tool result in characters: a small part of the model's window.
func ClampChars(windowTokens int) int {
	if windowTokens <= 0 {
		return defaultClamp
	}
	return min(max(windowTokens/windowFraction, minClamp), maxClamp)
}

// Truncation describes for the model what was cut.
type Truncation struct {
	// Fields are lists that lack elements from their end, Texts are texts that lack characters there.
	Fields       []TruncatedField `json:"fields,omitempty"`
	Texts        []TruncatedField `json:"texts,omitempty"`
	OmittedChars int              `json:"omittedChars,omitempty"`
	Hint         string           `json:"hint"`
}

// TruncatedField says how many elements of a list, or characters of a text, are shown.
type TruncatedField struct {
	Field   string `json:"field"`
	Kept    int    `json:"kept"`
	Omitted int    `json:"omitted"`
}

// continueHint describes how to read the rest of a result, with the members of the tool's input for it.
func continueHint(ways []string) string {
	if len(ways) == 0 {
		return "The result was too large and was cut. Ask for less: narrow the filters, or read one record by itself."
	}
	return "The result was too large and was cut. To see the rest, call the tool again with another " + strings.Join(ways, " or ") + "."
}

// Clamp makes a JSON result fit into limit characters. The longest texts are cut at their end first, wherever they are;
// then the longest lists; a result that is still too long becomes a preview. "_truncated" lists the cuts and how to
// read the rest: ways are members of the tool's input, such as "cursor". It drops NUL, which PostgreSQL refuses.
func Clamp(result json.RawMessage, limit int, ways ...string) json.RawMessage {
	result = dropNUL(result)
	if len(result) <= limit {
		return result
	}
	hint := continueHint(ways)
	root := treeOf(result)
	if root == nil {
		return preview(result, limit, hint)
	}
	said := Truncation{Hint: hint}
	room := limit - clampReserve
	said.Texts = cutTexts(root, room)
	said.Fields = cutLists(root, room)
	root["_truncated"] = said
	clamped := encode(root)
	if len(clamped) > limit {
		// The paths are long themselves.
		said.OmittedChars, said.Fields, said.Texts = len(result)-room, nil, nil
		root["_truncated"] = said
		clamped = encode(root)
	}
	if len(clamped) > limit {
		return preview(result, limit, hint)
	}
	return clamped
}

// treeOf is an object as a tree, or a list as the object that holds it; nil for anything else.
func treeOf(result json.RawMessage) map[string]any {
	decoder := json.NewDecoder(bytes.NewReader(result))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil
	}
	switch v := value.(type) {
	case map[string]any:
		return v
	case []any:
		return map[string]any{"items": v}
	}
	return nil
}

// cuttable is a text or a list of a result that can be cut.
type cuttable struct {
	path string
	size int // encoded
	text string
	list []any
	set  func(any)
}

// visit calls see for every text and every list of a tree, in an order that depends on the tree alone.
func visit(path string, value any, set func(any), see func(cuttable)) {
	switch v := value.(type) {
	case string:
		see(cuttable{path: path, text: v, set: set})
	case []any:
		see(cuttable{path: path, list: v, set: set})
		for i, element := range v {
			visit(path+"["+strconv.Itoa(i)+"]", element, func(to any) { v[i] = to }, see)
		}
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			visit(strings.TrimPrefix(path+"."+name, "."), v[name], func(to any) { v[name] = to }, see)
		}
	}
}

// cutTexts cuts texts to the largest common length that makes the tree fit, or to leastText when none does. It reports
// the longest cuts.
func cutTexts(root map[string]any, limit int) []TruncatedField {
	total := len(encode(root))
	if total <= limit {
		return nil
	}
	var long []cuttable
	visit("", root, nil, func(p cuttable) {
		if p.list == nil && utf8.RuneCountInString(p.text) > leastText {
			p.size = len(encode(p.text))
			long = append(long, p)
		}
	})
	sizeAt := func(length int) int {
		size := total
		for _, p := range long {
			if shorter := clipRunes(p.text, length); len(shorter) < len(p.text) {
				size += len(encode(shorter)) - p.size
			}
		}
		return size
	}
	low, high := leastText, total
	for low < high {
		if middle := (low + high + 1) / 2; sizeAt(middle) <= limit {
			low = middle
		} else {
			high = middle - 1
		}
	}
	var cuts []TruncatedField
	for _, p := range long {
		if chars := utf8.RuneCountInString(p.text); chars > low {
			p.set(clipRunes(p.text, low))
			cuts = append(cuts, TruncatedField{p.path, low, chars - low})
		}
	}
	slices.SortStableFunc(cuts, func(a, b TruncatedField) int { return cmp.Compare(b.Omitted, a.Omitted) })
	return cuts[:min(len(cuts), shownCuts)]
}

// cutLists removes elements from the end of the longest lists until the tree fits.
func cutLists(root map[string]any, limit int) []TruncatedField {
	var cuts []TruncatedField
	for range shownCuts {
		total := len(encode(root))
		if total <= limit {
			break
		}
		var best cuttable
		var kept int
		visit("", root, nil, func(p cuttable) {
			if len(p.list) == 0 {
				return
			}
			p.size = len(encode(p.list))
			// A list that would lose everything is cut only when there is no other.
			if k := fit(
				p.list,
				p.size-(total-limit),
			); best.list == nil || min(k, 1) > min(kept, 1) ||
				min(k, 1) == min(kept, 1) && p.size > best.size {
				best, kept = p, k
			}
		})
		if best.list == nil {
			break
		}
		best.set(best.list[:kept])
		cuts = append(cuts, TruncatedField{best.path, kept, len(best.list) - kept})
	}
	return cuts
}

// fit is the number of leading elements that fit into limit characters.
func fit(list []any, limit int) int {
	size := 2
	for i, e := range list {
		if size += len(encode(e)) + 1; size > limit {
			return i
		}
	}
	return len(list)
}

func preview(result json.RawMessage, limit int, hint string) json.RawMessage {
	// Escaping can double a quoted text.
	shown := strings.ToValidUTF8(string(result[:min(len(result), max(0, limit-clampReserve)/2)]), "")
	return encode(map[string]any{
		"_truncated": Truncation{OmittedChars: len(result) - len(shown), Hint: hint},
		"preview":    shown,
	})
}

// encode does not escape <, > and &: escapes take six times the room.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return json.RawMessage(fmt.Sprintf(`{"_truncated":{"hint":%q}}`, continueHint(nil)))
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// dropNUL removes escaped NULs from JSON, but not an escaped backslash before u0000.
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
