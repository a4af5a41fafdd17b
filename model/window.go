package model

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	characters "countersign/internal/text"
)

// Listed is a model that a connection offers. Window is its context window in tokens, 0 when unlisted.
type Listed struct {
	ID     string
	Window int
}

const (
	// maxListBytes bounds a list of models and a server's description of one; the longest lists have a megabyte.
	maxListBytes = 4 << 20
	// maxWindow exceeds the context window of any model.
	maxWindow = 100_000_000
	// queryTimeout bounds a query for a context window.
	queryTimeout = 5 * time.Second
)

// listed is an entry of a list. Each kind of server has a name of its own for the window.
type listed struct {
	ID string `json:"id"`
	// Name is the identifier at servers without id.
	Name string `json:"name"`

	MaxModelLen      size `json:"max_model_len"`      // vLLM, SGLang
	ContextWindow    size `json:"context_window"`     // Groq, Vercel
	ContextLength    size `json:"context_length"`     // OpenRouter, Together, Fireworks, xAI
	MaxContextLength size `json:"max_context_length"` // Mistral
	MaxInputTokens   size `json:"max_input_tokens"`   // Anthropic, LiteLLM
	LoadedLength     size `json:"loaded_context_length"`
	TopProvider      struct {
		ContextLength size `json:"context_length"`
	} `json:"top_provider"` // OpenRouter: the routed provider's window may be smaller than the model's
}

func (l listed) window() int {
	for _, n := range []size{
		l.LoadedLength, l.MaxModelLen, l.TopProvider.ContextLength, l.ContextWindow, l.ContextLength, l.MaxContextLength, l.MaxInputTokens,
	} {
		if n > 0 {
			return int(n)
		}
	}
	return 0
}

// size is a number of tokens; anything else decodes to 0.
type size int

func (s *size) UnmarshalJSON(data []byte) error {
	if n, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64); err == nil && n >= 1 && n <= maxWindow {
		*s = size(n)
	}
	return nil
}

// List asks for the models that the connection offers, at most 2,000 of them.
func (c *Client) List(ctx context.Context) ([]Listed, error) {
	models, _, err := c.Offer(ctx)
	return models, err
}

// Offer is List with the number of omitted entries: those after the first 2,000, and those whose names are unreadable.
// A list of more than 4 MB is [Malformed].
func (c *Client) Offer(ctx context.Context) (models []Listed, leftOut int, err error) {
	body, failure := c.read(ctx, http.MethodGet, c.models, nil)
	if failure != nil {
		return nil, 0, failure
	}
	if len(body) == maxListBytes {
		return nil, 0, &Error{Class: Malformed, Message: "The model provider's list of models is longer than 4 MB."}
	}
	entries, total, ok := listIn(body)
	if !ok {
		return nil, 0, notAnAnswer(body, c.secrets)
	}
	models = make([]Listed, 0, len(entries))
	for _, e := range entries {
		id := e.ID
		if id == "" {
			id = e.Name
		}
		// A name with hidden characters cannot be chosen by anybody.
		if id != "" && len(id) <= maxIDLength && characters.Shown(id, maxIDLength) == id {
			models = append(models, Listed{ID: id, Window: e.window()})
		}
	}
	return models, total - len(models), nil
}

// listIn decodes the beginning of a list with or without its envelope, and counts its entries. Members of an unexpected
// type are left out.
func listIn(body []byte) (entries []listed, total int, ok bool) {
	var list struct {
		Data   []json.RawMessage `json:"data"`
		Models []json.RawMessage `json:"models"`
	}
	raw := []json.RawMessage(nil)
	if json.Unmarshal(body, &list) == nil {
		if raw = list.Data; raw == nil {
			raw = list.Models
		}
	} else if json.Unmarshal(body, &raw) != nil {
		return nil, 0, false
	}
	entries = make([]listed, 0, min(len(raw), maxModels))
	for _, one := range raw[:min(len(raw), maxModels)] {
		var entry listed
		_ = json.Unmarshal(one, &entry)
		entries = append(entries, entry)
	}
	return entries, len(raw), raw != nil
}

// Models lists the ids of the models that the connection offers.
func (c *Client) Models(ctx context.Context) ([]string, error) {
	list, err := c.List(ctx)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(list))
	for i, m := range list {
		ids[i] = m.ID
	}
	return ids, nil
}

// Window is a server's own statement about the context window of a model.
type Window struct {
	// Tokens is the window of a conversation, 0 when the server does not state it.
	Tokens int
	// Most is the largest window that the model supports, 0 when the server does not state it.
	Most int
	// Slots is the number of requests that the server computes at once, 0 when it does not state it.
	Slots int
	// Server is the server software, empty when unknown.
	Server string
}

