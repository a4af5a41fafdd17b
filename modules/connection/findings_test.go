package connection_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/model"
	"countersign/model/corpus"
	"countersign/modules/connection"
)

// server is a provider of a certain kind.
type server struct {
	// count and call are the answers to the question for numbers and to the one with a tool; results the one to results.
	count, call, results http.HandlerFunc
	// says are its answers beside the chat, by path.
	says map[string]string
}

func (s server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if said, ok := s.says[r.URL.Path]; ok {
		_, _ = io.WriteString(w, said)
		return
	}
	var request struct {
		Messages []struct{ Role string }
		Tools    []any
	}
	if r.URL.Path != "/v1/chat/completions" || json.NewDecoder(r.Body).Decode(&request) != nil {
		http.NotFound(w, r)
		return
	}
	switch {
	case len(request.Tools) == 0:
		s.count(w, r)
	case len(request.Messages) == 1:
		s.call(w, r)
	default:
		s.results(w, r)
	}
}

// streams answers with events, each of them one choice or whole when it begins with a brace.
func streams(deltas ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, d := range deltas {
			if !strings.HasPrefix(d, "{") {
				d = `{"choices":[{"delta":{` + d + `}}]}`
			}
			_, _ = fmt.Fprintf(w, "data: %s\n\n", d)
			w.(http.Flusher).Flush()
		}
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	}
}

// onlyWith answers requests that are streamed, or those that are not, and refuses the others.
func onlyWith(streamed bool, refusal string, answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if (r.Header.Get("Accept") == "text/event-stream") != streamed {
			refuses(http.StatusBadRequest, refusal)(w, r)
			return
		}
		answer(w, r)
	}
}

