package assistant

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"countersign/model"
)

// Content that a provider refuses is replaced by these in requests; calls keep their results, as providers require
// pairs.
const (
	withheldResult = `{"_withheld":"The model provider refuses to read this result, so it was left out, and the person was told. ` +
		`Do not call again for the same content. Go on without it."}`
	withheldMessage = "[A message of the person stood here. The model provider refuses to read it, so it was left out.]"
	foldedResult    = "[The result of a tool call stood here. The model provider refuses to read it, so it was left out, and the person " +
		"was told. Do not call again for the same content. Go on without it.]"
	withheldAnswer = "[An answer stood here. The model provider refuses to read it, so it was left out.]"
)

// Suspect is a message whose content a provider may refuse. Key identifies the content in every turn of a conversation.
type Suspect struct {
	Key string
	// Tool is the name on the wire of the tool whose result it is; "" for a message of the person or an answer.
	Tool string
	// Role is that of the message.
	Role string
}

// maxSuspects bounds the messages that a search withholds.
const maxSuspects = 64

// Suspects returns the messages of a conversation that a provider may refuse, results of tools before all others and the
// newest first. The message that is answered, the last of history, is none: without it there is nothing to answer.
func Suspects(history, running []model.Message, withheld map[string]bool, secret []byte) []Suspect {
	names := map[string]string{}
	var results, others []Suspect
	known := map[string]bool{}
	all := slices.Concat(history, running)
	for _, m := range all {
		for _, c := range m.ToolCalls {
			names[c.ID] = c.Name
		}
	}
	for i, m := range slices.Backward(all) {
		key := contentKey(m, secret)
		if i == len(history)-1 || withheld[key] || withheld[key+folded] || known[key] {
			continue
		}
		known[key] = true
		if m.Role == model.RoleTool {
			results = append(results, Suspect{Key: key, Tool: names[m.ToolCallID], Role: m.Role})
		} else {
			others = append(others, Suspect{Key: key, Role: m.Role})
		}
	}
	found := slices.Concat(results, others)
	return found[:min(len(found), maxSuspects)]
}

// contentKey is a keyed hash of the content of a message without the product's own context: who reads the stored keys must
// not be able to test guesses of it. The order of its characters does
// not count: PostgreSQL reorders the members of a stored result, which another process reads.
func contentKey(m model.Message, secret []byte) string {
	said, context := SplitContext(m.Content)
	if said == "" {
		said = context
	}
	hash := hmac.New(sha256.New, secret)
	content := []byte(strings.Join(strings.Fields(said), ""))
	slices.Sort(content)
	fmt.Fprintf(hash, "%s\x00%s\x00%s", m.Role, m.ToolCallID, content)
	for _, c := range m.ToolCalls {
		fmt.Fprintf(hash, "\x00%s\x00%s", c.Name, c.Arguments)
	}
	const bytes = 8
	return hex.EncodeToString(hash.Sum(nil)[:bytes])
}

// Withhold replaces the content of messages with these keys, except that of the message at index answered (-1 for none).
// secret is that of the conversation's keys.
func Withhold(messages []model.Message, keys map[string]bool, answered int, secret []byte) {
	if len(keys) == 0 {
		return
	}
	for i := range messages {
		m := &messages[i]
		if i == answered || !keys[contentKey(*m, secret)] {
			continue
		}
		switch m.Role {
		case model.RoleTool:
			m.Content = withheldResult
		case model.RoleAssistant:
			m.ToolCalls = slices.Clone(m.ToolCalls)
			for k := range m.ToolCalls {
				m.ToolCalls[k].Arguments = "{}"
			}
			m.ReplayData = nil
			if m.Content != "" || len(m.ToolCalls) == 0 {
				m.Content = withheldAnswer
			}
		default:
			m.Content = withheldMessage
		}
	}
}

// folded ends the key of a result that a provider refuses in any form: its call is left out as well.
const folded = "/call"

// IsWithheld reports whether keys hold that of a suspect, folded or not.
func (s Suspect) IsWithheld(keys []string) bool {
	return slices.Contains(keys, s.Key) || slices.Contains(keys, s.Key+folded)
}

// FoldedCalls are the ids of the calls among messages whose results have folded keys.
func FoldedCalls(messages []model.Message, keys map[string]bool, secret []byte) map[string]bool {
	ids := map[string]bool{}
	if len(keys) == 0 {
		return ids
	}
	for _, m := range messages {
		if m.Role == model.RoleTool && keys[contentKey(m, secret)+folded] {
			ids[m.ToolCallID] = true
		}
	}
	return ids
}

// Fold replaces these calls and their results by texts.
func Fold(messages []model.Message, ids map[string]bool) []model.Message {
	if len(ids) == 0 {
		return messages
	}
	var out, notes []model.Message
	for _, m := range messages {
		if m.Role == model.RoleTool && ids[m.ToolCallID] {
			notes = append(notes, model.Message{Role: model.RoleUser, Content: foldedResult})
			continue
		}
		if m.Role != model.RoleTool {
			out, notes = append(out, notes...), nil // results stand beside each other
		}
		out = append(out, withoutCalls(m, ids))
	}
	return append(out, notes...)
}

