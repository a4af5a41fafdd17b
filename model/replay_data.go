package model

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"countersign/model/internal/jsonscan"
)

const (
	// maxReplayData bounds the bytes kept of one answer.
	maxReplayData = 256 << 10
	// maxCallReplayData bounds the bytes kept of one call. Signatures have a few thousand bytes.
	maxCallReplayData = 64 << 10
)

// partsField is the Field of reasoning that came as parts of the content, as Mistral sends it.
const partsField = "content"

// ReplayData holds the data of an answer that must go back unchanged: DeepSeek and Kimi demand the reasoning of an answer
// with calls, Gemini the signatures of its calls, Claude behind gateways its signed blocks. It goes only to the
// connection and the model that sent it. JSON is kept as text, so that storing changes no byte.
type ReplayData struct {
	// From is the ID of the client's Options; Model is the requested one.
	From  string `json:"from,omitempty"`
	Model string `json:"model,omitempty"`
	// Field is the message member of the reasoning: as Text, or as Blocks, a JSON array.
	Field  string `json:"field,omitempty"`
	Text   string `json:"text,omitempty"`
	Blocks string `json:"blocks,omitempty"`
	// Calls correspond to the calls of the message by position; the list may be shorter.
	Calls []CallReplayData `json:"calls,omitempty"`
}

// CallReplayData holds the data of a call: the provider's own id, where other providers would refuse it, and a JSON object of
// further members.
type CallReplayData struct {
	ID    string `json:"id,omitempty"`
	Extra string `json:"extra,omitempty"`
}

// Size returns the number of bytes that go back.
func (k *ReplayData) Size() int {
	if k == nil {
		return 0
	}
	size := len(k.Text) + len(k.Blocks)
	for _, c := range k.Calls {
		size += len(c.ID) + len(c.Extra)
	}
	return size
}

// Scrubbed applies clean to texts. It drops signed blocks that clean would change, since their signature would no
// longer match; signatures themselves are not scrubbed.
func (k *ReplayData) Scrubbed(clean func(string) string) *ReplayData {
	if k == nil {
		return nil
	}
	scrubbed := *k
	scrubbed.Text = clean(k.Text)
	if k.Blocks != "" {
		scrubbed.Blocks = cleanBlocks(k.Blocks, clean)
	}
	if scrubbed.Text == "" && scrubbed.Blocks == "" {
		scrubbed.Field = ""
	}
	scrubbed.Calls = slices.Clone(k.Calls)
	for i := range scrubbed.Calls {
		if call := &scrubbed.Calls[i]; call.Extra != "" && !isClean(call.Extra, clean) {
			call.Extra = ""
		}
	}
	return scrubbed.orNil()
}

// isClean reports whether clean changes no string of a JSON object, signatures aside.
func isClean(object string, clean func(string) string) bool {
	var members any
	if json.Unmarshal([]byte(object), &members) != nil {
		return false
	}
	var look func(name string, value any) bool
	look = func(name string, value any) bool {
		switch v := value.(type) {
		case string:
			return opaque[name] || clean(v) == v
		case []any:
			return !slices.ContainsFunc(v, func(e any) bool { return !look(name, e) })
		case map[string]any:
			for inner, e := range v {
				if clean(inner) != inner || !look(inner, e) {
					return false
				}
			}
		}
		return true
	}
	return look("", members)
}

// WithoutReasoning drops the model's thoughts, for requests without room for them.
func (k *ReplayData) WithoutReasoning() *ReplayData {
	if k == nil {
		return nil
	}
	rest := *k
	rest.Field, rest.Text, rest.Blocks = "", "", ""
	return rest.orNil()
}

// WithoutCalls drops the data of calls, for an answer whose calls are dropped.
func (k *ReplayData) WithoutCalls() *ReplayData {
	if k == nil {
		return nil
	}
	rest := *k
	rest.Calls = nil
	return rest.orNil()
}

// WithoutCall drops the data of the n-th call, counted from zero, when the call was changed.
func (k *ReplayData) WithoutCall(n int) *ReplayData {
	if k == nil || n >= len(k.Calls) {
		return k
	}
	rest := *k
	rest.Calls = append([]CallReplayData(nil), k.Calls...)
	rest.Calls[n] = CallReplayData{}
	return rest.orNil()
}

func (k *ReplayData) orNil() *ReplayData {
	for _, c := range k.Calls {
		if c != (CallReplayData{}) {
			return k
		}
	}
	k.Calls = nil
	if k.Field == "" {
		return nil
	}
	return k
}