func refuses(status int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"error":{"message":%q}}`, text)
	}
}

func gaugeCall(index int, arguments string) string {
	return fmt.Sprintf(
		`"tool_calls":[{"index":%d,"id":"call_%d","type":"function","function":{"name":"read_gauge","arguments":%q}}]`,
		index,
		index,
		arguments,
	)
}

// vllm is a server that can do everything.
func vllm() server {
	return server{
		count: streams(`"reasoning_content":"Count."`, `"content":"1 2"`, `"content":" 3"`,
			`{"choices":[],"usage":{"prompt_tokens":1200,"completion_tokens":60,"prompt_tokens_details":{"cached_tokens":1100}}}`),
		call:    streams(gaugeCall(0, `{"name":"A"}`), gaugeCall(1, `{"name":"B"}`)),
		results: streams(`"content":"17 and 25"`),
		says:    map[string]string{"/v1/models": `{"data":[{"id":"gpt-x","max_model_len":32768}]}`},
	}
}

type states map[string]string

func TestATestTellsWhatItFound(t *testing.T) {
	t.Parallel()
	all := states{
		"answer":    "ok",
		"streaming": "ok",
		"whole":     "ok",
		"tools":     "ok",
		"parallel":  "ok",
		"reasoning": "ok",
		"usage":     "ok",
		"speed":     "ok",
		"window":    "ok",
		"models":    "ok",
	}
	for name, test := range map[string]struct {
		change func(s *server, n *connection.NewConnection)
		want   states // those that differ
		failed bool
		says   []string
	}{
		"everything": {
			func(*server, *connection.NewConnection) {}, nil, false,
			[]string{"in 3 pieces", "2 calls at once", "in reasoning_content", "1,200 tokens in, 60 out", "1,100 this time", "32,768 tokens. They are used", "tokens a second|The first words came after"},
		},
		"one answer in one piece": {func(s *server, _ *connection.NewConnection) {
			s.count = func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"1 2 3"},"finish_reason":"stop"}]}`)
			}
		}, states{"streaming": "not", "reasoning": "unknown", "usage": "not"}, false, []string{"in one piece", "Spend caps count estimates"}},
		"a model that only streams": {func(s *server, _ *connection.NewConnection) {
			s.count = onlyWith(true, "This model only support stream mode, please enable the stream parameter to access the model.", s.count)
		}, states{"whole": "not"}, false, []string{"as a stream only"}},
		"a model that does not stream": {func(s *server, _ *connection.NewConnection) {
			whole := func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"1 2 3"},"finish_reason":"stop"}]}`)
			}
			s.count = onlyWith(false, "Your organization must be verified to stream this model.", whole)
		}, states{"streaming": "not", "reasoning": "unknown", "usage": "not"}, false, []string{"refuses to stream"}},
		"a connection that streams everything": {func(s *server, n *connection.NewConnection) {
			n.Streaming, s.count = "on", onlyWith(true, "no", s.count)
		}, states{"whole": "not"}, false, []string{"streams everything"}},
		"short answers that fail": {func(s *server, _ *connection.NewConnection) {
			s.count = onlyWith(true, "Nothing for you.", s.count)
		}, states{"whole": "not"}, false, []string{"A short answer was refused: Nothing for you."}},
		"thoughts in the text": {func(s *server, _ *connection.NewConnection) {
			s.count = streams(`"content":"<think>Hm.</think>"`, `"content":"1 2 3"`)
		}, states{"usage": "not"}, false, []string{"in <think>"}},
		"thoughts up to the limit": {func(s *server, _ *connection.NewConnection) {
			s.count = streams(`"reasoning":"Hm. "`, `"reasoning":"Hm."`, `{"choices":[{"delta":{},"finish_reason":"length"}]}`)
		}, states{"usage": "not"}, false, []string{"without coming to an answer", "in reasoning."}},
		"no tools": {func(s *server, _ *connection.NewConnection) {
			s.call = refuses(400, "registry.ollama.ai/library/x does not support tools")
		}, states{"tools": "not", "parallel": "unknown"}, false, []string{"does not support tools", "Choose a model that can call them"}},
		"calls in the text": {
			func(s *server, _ *connection.NewConnection) {
				s.call = streams(`"content":"<tool_call>{\"name\":\"read_gauge\",\"arguments\":{\"name\":\"A\"}}</tool_call>"`)
			},
			states{"parallel": "not"},
			false,
			[]string{"into its text, from where they are made", "--jinja"},
		},
		"calls in JSON": {
			func(s *server, _ *connection.NewConnection) {
				s.call = streams(`"content":"{\"name\":\"read_gauge\",\"arguments\":{\"name\":\"A\"}}"`)
			},
			states{"tools": "not", "parallel": "unknown"},
			false,
			[]string{"in the form of JSON, where it is not read", "Set text calls to on"},
		},
		"calls in JSON that are made": {
			func(s *server, n *connection.NewConnection) {
				n.TextCalls = "on"
				s.call = streams(`"content":"{\"name\":\"read_gauge\",\"arguments\":{\"name\":\"A\"}}"`)
			},
			states{"parallel": "not"},
			false,
			[]string{"called a tool and took its result"},
		},
		"no call": {
			func(s *server, _ *connection.NewConnection) { s.call = streams(`"content":"I cannot."`) },
			states{"tools": "not", "parallel": "unknown"},
			false,
			[]string{"without calling the tool"},
		},
		"a wrong call": {
			func(s *server, _ *connection.NewConnection) { s.call = streams(gaugeCall(0, `{"gauge":`)) },
			states{"tools": "not", "parallel": "not"},
			false,
			[]string{"called a tool wrongly"},
		},
		"one call at a time": {
			func(s *server, _ *connection.NewConnection) { s.call = streams(gaugeCall(0, `{"name":"A"}`)) },
			states{"parallel": "not"},
			false,
			[]string{"one call after another"},
		},
		"results refused": {func(s *server, _ *connection.NewConnection) {
			s.results = refuses(400, "reasoning_content is missing")
		}, states{"tools": "not"}, false, []string{"their results were refused"}},
		"busy for a moment": {func(s *server, _ *connection.NewConnection) {
			call, once := s.call, sync.Once{}
			s.call = func(w http.ResponseWriter, r *http.Request) {
				answer := call
				once.Do(func() { answer = refuses(429, "One request at a time") })
				answer(w, r)
			}
		}, nil, false, nil},
		"no list": {
			func(s *server, _ *connection.NewConnection) { s.says = nil },
			states{"models": "unknown", "window": "unknown"},
			false,
			[]string{"does not list", "Declare the model's window"},
		},
		"another list": {func(s *server, _ *connection.NewConnection) {
			s.says = map[string]string{"/v1/models": `{"data":[{"id":"gpt-y","max_model_len":9000}]}`}
		}, states{"window": "unknown"}, false, []string{"not among them and answers all the same"}},
		"declared and not told": {
			func(s *server, n *connection.NewConnection) { s.says, n.ContextWindowTokens = nil, new(20_000) },
			states{"models": "unknown", "window": "unknown"},
			false,
			[]string{"The 20,000 tokens that are declared are used"},
		},
		"declared within": {
			func(_ *server, n *connection.NewConnection) { n.ContextWindowTokens = new(20_000) },
			nil, false,
			[]string{"The server gives 32,768 tokens; the 20,000"},
		},
		"declared too large": {
			func(_ *server, n *connection.NewConnection) { n.ContextWindowTokens = new(128_000) },
			states{"window": "not"},
			false,
			[]string{"declares 128,000 tokens, but the server gives 32,768", "--max-model-len"},
		},
		"Ollama as it came once": {func(s *server, _ *connection.NewConnection) {
			s.says = map[string]string{"/v1/models": `{"data":[{"id":"gpt-x","owned_by":"library"}]}`, "/api/show": `{"model_info":{"llama.context_length":131072}}`, "/api/ps": `{"models":[{"name":"gpt-x:latest","context_length":2048}]}`}
		}, states{"window": "not"}, true, []string{"2,048 tokens is too small: the assistant needs at least 4,096", "OLLAMA_CONTEXT_LENGTH", "num_ctx"}},
		"Ollama that does not say": {func(s *server, n *connection.NewConnection) {
			s.says, n.ContextWindowTokens = map[string]string{"/api/show": `{"model_info":{"llama.context_length":131072}}`}, new(65_536)
		}, states{"models": "unknown", "window": "unknown"}, false, []string{"could have 131,072", "cuts longer conversations without a word"}},
		"Ollama with little": {func(s *server, _ *connection.NewConnection) {
			s.says = map[string]string{"/v1/models": `{"data":[{"id":"gpt-x","owned_by":"library"}]}`, "/api/show": `{"parameters":"num_ctx 4096","model_info":{}}`}
		}, nil, false, []string{"The server gives 4,096 tokens", "with fewer tools and shorter results", "OLLAMA_CONTEXT_LENGTH"}},
		"llama.cpp": {func(s *server, _ *connection.NewConnection) {
			s.says = map[string]string{"/v1/models": `{"data":[{"id":"gpt-x","meta":{"n_ctx_train":131072}}]}`, "/props": `{"default_generation_settings":{"n_ctx":16384}}`}
		}, nil, false, []string{"The server gives 16,384"}},
		"llama.cpp with one slot": {func(s *server, _ *connection.NewConnection) {
			s.says = map[string]string{"/v1/models": `{"data":[{"id":"gpt-x"}]}`, "/props": `{"default_generation_settings":{"n_ctx":16384},"total_slots":1}`}
		}, nil, false, []string{"It computes one request at a time"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, s, n := newApp(t), vllm(), valid("Connection")
			test.change(&s, &n)
			listening := httptest.NewServer(s)
			t.Cleanup(listening.Close)
			n.BaseURL = listening.URL + "/v1"
			c, err := a.Create(t.Context(), n)
			require.NoError(t, err)
			got := apitest.Decode[connection.TestResult](t, a.do(t, "*", http.MethodPost, path+"/"+c.ID.String()+"/test", nil))
			require.Equal(t, !test.failed, got.OK, got.Message)
			words := got.Message
			for _, finding := range got.Findings {
				want := all[finding.Subject]
				if differs, ok := test.want[finding.Subject]; ok {
					want = differs
				}
				require.Equal(t, want, finding.State, "%s: %s", finding.Subject, finding.Text)
				require.NotEmpty(t, finding.Text)
				words += "\n" + finding.Text + " " + finding.Advice
			}
			require.Len(t, got.Findings, len(all))
			for _, said := range test.says {
				either := strings.Split(said, "|")
				require.True(t, strings.Contains(words, either[0]) || len(either) > 1 && strings.Contains(words, either[1]), "%s\n%s", said, words)
			}
		})
	}
}

// The number of slots that a server tells is kept with the connection.
func TestTheSlotsThatAServerTellsAreKept(t *testing.T) {
	t.Parallel()
	for _, slots := range []string{"1", "4"} {
		a := newApp(t)
		s := vllm()
		s.says = map[string]string{
			"/v1/models": `{"data":[{"id":"gpt-x"}]}`, "/props": `{"default_generation_settings":{"n_ctx":16384},"total_slots":` + slots + `}`,
		}
		listening := httptest.NewServer(s)
		t.Cleanup(listening.Close)
		n := valid("Connection")
		n.BaseURL = listening.URL + "/v1"
		c, err := a.Create(t.Context(), n)
		require.NoError(t, err)
		require.True(t, apitest.Decode[connection.TestResult](t, a.do(t, "*", http.MethodPost, path+"/"+c.ID.String()+"/test", nil)).OK)
		c, err = a.ForTurn(t.Context(), &c.ID)
		require.NoError(t, err)
		require.Equal(t, slots, strconv.Itoa(c.FiguresOf("gpt-x").Slots))
		require.Equal(t, 16_384, c.WindowOf("gpt-x"))
	}
}

// What a server says of its window is used where nobody declares one, until the connection moves to another server.
func TestTheWindowThatAServerTellsIsUsed(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := vllm()
	s.says = map[string]string{
		"/v1/models": `{"data":[{"id":"gpt-x","max_model_len":32768},{"id":"gpt-y","max_model_len":16384},{"id":"gpt-z","max_model_len":5}]}`,
	}
	listening := httptest.NewServer(s)
	t.Cleanup(listening.Close)
	n := valid("Connection")
	n.BaseURL, n.AvailableModels = listening.URL+"/v1", []string{"gpt-y"}
	c, err := a.Create(t.Context(), n)
	require.NoError(t, err)
	require.Zero(t, c.WindowOf("gpt-x"))
	one := path + "/" + c.ID.String()
	require.True(t, apitest.Decode[connection.TestResult](t, a.do(t, "*", http.MethodPost, one+"/test", nil)).OK)

	c, err = a.ForTurn(t.Context(), &c.ID)
	require.NoError(t, err)
	require.Equal(t, 32_768, *c.AskedWindowTokens)
	require.Equal(t, 32_768, c.WindowOf("gpt-x"))
	require.Equal(t, 16_384, c.WindowOf("gpt-y"))
	require.Zero(t, c.WindowOf("gpt-z"), "the connection does not allow it")
	require.Equal(t, int64(1), c.Revision, "a test changes no setting")

	c, err = a.Update(manager(t), c.ID, connection.Change{ContextWindowTokens: new(20_000)}, nil)
	require.NoError(t, err)
	require.Equal(t, 20_000, c.WindowOf("gpt-y"), "whoever declares one knows better")
	c, err = a.Update(
		manager(t),
		c.ID,
		connection.Change{BaseURL: new("https://other.example.org/v1"), APIKey: new(key), ContextWindowTokens: new(0)},
		nil,
	)
	require.NoError(t, err)
	require.Nil(t, c.AskedWindowTokens)
	require.Zero(t, c.WindowOf("gpt-x"))
}

func TestASilentCutStaysOnTheConnectionUntilItsWindowChanges(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	c, err := a.Create(t.Context(), valid("Connection"))
	require.NoError(t, err)
	require.Nil(t, c.Truncation)
	require.NoError(t, a.NoticeCut(t.Context(), c, 9_800, 4_096))
	require.NoError(t, a.NoticeCut(t.Context(), c, 20_000, 4_096))
	got := apitest.Decode[connection.Connection](t, a.do(t, "*", http.MethodGet, path+"/"+c.ID.String(), nil))
	require.Equal(t, 9_800, got.Truncation.SentTokens, "the first time counts")
	require.Equal(t, 4_096, got.Truncation.ReadTokens)
	renamed, err := a.Update(manager(t), c.ID, connection.Change{Name: new("Other")}, nil)
	require.NoError(t, err)
	require.NotNil(t, renamed.Truncation)
	changed, err := a.Update(manager(t), c.ID, connection.Change{ContextWindowTokens: new(8_000)}, nil)
	require.NoError(t, err)
	require.Nil(t, changed.Truncation)
	require.NoError(t, a.NoticeCut(t.Context(), renamed, 9_800, 4_096))
	again, err := a.Get(manager(t), c.ID)
	require.NoError(t, err)
	require.Nil(t, again.Truncation, "a turn that began before the change says nothing about it")
}

func TestAWindowThatIsTooSmallIsRefusedAtItsField(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	n := valid("Connection")
	n.ContextWindowTokens = new(4_000)
	refused := a.do(t, "*", http.MethodPost, path, n)
	require.Equal(t, http.StatusUnprocessableEntity, refused.Status)
	require.Contains(
		t,
		refused.Body,
		`"path":"contextWindowTokens","message":"is too small for the assistant, which needs at least 4096 tokens`,
	)
}

