package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model"
)

// Every family counts what its cache has served in a member of its own.
func TestCachedTokensAreCountedInEveryForm(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		usage string
		want  model.Usage
	}{
		"OpenAI":            {`{"prompt_tokens":2006,"completion_tokens":300,"prompt_tokens_details":{"cached_tokens":1920,"audio_tokens":0}}`, model.Usage{InputTokens: 2006, OutputTokens: 300, CachedTokens: 1920}},
		"its other API":     {`{"input_tokens":2006,"output_tokens":300,"input_tokens_details":{"cached_tokens":1920}}`, model.Usage{InputTokens: 2006, OutputTokens: 300, CachedTokens: 1920}},
		"DeepSeek":          {`{"prompt_tokens":500,"completion_tokens":5,"prompt_cache_hit_tokens":448,"prompt_cache_miss_tokens":52}`, model.Usage{InputTokens: 500, OutputTokens: 5, CachedTokens: 448}},
		"Moonshot":          {`{"prompt_tokens":500,"completion_tokens":5,"cached_tokens":256}`, model.Usage{InputTokens: 500, OutputTokens: 5, CachedTokens: 256}},
		"LiteLLM":           {`{"prompt_tokens":500,"completion_tokens":5,"cache_read_input_tokens":400,"cache_creation_input_tokens":90,"prompt_tokens_details":{"cached_tokens":400}}`, model.Usage{InputTokens: 500, OutputTokens: 5, CachedTokens: 400}},
		"Anthropic's own":   {`{"input_tokens":10,"output_tokens":5,"cache_read_input_tokens":400,"cache_creation_input_tokens":90}`, model.Usage{InputTokens: 500, OutputTokens: 5, CachedTokens: 400}},
		"none":              {`{"prompt_tokens":500,"completion_tokens":5,"prompt_tokens_details":null,"cached_tokens":null}`, model.Usage{InputTokens: 500, OutputTokens: 5}},
		"numbers made up":   {`{"prompt_tokens":500,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":-4},"cached_tokens":"many"}`, model.Usage{InputTokens: 500, OutputTokens: 5}},
		"a cache of nobody": {`{"cached_tokens":7}`, model.Usage{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, _, err := stream(t, events(delta(`"content":"Hello"`), finish("stop"), `{"choices":[],"usage":`+c.usage+`}`, done))
			require.NoError(t, err)
			c.want.Reported = c.want.InputTokens > 0
			require.Equal(t, c.want, response.Usage)
		})
	}
}