func withoutCalls(m model.Message, ids map[string]bool) model.Message {
	isFolded := func(c model.ToolCall) bool { return ids[c.ID] }
	if !slices.ContainsFunc(m.ToolCalls, isFolded) {
		return m
	}
	names := make([]string, len(m.ToolCalls))
	for i, c := range m.ToolCalls {
		names[i] = c.Name
	}
	m.ToolCalls, m.ReplayData = slices.DeleteFunc(slices.Clone(m.ToolCalls), isFolded), nil
	if len(m.ToolCalls) == 0 && m.Content == "" {
		m.Content = "[I called " + strings.Join(names, ", ") + ".]"
	}
	return m
}

// DescribeWithheld tells the person what the provider refuses to read. The names are those of tools. suspected says that
// some of it may be harmless.
func DescribeWithheld(tools []string, messages int, suspected bool) string {
	var parts []string
	if len(tools) > 0 {
		slices.Sort(tools)
		parts = append(parts, "the result of "+strings.Join(slices.Compact(tools), ", "))
	}
	switch {
	case messages == 1:
		parts = append(parts, "an earlier message")
	case messages > 1:
		parts = append(parts, fmt.Sprintf("%d earlier messages", messages))
	}
	what := strings.Join(parts, " and ")
	if suspected {
		return "The model provider refuses to read some of this: " + what + ". The chat keeps all of it, and the model goes on without it; " +
			"your next message sends it again, to find out which part is refused."
	}
	return "The model provider refuses to read " + what + ". The chat keeps it, and the model goes on without it. " +
		"Another model of the conversation gets it again."
}

const (
	// maxSearchTries bounds the requests of a search, maxPaidTries those that the provider accepts and charges although they
	// are no answer.
	maxSearchTries = 16
	maxPaidTries   = 4
)

// Search finds the smallest set of suspects without which a provider accepts a request: by bisection, from the newest
// on. Refused requests cost nothing. It is a pure state that the workflow of a turn carries from try to try, so that its
// history decides after a crash.
type Search struct {
	// Suspects are content keys, the newest first; Found are those known to be refused.
	Suspects []string `json:"suspects"`
	Found    []string `json:"found,omitempty"`
	// Without the newest Low of them the request is refused, without the newest High accepted; High is zero until that is
	// known.
	Low  int `json:"low,omitempty"`
	High int `json:"high,omitempty"`
	// The current try withholds the newest Try of them, or the High-th alone.
	Try   int  `json:"try,omitempty"`
	Alone bool `json:"alone,omitempty"`
	// Foldable are the keys under which calls are left out with their results, for a provider that refuses the results also
	// without their content; Folding is set once the suspects are those.
	Foldable []string `json:"foldable,omitempty"`
	Folding  bool     `json:"folding,omitempty"`
	// Final is set once the bounds are reached: what is known to be accepted is the answer.
	Final bool `json:"final,omitempty"`
	Tries int  `json:"tries"`
	Paid  int  `json:"paid,omitempty"`
}

// NewSearch starts a search whose first try is without so many of the suspects.
func NewSearch(suspects []Suspect, first int) (Search, bool) {
	s := Search{Try: min(first, len(suspects))}
	for _, suspect := range suspects {
		s.Suspects = append(s.Suspects, suspect.Key)
		if suspect.Tool != "" {
			s.Foldable = append(s.Foldable, suspect.Key+folded)
		}
	}
	return s, len(s.Suspects) > 0
}

// Withheld are the keys that the current try withholds.
func (s Search) Withheld() []string {
	if s.Alone {
		return append(slices.Clone(s.Found), s.Suspects[s.High-1])
	}
	return append(slices.Clone(s.Found), s.Suspects[:s.Try]...)
}

// Suspected are those of the withheld keys that may be harmless: the search ended at its bounds before it knew.
func (s Search) Suspected() []string {
	if !s.Final || s.High == 1 {
		return nil
	}
	return s.Suspects[:s.High]
}

// Settles reports whether the answer to the current try is that of the step if the provider accepts it: nothing smaller
// is left to try.
func (s Search) Settles() bool { return s.Alone || s.Final || s.Try == 1 }

// Next is the search after the outcome of the current try. It is over without a result when the provider refuses the
// request also without all suspects, or the bounds are reached.
func (s Search) Next(accepted bool) (Search, bool) {
	s.Tries++
	switch {
	case accepted:
		s.Paid++
		s.High = s.Try
	case s.Final:
		return s, false
	case s.Alone:
		// Others among the newer ones are refused as well.
		s.Found = append(slices.Clone(s.Found), s.Suspects[s.High-1])
		s.Suspects = s.Suspects[:s.High-1]
		s.Low, s.High, s.Alone = 0, len(s.Suspects), false
		if s.High == 0 {
			return s, false
		}
	case s.Try == len(s.Suspects):
		// Their content does not matter: the results themselves may.
		s.Suspects, s.Foldable, s.Folding = s.Foldable, nil, true
		s.Low, s.High, s.Try = 0, 0, len(s.Suspects)
		return s, s.Try > 0 && s.Tries < maxSearchTries
	default:
		s.Low = s.Try
	}
	s.Alone = false
	switch {
	case s.High > 0 && (s.Tries >= maxSearchTries-1 || s.Paid >= maxPaidTries):
		s.Try, s.Final = s.High, true
	case s.Tries >= maxSearchTries:
		return s, false
	case s.High > 0 && s.High-s.Low == 1:
		s.Alone = true
	case s.Low == 0:
		s.Try = 1
	case s.High == 0:
		s.Try = min(2*s.Low, len(s.Suspects))
	default:
		s.Try = (s.Low + s.High) / 2
	}
	return s, true
}
