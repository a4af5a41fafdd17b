// Package modeltest provides fake model providers that refuse what the real ones refuse, in their words, and answer in
// their form.
//
// A [Provider] is data: its rules, each with the refusal as quoted in documentation, issues or client repositories, and
// the form of its answers. [Start] runs one on a port of its own; its content comes from the scripted demo model, so
// that a test controls it by the messages of a conversation. The plain provider of app/apptest accepts every request
// and answers as a test dictates: use it for what comes in, this one for what goes out.
package modeltest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// Rule is a provider's requirement for requests.
type Rule struct {
	Name string
	// Source is where the refusal is quoted: a page of documentation, or a repository with a path, an issue or a pull request.
	Source string
	Status int
	// Body is the refusal; $1 and $2 stand for what broken has found.
	Body string

	// broken returns what of the request breaks the rule, nil when nothing does.
	broken func(r *Request) []string
}

// found is what breaks a rule whose refusal does not say what.
var found = []string{}

// refusal is the body for a broken rule.
func (rule Rule) refusal(what []string) string {
	body := rule.Body
	for i, text := range what {
		quoted, err := json.Marshal(text)
		if err != nil {
			panic(err) // a string always has a JSON form
		}
		body = strings.ReplaceAll(body, "$"+strconv.Itoa(i+1), string(quoted[1:len(quoted)-1]))
	}
	return body
}

// Provider is a model provider or server.
type Provider struct {
	Name  string
	Model string
	// Path is the base URL's, and Query what Azure wants behind it.
	Path, Query string
	Rules       []Rule

	style style
	// takes is the status and body for a key that did not come as it should, "" when the key is good.
	takes func(http.Header) (status int, refusal string)
}

// All are the providers.
func All() []Provider {
	return []Provider{
		OpenAI(), Azure(), DeepSeek(), Kimi(), Gemini(), Mistral(), Groq(), XAI(), OpenRouter(), VLLM(), LlamaCPP(), Ollama(), LiteLLM(),
	}
}

// Check returns the first rule that a request breaks, and how the provider says so.
func (p Provider) Check(r *Request) (rule *Rule, body string) {
	for i := range p.Rules {
		if what := p.Rules[i].broken(r); what != nil {
			return &p.Rules[i], p.Rules[i].refusal(what)
		}
	}
	return nil, ""
}