// call returns the data of the n-th call.
func (k *ReplayData) call(n int) CallReplayData {
	if k == nil || n >= len(k.Calls) {
		return CallReplayData{}
	}
	return k.Calls[n]
}

// ownedBy returns the data that goes back to the connection id when it calls model. Data in an unknown form, which storage
// may have altered, is left out.
func (k *ReplayData) ownedBy(id, model string, thoughts bool) *ReplayData {
	if k == nil || k.From != id || k.Model != model {
		return nil
	}
	sound := *k
	switch k.Field {
	case "reasoning_content", "reasoning", "reasoning_text", partsField:
		sound.Blocks = ""
	case "reasoning_details", "thinking_blocks":
		sound.Text = ""
		if !isArray(k.Blocks) {
			sound.Blocks = ""
		}
	default:
		sound.Text, sound.Blocks = "", ""
	}
	if !thoughts || sound.Text == "" && sound.Blocks == "" {
		sound.Field, sound.Text, sound.Blocks = "", "", ""
	}
	for i, c := range k.Calls {
		if c.Extra != "" && !isExtra(c.Extra) || len(c.ID) > maxCallReplayData {
			return sound.WithoutCall(i).ownedBy(id, model, thoughts)
		}
	}
	if sound.Field == k.Field {
		return k
	}
	return sound.orNil()
}

func isArray(text string) bool {
	return strings.HasPrefix(text, "[") && json.Valid([]byte(text))
}

// callMembers are the further members of a call that go back.
var callMembers = [...]string{"extra_content", "provider_specific_fields"}

func isExtra(text string) bool {
	if !strings.HasPrefix(text, "{") || !json.Valid([]byte(text)) {
		return false
	}
	known, members := true, 0
	s := jsonscan.New([]byte(text))
	s.Object(func(key []byte) {
		members++
		known = known && (string(key) == callMembers[0] || string(key) == callMembers[1])
		s.Skip()
	})
	return known && members > 0
}

// replayCollector collects the ReplayData of an answer during reading.
type replayCollector struct {
	// field is the first member with plain reasoning.
	field  string
	blocks blocks
	calls  []*callExtra
}

type callExtra struct {
	call   *partialCall
	values [len(callMembers)][]byte
}

// note collects the parts of a chunk that go back.
func (k *replayCollector) note(c *chunk) {
	if k.field == "" {
		k.field = c.field
	}
	if len(c.blocks) > 0 {
		k.blocks.add(c.blocksField, c.blocks)
	}
}

// noteCall collects the further members of a piece of a call.
func (k *replayCollector) noteCall(call *partialCall, part *callPart) {
	for i, value := range part.extra {
		if isNull(value) || len(value) > maxCallReplayData {
			continue
		}
		k.part(call).values[i] = append([]byte(nil), cleanText(value)...)
	}
}

func (k *replayCollector) part(call *partialCall) *callExtra {
	for _, p := range k.calls {
		if p.call == call {
			return p
		}
	}
	p := &callExtra{call: call}
	k.calls = append(k.calls, p)
	return p
}

// data returns the collected ReplayData; nil for none. reasoning is all plain reasoning.
func (k *replayCollector) data(reasoning string, calls []*partialCall) *ReplayData {
	if k.field == "" && k.blocks.field == "" && len(calls) == 0 {
		return nil
	}
	kept := ReplayData{}
	if text := k.blocks.text(); text != "" {
		kept.Field, kept.Blocks = k.blocks.field, text
	} else if k.field != "" && reasoning != "" {
		kept.Field, kept.Text = k.field, cutAt(reasoning, maxReplayData)
	}
	for i, call := range calls {
		of := CallReplayData{}
		if call.givenID != "" && (call.givenID != call.id || !isPlainID(call.givenID)) && len(call.givenID) <= maxCallReplayData {
			of.ID = call.givenID
		}
		for _, p := range k.calls {
			if p.call == call {
				of.Extra = p.text()
			}
		}
		if of == (CallReplayData{}) {
			continue
		}
		if kept.Calls == nil {
			kept.Calls = make([]CallReplayData, len(calls))
		}
		if kept.Calls[i] = of; kept.Size() > 2*maxReplayData {
			kept.Calls[i] = CallReplayData{}
		}
	}
	return kept.orNil()
}

func (p *callExtra) text() string {
	text := []byte{'{'}
	for i, value := range p.values {
		if len(value) == 0 || !json.Valid(value) {
			continue
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = append(append(append(append(text, '"'), callMembers[i]...), '"', ':'), value...)
	}
	if len(text) == 1 {
		return ""
	}
	return string(append(text, '}'))
}

// cutAt returns the beginning of text, at most limit bytes and whole characters.
func cutAt(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
