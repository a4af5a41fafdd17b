package model

import "sync"

// thinkingModels records which models think before they answer, as observed.
type thinkingModels struct {
	mu    sync.Mutex
	known map[string]bool
}

// maxThinkingModels bounds the recorded models.
const maxThinkingModels = 1_000

// Thinks reports whether the model has been observed to think before it answers; known is false before its first
// answer. One answer with thoughts is enough.
func (c *Client) Thinks(model string) (thinks, known bool) {
	c.thinking.mu.Lock()
	defer c.thinking.mu.Unlock()
	thinks, known = c.thinking.known[model]
	return thinks, known
}

// observeThinking records whether an answer involved thinking: by its reasoning, by its count of reasoning tokens, or
// by more output tokens than its text can account for.
func (c *Client) observeThinking(model string, r Response, counted int) {
	said := len(r.Text)
	for _, call := range r.ToolCalls {
		said += len(call.Name) + len(call.Arguments) + 64
	}
	const forms = 64
	thinks := r.Reasoning != "" || counted > 0 || r.Usage.OutputTokens > said+forms || r.Empty() && r.FinishReason == FinishLength
	if !thinks && r.Empty() {
		return
	}
	c.thinking.mu.Lock()
	defer c.thinking.mu.Unlock()
	if c.thinking.known == nil || len(c.thinking.known) >= maxThinkingModels {
		c.thinking.known = map[string]bool{}
	}
	c.thinking.known[model] = c.thinking.known[model] || thinks
}
