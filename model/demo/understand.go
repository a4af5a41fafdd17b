package demo

import (
	"encoding/json"
	"slices"
	"strings"

	"countersign/model"
)

// understand finds the requests of the last message. An answer to a question continues the request that the question
// was about.
func (b *book) understand(messages []model.Message) (wishes []wish, answered bool) {
	at := len(messages) - 1
	text := messages[at].Content
	wishes = b.read(text)
	before := lastUser(messages[:at])
	if before < 0 {
		return wishes, false
	}
	question, labels := questionIn(messages[before+1 : at])
	if question == "" || !b.isAnswer(text, wishes, labels) {
		return wishes, false
	}
	answer := strings.Trim(strings.ReplaceAll(b.plain(text), `"`, ""), " .!")
	earlier, _ := b.understand(messages[:before+1])
	for _, w := range earlier {
		if slot, name := w.asks(question); slot != "" {
			for i := range earlier {
				earlier[i] = earlier[i].answer(slot, name, answer)
			}
			return earlier, true
		}
	}
	return wishes, false
}

// isAnswer distinguishes an answer to a question from a new request.
func (b *book) isAnswer(text string, wishes []wish, labels []string) bool {
	if slices.ContainsFunc(wishes, func(w wish) bool { return w.scene.Dismissal }) || strings.Contains(text, "\n") {
		return false
	}
	offered := func(label string) bool {
		return strings.EqualFold(strings.ReplaceAll(label, `"`, ""), strings.Trim(strings.ReplaceAll(text, `"`, ""), " .!"))
	}
	return slices.ContainsFunc(labels, offered) || len(wishes) == 0 && len(strings.Fields(text)) <= longestAnswer
}

// questionIn returns the question that these messages of a turn put to the person, and its options. A question in plain
// text is the whole text.
func questionIn(messages []model.Message) (question string, labels []string) {
	for _, m := range slices.Backward(messages) {
		for _, call := range m.ToolCalls {
			var input struct {
				Question string `json:"question"`
				Options  []struct {
					Label string `json:"label"`
				} `json:"options"`
			}
			if call.Name != askOperator || json.Unmarshal([]byte(call.Arguments), &input) != nil {
				continue
			}
			for _, o := range input.Options {
				labels = append(labels, o.Label)
			}
			return input.Question, labels
		}
		if m.Role == model.RoleAssistant && strings.Contains(m.Content, "? Tell me") {
			return m.Content, nil
		}
	}
	return "", nil
}