// Servers with APIs for the context window beyond the OpenAI API.
const (
	Ollama   = "Ollama"
	LlamaCpp = "llama.cpp"
	LMStudio = "LM Studio"
)

// QueryWindow queries self-hosted servers, by their own APIs, for the context window of a model. A model that is not
// loaded may have none yet, so query after a call.
func (c *Client) QueryWindow(ctx context.Context, model string) Window {
	root, ok := strings.CutSuffix(strings.TrimSuffix(c.models, "/models"), "/v1")
	if !ok {
		return Window{}
	}
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	named, err := json.Marshal(map[string]string{"model": model})
	if err != nil {
		return Window{}
	}
	var running, shown, props, studio []byte
	var asking sync.WaitGroup
	ask := func(into *[]byte, method, path string, body []byte) {
		asking.Go(func() {
			if said, failure := c.read(ctx, method, root+path, body); failure == nil {
				*into = said
			}
		})
	}
	ask(&running, http.MethodGet, "/api/ps", nil)
	ask(&shown, http.MethodPost, "/api/show", named)
	// The router of llama.cpp loads the queried model unless autoload is off.
	ask(&props, http.MethodGet, "/props?autoload=false&model="+url.QueryEscape(model), nil)
	ask(&studio, http.MethodGet, "/api/v0/models", nil)
	asking.Wait()
	if w := studioWindow(studio, model); w.Server != "" {
		return w
	}
	if w := ollamaWindow(running, shown, model); w.Server != "" {
		return w
	}
	return llamaWindow(props)
}

// read makes a request and returns the whole body, which is short.
func (c *Client) read(ctx context.Context, method, target string, body []byte) ([]byte, *Error) {
	call, failure := c.send(ctx, method, target, body, "application/json", c.stall)
	if failure != nil {
		return nil, failure
	}
	defer call.close()
	said, err := io.ReadAll(io.LimitReader(call, maxListBytes))
	if err != nil {
		return nil, call.readError(err)
	}
	return said, nil
}

// contextParameter is a line of the parameters that a model of Ollama was made with.
var contextParameter = regexp.MustCompile(`(?m)^num_ctx\s+"?(\d{1,9})\b`)

// ollamaWindow returns the window of the running model, or that of its parameters. The window of the training does not
// tell what the server allocates.
func ollamaWindow(running, shown []byte, model string) Window {
	var ps struct {
		Models []struct {
			Name          string `json:"name"`
			Model         string `json:"model"`
			ContextLength size   `json:"context_length"`
		} `json:"models"`
	}
	var show struct {
		Parameters string                     `json:"parameters"`
		Info       map[string]json.RawMessage `json:"model_info"`
	}
	if json.Unmarshal(shown, &show) != nil || show.Info == nil {
		return Window{}
	}
	w := Window{Server: Ollama}
	for key, value := range show.Info {
		var most size
		if strings.HasSuffix(key, ".context_length") && json.Unmarshal(value, &most) == nil {
			w.Most = max(w.Most, int(most))
		}
	}
	if json.Unmarshal(running, &ps) == nil {
		for _, m := range ps.Models {
			if sameModel(m.Name, model) || sameModel(m.Model, model) {
				w.Tokens = int(m.ContextLength)
			}
		}
	}
	if found := contextParameter.FindStringSubmatch(show.Parameters); found != nil && w.Tokens == 0 {
		w.Tokens, _ = strconv.Atoi(found[1])
	}
	return w
}

// sameModel compares names of Ollama, where a name without a tag means the latest.
func sameModel(a, b string) bool {
	const latest = ":latest"
	return a != "" && strings.TrimSuffix(a, latest) == strings.TrimSuffix(b, latest)
}

func llamaWindow(props []byte) Window {
	var said struct {
		Settings *struct {
			Context size `json:"n_ctx"`
		} `json:"default_generation_settings"`
		Slots size `json:"total_slots"`
	}
	if json.Unmarshal(props, &said) != nil || said.Settings == nil {
		return Window{}
	}
	return Window{Server: LlamaCpp, Tokens: int(said.Settings.Context), Slots: int(said.Slots)}
}

// studioWindow decodes LM Studio's own list, which has the window of a loaded model.
func studioWindow(studio []byte, model string) Window {
	entries, _, ok := listIn(studio)
	if !ok {
		return Window{}
	}
	for _, e := range entries {
		if e.ID == model && e.LoadedLength+e.MaxContextLength > 0 {
			return Window{Server: LMStudio, Tokens: int(e.LoadedLength), Most: int(e.MaxContextLength)}
		}
	}
	return Window{}
}
