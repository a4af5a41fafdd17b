package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Texts that fill the gaps of a history. They never vary, so that prompt caches recognize the beginning of a request.
const (
	waited      = "I stopped here and waited for the person."
	goOn        = "Continue."
	noWords     = "(no words)"
	noResult    = `{"error":{"code":"stopped","message":"This call did not run: the turn ended before."}}`
	noName      = "unnamed"
	noArguments = "{}"
)

// history is a conversation on its way to a provider.
type history struct {
	messages []Message
	// id is that of the connection; model is the requested one.
	id, model string
	quirks    quirks
}

// rules make a history valid, in this order. Each depends only on the history and the quirks, so that the same history
// is always sent alike.
var rules = []struct {
	// when is the quirk that the rule is for; zero applies always.
	when  quirks
	apply func(h *history)
}{
	// Reasoning, signatures and native ids go back only to the connection and model that sent them.
	{apply: (*history).keepOwn},
	// An answer has text or calls, and a message of a person has text.
	{apply: (*history).dropBlank},
	// Each call is followed by its one result, in the order of the calls; results stand nowhere else.
	{apply: (*history).pairResults},
	// Names are of letters, digits, "_" and "-", 64 at most; arguments are a JSON object.
	{apply: (*history).plainCalls},
	// Ids have the same characters, 40 at most, or 9 letters and digits, and are unique.
	{apply: (*history).uniqueIDs},
	// Without a system role, the instructions move to the person's first message.
	{when: withoutSystem, apply: (*history).foldSystem},
	// The first message is the person's.
	{apply: (*history).beginWithPerson},
	// Person and assistant alternate, also where a turn ended with a card or a question.
	{when: withTurns, apply: (*history).takeTurns},
	// The last message is not the assistant's.
	{apply: (*history).endOpen},
}

// validHistory returns a conversation that the provider accepts. It leaves messages unchanged.
func validHistory(messages []Message, id, model string, d quirks) []Message {
	h := &history{messages: slices.Clone(messages), id: id, model: model, quirks: d}
	for _, rule := range rules {
		if rule.when == 0 || d&rule.when != 0 {
			rule.apply(h)
		}
	}
	return h.messages
}

func (h *history) keepOwn() {
	for i := range h.messages {
		if m := &h.messages[i]; m.ReplayData != nil {
			m.ReplayData = m.ReplayData.ownedBy(h.id, h.model, h.quirks&withoutThoughts == 0)
		}
	}
}

func (h *history) dropBlank() {
	h.messages = slices.DeleteFunc(h.messages, func(m Message) bool {
		return m.Role == RoleAssistant && len(m.ToolCalls) == 0 && isBlank(m.Content)
	})
	for i := range h.messages {
		switch m := &h.messages[i]; {
		case m.Role == RoleAssistant && isBlank(m.Content):
			m.Content = ""
		case (m.Role == RoleUser || m.Role == RoleSystem) && isBlank(m.Content):
			m.Content = noWords
		}
	}
}

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

func (h *history) pairResults() {
	if h.paired() {
		return
	}
	paired := make([]Message, 0, len(h.messages))
	for i, m := range h.messages {
		if m.Role == RoleTool {
			continue
		}
		m.ToolCallID = ""
		if m.Role != RoleAssistant {
			m.ToolCalls = nil
		}
		paired = append(paired, m)
		results := h.resultsAfter(i)
		taken := make([]bool, len(results))
		for _, call := range m.ToolCalls {
			result := Message{Role: RoleTool, Content: noResult}
			for n, r := range results {
				if !taken[n] && r.ToolCallID == call.ID {
					result, taken[n] = r, true
					break
				}
			}
			result.ToolCallID = call.ID
			paired = append(paired, result)
		}
	}
	h.messages = paired
}

// paired reports that calls and results already match, the common case.
func (h *history) paired() bool {
	for i := 0; i < len(h.messages); i++ {
		m := &h.messages[i]
		if m.Role == RoleTool || m.ToolCallID != "" || m.Role != RoleAssistant && len(m.ToolCalls) > 0 {
			return false
		}
		results := h.resultsAfter(i)
		if len(results) != len(m.ToolCalls) {
			return false
		}
		for n := range results {
			if results[n].ToolCallID != m.ToolCalls[n].ID || len(results[n].ToolCalls) > 0 {
				return false
			}
		}
		i += len(results)
	}
	return true
}

// resultsAfter returns the results directly behind a message.
func (h *history) resultsAfter(i int) []Message {
	end := i + 1
	for end < len(h.messages) && h.messages[end].Role == RoleTool {
		end++
	}
	return h.messages[i+1 : end]
}

func (h *history) plainCalls() {
	for i := range h.messages {
		m := &h.messages[i]
		owned := false
		for n := range m.ToolCalls {
			name, arguments := m.ToolCalls[n].Name, m.ToolCalls[n].Arguments
			if !isPlain(name, 64) {
				name = PlainName(name)
			}
			if !isObject(arguments) {
				arguments = noArguments
			}
			if name == m.ToolCalls[n].Name && arguments == m.ToolCalls[n].Arguments {
				continue
			}
			if !owned {
				m.ToolCalls, owned = slices.Clone(m.ToolCalls), true
			}
			m.ToolCalls[n].Name, m.ToolCalls[n].Arguments = name, arguments
		}
	}
}

