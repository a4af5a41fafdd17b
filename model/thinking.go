package model

import "sync"

// thinkingModels records how models think before they answer, as observed.
type thinkingModels struct {
	mu    sync.Mutex
	known map[string]thinking
}

type thinking struct {
	thinks bool
	// tokens is how much the model thought lately at most.
	tokens int
}

const (
	// maxThinkingModels bounds the recorded models.
	maxThinkingModels = 1_000
	// bytesPerThought is the length of a token of thoughts, for providers that do not count them.
	bytesPerThought = 4
)

// Thinks reports whether the model has been observed to think before it answers; known is false before its first
// answer. One answer with thoughts is enough.
func (c *Client) Thinks(model string) (thinks, known bool) {
	c.thinking.mu.Lock()
	defer c.thinking.mu.Unlock()
	seen, known := c.thinking.known[model]
	return seen.thinks, known
}

// Thoughts returns about how many tokens the model thought lately at most, 0 when it was not observed to think.
func (c *Client) Thoughts(model string) int {
	c.thinking.mu.Lock()
	defer c.thinking.mu.Unlock()
	return c.thinking.known[model].tokens
}

// AddThoughts records what another process has observed of a model that thinks.
func (c *Client) AddThoughts(model string, tokens int) {
	c.recordThinking(model, thinking{true, tokens})
}

// observeThinking records whether an answer involved thinking: by its reasoning, by its count of reasoning tokens, or
// by more output tokens than its text can account for.
func (c *Client) observeThinking(model string, r Response, counted int) {
	said := len(r.Text)
	for _, call := range r.ToolCalls {
		said += len(call.Name) + len(call.Arguments) + 64
	}
	const forms = 64
	usedUp := r.Empty() && r.FinishReason == FinishLength
	seen := thinking{
		thinks: r.Reasoning != "" || counted > 0 || r.Usage.OutputTokens > said+forms || usedUp,
		tokens: max(counted, len(r.Reasoning)/bytesPerThought),
	}
	if usedUp || seen.thinks && seen.tokens == 0 {
		seen.tokens = max(seen.tokens, r.Usage.OutputTokens-said/bytesPerThought)
	}
	if !seen.thinks && r.Empty() {
		return
	}
	c.recordThinking(model, seen)
}

// recordThinking merges an observation; what was observed before loses weight.
func (c *Client) recordThinking(model string, seen thinking) {
	c.thinking.mu.Lock()
	defer c.thinking.mu.Unlock()
	if c.thinking.known == nil || len(c.thinking.known) >= maxThinkingModels {
		c.thinking.known = map[string]thinking{}
	}
	before := c.thinking.known[model]
	c.thinking.known[model] = thinking{before.thinks || seen.thinks, max(seen.tokens, before.tokens*19/20)}
}