// sample answers every call as a provider once did, and knows nothing else.
type sample corpus.Sample

func (s sample) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := &http.Response{StatusCode: s.Status, Header: s.Header, Body: io.NopCloser(bytes.NewReader(s.Body)), Request: r}
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		answer = &http.Response{StatusCode: http.StatusNotFound, Header: http.Header{}, Body: http.NoBody, Request: r}
	}
	return answer, nil
}

// Whatever way of its own a provider has, a test comes to an end that fits it.
func TestATestUnderstandsEveryProviderOfTheCorpus(t *testing.T) {
	t.Parallel()
	samples, err := corpus.Load(os.DirFS("../../model/testdata/corpus"))
	require.NoError(t, err)
	hello := model.Request{Model: "m", Messages: []model.Message{{Role: model.RoleUser, Content: "Hello"}}}
	thinking, named := 0, 0
	for _, s := range samples {
		if s.Status == http.StatusTooManyRequests || s.Status >= 500 {
			continue // a test would wait for those
		}
		name := s.Provider + ": " + s.Name
		client := &http.Client{Transport: sample(s)}
		response, failure := model.New(model.Options{BaseURL: "http://model/v1", HTTPClient: client}).Stream(t.Context(), hello, nil)
		if model.ClassOf(failure) == model.RateLimited || model.ClassOf(failure) == model.Unavailable {
			continue
		}
		got := connection.NewTester(client).Test(t.Context(), probe("http://model/v1", key, "m"))
		require.Equal(
			t,
			failure == nil && (!response.Empty() || response.FinishReason == model.FinishLength),
			got.OK,
			"%s: %s",
			name,
			got.Message,
		)
		require.NotEmpty(t, got.Message, name)
		require.NotContains(t, fmt.Sprint(got), key, name)
		for _, finding := range got.Findings {
			require.Contains(t, []string{"ok", "not", "unknown"}, finding.State, name)
			if finding.Subject == "reasoning" && response.Reasoning != "" {
				require.Equal(t, "ok", finding.State, name)
				thinking++
				if strings.Contains(finding.Text, ", in ") {
					named++
				}
			}
		}
	}
	require.Greater(t, thinking, 10)
	require.Greater(t, named, thinking*3/4, "a tag in pieces has no name")
}