func isObject(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, space), "{") && json.Valid([]byte(text))
}

// isPlain reports whether text consists of letters, digits, "_" and "-", and at most so many.
func isPlain(text string, most int) bool {
	if text == "" || len(text) > most {
		return false
	}
	for i := range len(text) {
		if !isPlainByte(text[i]) {
			return false
		}
	}
	return true
}

func isPlainByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// isPlainID reports whether every provider without an id format of its own accepts the id.
func isPlainID(id string) bool { return isPlain(id, 40) }

// PlainName normalizes a tool's name to the form that every provider accepts. Models leak their own marks into names,
// as in "tool<|channel|>commentary" and "functions.tool".
func PlainName(name string) string {
	name, _, _ = strings.Cut(name, "<|")
	name = strings.TrimPrefix(strings.TrimSpace(name), "functions.")
	if isPlain(name, 64) {
		return name
	}
	plain := bytes.Clone([]byte(name[:min(len(name), 64)]))
	for i, c := range plain {
		if !isPlainByte(c) {
			plain[i] = '_'
		}
	}
	if len(bytes.Trim(plain, "_-")) == 0 {
		return noName
	}
	return string(plain)
}

func (h *history) uniqueIDs() {
	var seen map[string]int
	for i := range h.messages {
		m := &h.messages[i]
		owned := false
		for n := range m.ToolCalls {
			if seen == nil {
				seen = make(map[string]int, len(h.messages))
			}
			id := m.ToolCalls[n].ID
			if own := m.ReplayData.call(n).ID; own != "" {
				id = own
			}
			id = h.uniqueID(seen, id, m.ReplayData.call(n).ID != "")
			if id == m.ToolCalls[n].ID {
				continue
			}
			if !owned {
				m.ToolCalls, owned = slices.Clone(m.ToolCalls), true
			}
			m.ToolCalls[n].ID, h.messages[i+1+n].ToolCallID = id, id
		}
	}
}

// uniqueID returns an id that the provider accepts: the given one if possible, else a digest. Repeated ids get a
// counter.
func (h *history) uniqueID(seen map[string]int, id string, own bool) string {
	short := h.quirks&withShortIDs != 0
	fits := isPlainID(id)
	if short {
		fits = isPlain(id, 9) && len(id) == 9 && !strings.ContainsAny(id, "_-")
	} else if own {
		fits = true
	}
	for {
		count := seen[id]
		seen[id] = count + 1
		sent := id
		if !fits || count > 0 {
			sent = digest(id, count, short)
			if seen[sent] > 0 {
				continue
			}
			seen[sent] = 1
		}
		return sent
	}
}

// digest derives an id from another one.
func digest(id string, count int, short bool) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	sum := sha256.Sum256([]byte(strconv.Itoa(count) + " " + id))
	var made [24]byte
	for i := range made {
		made[i] = letters[int(sum[i])%len(letters)]
	}
	if short {
		return string(made[:9])
	}
	return "call_" + string(made[:])
}

func (h *history) foldSystem() {
	var instructions []string
	h.messages = slices.DeleteFunc(h.messages, func(m Message) bool {
		if m.Role == RoleSystem {
			instructions = append(instructions, m.Content)
		}
		return m.Role == RoleSystem
	})
	if len(instructions) == 0 {
		return
	}
	text := strings.Join(instructions, "\n\n")
	if len(h.messages) > 0 && h.messages[0].Role == RoleUser {
		h.messages[0].Content = text + "\n\n" + h.messages[0].Content
		return
	}
	h.messages = slices.Insert(h.messages, 0, Message{Role: RoleUser, Content: text})
}

func (h *history) beginWithPerson() {
	first := slices.IndexFunc(h.messages, func(m Message) bool { return m.Role != RoleSystem })
	if first >= 0 && h.messages[first].Role != RoleUser {
		h.messages = slices.Insert(h.messages, first, Message{Role: RoleUser, Content: goOn})
	}
}

func (h *history) takeTurns() {
	said := make([]Message, 0, len(h.messages)+4)
	for i, m := range h.messages {
		if i > 0 {
			switch before := h.messages[i-1].Role; {
			case m.Role == RoleUser && (before == RoleUser || before == RoleTool):
				said = append(said, Message{Role: RoleAssistant, Content: waited})
			case m.Role == RoleAssistant && before == RoleAssistant:
				said = append(said, Message{Role: RoleUser, Content: goOn})
			}
		}
		said = append(said, m)
	}
	h.messages = said
}

func (h *history) endOpen() {
	if n := len(h.messages); n > 0 && h.messages[n-1].Role == RoleAssistant {
		h.messages = append(h.messages, Message{Role: RoleUser, Content: goOn})
	}
}
