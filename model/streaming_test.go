package model_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model"
)

// picky is a provider that takes streamed requests only, or none, and refuses the others in its own words.
type picky struct {
	streams bool
	status  int
	refusal string

	mu                       sync.Mutex
	refused, streamed, whole int
}

func (p *picky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Stream bool }
	raw, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(raw, &asked)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case asked.Stream != p.streams:
		p.refused++
		body(p.status, "application/json", p.refusal)(w, r)
	case asked.Stream:
		p.streamed++
		_, _ = io.WriteString(w, events(delta(`"content":"Hi"`), finish("stop"), done))
	default:
		p.whole++
		_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}`)
	}
}

func serve(t *testing.T, handler http.Handler, tune ...func(*model.Options)) *model.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	options := model.Options{BaseURL: server.URL + "/v1", HTTPClient: server.Client()}
	for _, f := range tune {
		f(&options)
	}
	return model.New(options)
}

// Short answers of a model that streams only are streamed from its first refusal on.
func TestAModelThatStreamsOnlyIsAskedToStream(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]string{
		"DashScope":             `{"error":{"code":"invalid_parameter_error","message":"This model only support stream mode, please enable the stream parameter to access the model. "}}`,
		"DashScope, thoughts":   `{"error":{"code":"invalid_parameter_error","message":"parameter.enable_thinking must be set to false for non-streaming calls","type":"invalid_request_error"}}`,
		"DashScope, in Chinese": `{"error":{"code":"invalid_parameter_error","message":"parameter.enable_thinking必须设置为false才能进行非流式调用"}}`,
		"ModelScope":            "{\"error\":{\"code\":\"invalid_parameter_error\",\"message\":\"enable thinking can not be support when `stream=False`.\"}}",
		"Codex":                 `{"detail":"Stream must be set to true"}`,
		"a gateway":             `{"error":{"message":"Non-streaming requests are not supported by this endpoint","type":"invalid_request_error"}}`,
		"another":               `{"error":{"message":"This model requires streaming. Set stream=true."}}`,
		"plain text":            `streaming is required`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var learned []model.ModelQuirk
			provider := &picky{streams: true, status: http.StatusBadRequest, refusal: refusal}
			client := serve(t, provider, func(o *model.Options) { o.OnQuirks = func(l []model.ModelQuirk) { learned = append(learned, l...) } })
			for range 3 {
				response, err := client.Complete(t.Context(), hello)
				require.NoError(t, err)
				require.Equal(t, "Hi", response.Text)
			}
			require.Equal(t, []model.ModelQuirk{{Model: hello.Model, Quirk: "only_streams"}}, learned)
			require.Equal(t, [3]int{1, 3, 0}, [3]int{provider.refused, provider.streamed, provider.whole})
		})
	}
}

// Answers of a model that does not stream come as a whole from its first refusal on.
func TestAModelThatDoesNotStreamIsNotAskedTo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status  int
		refusal string
	}{
		"not available":        {400, `{"error":{"message":"Streaming responses are not available","param":"stream"}}`},
		"OpenAI, not verified": {400, `{"error":{"message":"Your organization must be verified to stream this model. Please go to: https://platform.openai.com/settings/organization/general","type":"invalid_request_error","param":"stream","code":"unsupported_value"}}`},
		"OpenAI, o1":           {400, `{"error":{"message":"Unsupported value: 'stream' does not support true with this model. Only the default (false) value is supported.","type":"invalid_request_error","param":"stream","code":"unsupported_value"}}`},
		"GitHub Models":        {400, `{"error":{"message":"Unsupported value: 'stream' does not support true with this model. Supported values are: false.","param":"stream"}}`},
		"Bedrock":              {400, `{"error":{"message":"This model doesn't support tool use in streaming mode."}}`},
		"llama.cpp":            {500, `{"code":500,"message":"Cannot use tools with stream","type":"server_error"}`},
		"TGI":                  {422, "{\"error\":[\"Error in `stream`: `stream` is not supported for this model\"]}"},
		"a gateway":            {501, `{"error":{"message":"Streaming is not implemented"}}`},
		"another":              {400, `{"detail":"Streaming is disabled for this deployment"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var learned []model.ModelQuirk
			provider := &picky{status: test.status, refusal: test.refusal}
			client := serve(t, provider, func(o *model.Options) { o.OnQuirks = func(l []model.ModelQuirk) { learned = append(learned, l...) } })
			for range 3 {
				var shown strings.Builder
				response, err := client.Stream(t.Context(), hello, func(d model.Delta) { shown.WriteString(d.Text) })
				require.NoError(t, err)
				require.Equal(t, "Hi", response.Text)
				require.Equal(t, "Hi", shown.String())
			}
			require.Equal(t, []model.ModelQuirk{{Model: hello.Model, Quirk: "no_streaming"}}, learned)
			require.Equal(t, [3]int{1, 0, 3}, [3]int{provider.refused, provider.streamed, provider.whole})
		})
	}
}

// A failure that has the word in it, and goes away by itself, teaches nothing.
func TestAFailedStreamIsNoRefusalToStream(t *testing.T) {
	t.Parallel()
	for _, failure := range []string{
		`{"error":{"message":"upstream stream error: unexpected EOF"}}`,
		`{"error":{"message":"unknown error while streaming"}}`,
		`{"error":{"message":"Upstream does not support this right now"}}`,
	} {
		requests := 0
		client := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests++
			body(http.StatusInternalServerError, "application/json", failure)(w, r)
		}), func(o *model.Options) { o.OnQuirks = func([]model.ModelQuirk) { t.Error("learned") } })
		_, err := client.Stream(t.Context(), hello, nil)
		require.Equal(t, model.Unavailable, model.ClassOf(err))
		require.Equal(t, 1, requests, failure)
	}
}

// A connection that says whether to stream is obeyed, whatever was learned.
func TestTheSettingOfAConnectionDecidesAboutStreaming(t *testing.T) {
	t.Parallel()
	for setting, streams := range map[string]bool{model.StreamAlways: true, model.StreamNever: false} {
		provider := &picky{streams: streams, status: http.StatusBadRequest, refusal: `{"error":{"message":"stream: not supported"}}`}
		client := serve(t, provider, func(o *model.Options) { o.Streaming = setting })
		client.AddQuirks([]model.ModelQuirk{{Model: hello.Model, Quirk: "only_streams"}, {Model: hello.Model, Quirk: "no_streaming"}})
		_, err := client.Complete(t.Context(), hello)
		require.NoError(t, err)
		_, err = client.Stream(t.Context(), hello, nil)
		require.NoError(t, err)
		require.Zero(t, provider.refused)
		provider.streams = !streams
		_, err = client.Stream(t.Context(), hello, nil)
		require.Equal(t, model.Invalid, model.ClassOf(err))
		require.Equal(t, 1, provider.refused, "a refusal is shown")
	}
}