// A provider that wants its thoughts back with the results of calls gets them, also in a test.
func TestATestSendsBackWhatHasToGoBack(t *testing.T) {
	t.Parallel()
	s := vllm()
	s.call = streams(`"reasoning_content":"I need both."`, gaugeCall(0, `{"name":"A"}`), gaugeCall(1, `{"name":"B"}`))
	var returned atomic.Bool
	listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil && strings.Contains(string(body), `"role":"tool"`) {
			returned.Store(strings.Contains(string(body), `"reasoning_content":"I need both."`))
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(listening.Close)
	got := connection.NewTester(nil).Test(t.Context(), probe(listening.URL+"/v1", "", "gpt-x"))
	require.True(t, got.OK, got.Message)
	require.True(t, returned.Load())
}

// What a provider teaches while it is tested is kept, and the next test asks it so at once.
func TestATestLearns(t *testing.T) {
	t.Parallel()
	a, s := newApp(t), vllm()
	var refused atomic.Int32
	listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil && strings.Contains(string(body), `"max_tokens"`) {
			refused.Add(1)
			refuses(400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")(w, r)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(listening.Close)
	n := valid("Connection")
	n.BaseURL = listening.URL + "/v1"
	c, err := a.Create(t.Context(), n)
	require.NoError(t, err)
	one := path + "/" + c.ID.String()
	require.True(t, apitest.Decode[connection.TestResult](t, a.do(t, "*", http.MethodPost, one+"/test", nil)).OK)
	require.Len(t, apitest.Decode[connection.Connection](t, a.do(t, "*", http.MethodGet, one, nil)).LearnedQuirks, 1)
	before := refused.Load()
	require.Positive(t, before)
	require.True(t, apitest.Decode[connection.TestResult](t, a.do(t, "*", http.MethodPost, one+"/test", nil)).OK)
	require.Equal(t, before, refused.Load(), "it is asked as it has taught")
}
