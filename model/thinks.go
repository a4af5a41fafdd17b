package model

import "sync"

// habits are what a client has seen of its models: whether they think before they answer.
type habits struct {
	mu    sync.Mutex
	known map[string]bool
}

// maxHabits bounds how many models are remembered.
const maxHabits = 1_000

// Thinks reports whether the model has been seen to think before it answers; known is false while it has not answered. One that
// has thought once counts as thinking.
func (c *Client) Thinks(model string) (thinks, known bool) {
	c.habits.mu.Lock()
	defer c.habits.mu.Unlock()
	thinks, known = c.habits.known[model]
	return thinks, known
}

// learn notes whether an answer was thought about: it says so, its tokens say so, or more of them are charged than anybody can
// write in so many bytes.
func (c *Client) learn(model string, r Response, counted int) {
	said := len(r.Text)
	for _, call := range r.ToolCalls {
		said += len(call.Name) + len(call.Arguments) + 64
	}
	const forms = 64
	thinks := r.Reasoning != "" || counted > 0 || r.Usage.OutputTokens > said+forms || r.Empty() && r.FinishReason == FinishLength
	if !thinks && r.Empty() {
		return
	}
	c.habits.mu.Lock()
	defer c.habits.mu.Unlock()
	if c.habits.known == nil || len(c.habits.known) >= maxHabits {
		c.habits.known = map[string]bool{}
	}
	c.habits.known[model] = c.habits.known[model] || thinks
}
