package assistant

import (
	"hash/maphash"
	"sync"

	"countersign/model"
)

// maxKnownSchemas bounds the cached estimates; the tools of an installation and of its MCP servers are fewer.
const maxKnownSchemas = 8_192

// schemaTokens are the hundredths that a schema takes of what Tokens estimates: its marks and words repeat, for which
// tokenizers have longer pieces. Of the product's own schemas, each takes 71 to 83 with those of OpenAI and Qwen.
const schemaTokens = 83

// knownSchemas caches estimates of tools by a hash of their texts: each step of a turn compares all of them with the window
// several times, and they change seldom.
var knownSchemas = struct {
	sync.RWMutex

	seed   maphash.Seed
	tokens map[uint64]int
}{seed: maphash.MakeSeed(), tokens: map[uint64]int{}}

// SchemaTokens estimates the tokens of a tool in a request.
func SchemaTokens(t model.Tool) int {
	var h maphash.Hash
	h.SetSeed(knownSchemas.seed)
	for _, text := range []string{t.Name, t.Description} {
		_, _ = h.WriteString(text)
		_ = h.WriteByte(0)
	}
	_, _ = h.Write(t.Parameters)
	key := h.Sum64()
	knownSchemas.RLock()
	known, ok := knownSchemas.tokens[key]
	knownSchemas.RUnlock()
	if ok {
		return known
	}
	const wrapping = 8
	tokens := Tokens(t.Name) + Tokens(t.Description) + Tokens(string(t.Parameters))*schemaTokens/100 + wrapping
	knownSchemas.Lock()
	defer knownSchemas.Unlock()
	if len(knownSchemas.tokens) >= maxKnownSchemas {
		clear(knownSchemas.tokens)
	}
	knownSchemas.tokens[key] = tokens
	return tokens
}

// ToolTokens estimates all tools of a request.
func ToolTokens(tools []model.Tool) int {
	total := 0
	for _, t := range tools {
		total += SchemaTokens(t)
	}
	return total
}
