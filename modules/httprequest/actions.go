package httprequest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync/atomic"

	"countersign/automation/action"
	"countersign/internal/egress"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/internal/secret/reference"
	"countersign/internal/store/exactlyonce"
	"countersign/internal/text"
	"countersign/tool"
)

// secretRead is the rule of the vault that an application needs for secrets.
const secretRead = "vault.secret.read"

// requestConfig is the config of the action.
type requestConfig struct {
	Request
	SecretHosts  []string `json:"secretHosts,omitempty" jsonschema:"maxItems=20,description=Hosts to which secrets may go; needed where url or headers or body name secrets as ${{ secrets.NAME }}."`
	IgnoreStatus bool     `json:"ignoreStatus,omitempty" jsonschema:"description=Whether a status of 400 or more is a success; otherwise it fails the step."`
}

// response is the artifact of the action.
type response struct {
	Status    int               `json:"status"`
	URL       string            `json:"url" jsonschema:"description=After redirects."`
	Headers   map[string]string `json:"headers" jsonschema:"description=Names in lower case."`
	Body      string            `json:"body"`
	JSON      any               `json:"json,omitempty" jsonschema:"description=The body if it is JSON and whole."`
	Truncated bool              `json:"truncated" jsonschema:"description=Whether the end of the body is missing."`
}

var responseType = action.NewArtifactType[response]("http_response", "HTTP response", "The response to a request.")

// maxKept bounds the body in an artifact, in bytes.
const maxKept = 16 << 10

// Actions are what automations send.
func (m *Module) Actions() []action.Action {
	return []action.Action{action.Permitted(action.Action{
		ID: "http.request", Name: "Send an HTTP request", Category: "HTTP", Effect: tool.Mutate, Rules: []string{Send},
		Description: "Sends a request to another server. It is sent once: a request whose outcome nobody knows fails the step as unknown.",
		Config:      action.Config[requestConfig](), Produces: []action.ArtifactType{responseType}, Timeout: MaxTimeout + exactlyonce.Grace,
		Validate: validateRequest, DryRun: m.previewAction, Do: m.doAction,
	})}
}

// validateRequest refuses secrets without hosts, and hosts that a value of an event could choose.
func validateRequest(config json.RawMessage, templated []string) error {
	var v problem.Issues
	for _, path := range templated {
		if path == "secretHosts" || strings.HasPrefix(path, "secretHosts[") {
			v.Report(path, "cannot hold a template: where secrets go is a part of the definition")
		}
	}
	var in requestConfig
	if err := json.Unmarshal(config, &in); err == nil && v.Count() == 0 {
		if _, err := in.stands(); err != nil {
			return err
		}
	}
	return v.Err()
}

func (m *Module) previewAction(ctx context.Context, c action.Call) (action.Preview, error) {
	a, err := m.readAction(ctx, c)
	if err != nil {
		return action.Preview{}, err
	}
	p := action.Preview{
		Summary: fmt.Sprintf("Send a %s request to %s", a.request.Method, a.target.URL.Redacted()),
		Effects: []string{"It goes to " + origin(a.target) + " and leaves this server at once."},
	}
	for _, s := range a.stands {
		p.Summary = strings.ReplaceAll(p.Summary, s.placeholder, "‹"+s.secret+"›")
		p.Effects = append(p.Effects, "The secret "+s.secret+" is put into "+strings.Join(a.request.places(s.placeholder), " and ")+".")
	}
	return p, nil
}

// actionRequest is a checked request of an action, with placeholders for its secrets.
type actionRequest struct {
	config  requestConfig
	request Request
	target  egress.Target
	stands  []stand
}

// readAction checks the config of a call as the application.
func (m *Module) readAction(ctx context.Context, c action.Call) (actionRequest, error) {
	var a actionRequest
	var err error
	if a.config, err = action.Decode[requestConfig](ctx, c); err != nil {
		return a, err
	}
	if found := a.config.placeholders(); len(found) > 0 {
		return a, problem.InvalidInput("The request has a placeholder of a custom tool, which is worth nothing here. Name secrets of the " +
			"vault instead: ${{ secrets.NAME }}.")
	}
	if a.stands, err = a.config.stands(); err != nil {
		return a, err
	}
	if missing := c.Caller.Principal.Missing(secretRead); len(a.stands) > 0 && len(missing) > 0 {
		return a, problem.MissingRule("send secrets", missing...)
	}
	if a.request, a.target, err = a.config.placed(a.stands).checked(); err != nil {
		return a, err
	}
	if _, err := a.request.bodyEscape(); err != nil {
		return a, err
	}
	if err := allows(a.stands, a.target); err != nil {
		return a, err
	}
	// The SSRF guard refuses before anything is noted.
	if _, err := m.Guard.Check(ctx, a.target.URL.String()); err != nil {
		return a, problem.As(err)
	}
	return a, nil
}

// texts are the members of a request that can name secrets.
func (r Request) texts(each func(path, value string) string) Request {
	r.URL, r.Body = each("url", r.URL), each("body", r.Body)
	headers := make(map[string]string, len(r.Headers))
	for name, value := range r.Headers {
		headers[name] = each("headers."+name, value)
	}
	r.Headers = headers
	return r
}

// stands returns a placeholder for each secret that the request names, pinned to the hosts of the config.
func (c requestConfig) stands() ([]stand, error) {
	var v problem.Issues
	var names []string
	c.texts(func(path, value string) string {
		found, err := reference.References(value)
		if err != nil {
			v.Report(path, "%s", strings.TrimRight(problem.As(err).Detail, "."))
		}
		names = append(names, found...)
		return value
	})
	slices.Sort(names)
	names = slices.Compact(names)
	var pins []egress.Pin
	for i, host := range c.SecretHosts {
		pin, err := egress.ParsePin(host)
		if err != nil {
			v.Report(fmt.Sprintf("secretHosts[%d]", i), "must be a host such as api.example.com")
		}
		pins = append(pins, pin)
	}
	switch {
	case len(names) > maxPlaceholders:
		v.Report("", "names %d secrets; at most %d are allowed", len(names), maxPlaceholders)
	case len(names) > 0 && len(c.SecretHosts) == 0:
		v.Report("secretHosts", "must list the hosts to which the secrets may go")
	}
	made := make([]stand, len(names))
	for i, name := range names {
		var random [placeholderBytes]byte
		_, _ = rand.Read(random[:])
		made[i] = stand{placeholder: "nonce_" + hex.EncodeToString(random[:]), secret: name, pins: pins}
	}
	return made, v.Err()
}

// placed is the request with placeholders in place of the names of secrets.
func (c requestConfig) placed(stands []stand) Request {
	values := make(map[string]secret.Value, len(stands))
	for _, s := range stands {
		values[s.secret] = secret.NewValue(s.placeholder)
	}
	return c.texts(func(_, value string) string {
		placed, err := reference.Fill(value, values)
		if err != nil {
			return value // stands has refused it
		}
		return placed
	})
}

// doAction sends the request of a call once.
func (m *Module) doAction(ctx context.Context, c action.Call) (action.Result, error) {
	ctx = principal.NewContext(ctx, c.Caller.Principal)
	a, err := m.readAction(ctx, c)
	if err != nil {
		return action.Result{}, err
	}
	if _, given := a.request.Headers["Idempotency-Key"]; !given && !a.safe() {
		if a.request.Headers == nil {
			a.request.Headers = map[string]string{}
		}
		// A server that knows the header makes a repeat of the step harmless.
		a.request.Headers["Idempotency-Key"] = c.Key
	}
	hash := sha256.Sum256(c.Config)
	once := exactlyonce.Call{Principal: c.Caller.Principal, Key: c.Key, Hash: hash[:], Timeout: a.request.timeout(), Unknown: lost()}
	answer, err := exactlyonce.Do(ctx, m.Once, once, func(ctx context.Context) (Answer, error) {
		return m.sendAction(ctx, c.Caller.Principal, a)
	})
	if err != nil {
		return action.Result{}, err
	}
	if answer.Status >= http.StatusBadRequest && !a.config.IgnoreStatus {
		return action.Result{}, problem.Errorf(problem.Conflict, "%s answered with status %d %s. %s", origin(a.target), answer.Status,
			answer.StatusText, text.Shown(answer.Body, 300)).With("status", answer.Status)
	}
	return action.Made(responseType, responseOf(answer), fmt.Sprintf("%s answered with status %d", origin(a.target), answer.Status))
}

// safe reports a request that changes nothing on the other side (RFC 9110).
func (a actionRequest) safe() bool {
	return slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodOptions}, a.request.Method)
}

// sendAction sends a request. One that has left without an answer is unknown, unless it is safe.
func (m *Module) sendAction(ctx context.Context, p principal.Principal, a actionRequest) (Answer, error) {
	var left atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { left.Store(true) }})
	answer, err := m.reserved(ctx, p, a.config.Request, func(ctx context.Context) (Answer, error) {
		values, err := m.values(ctx, a.stands, a.target)
		if err != nil {
			return Answer{}, err
		}
		return m.fill(ctx, a.request, a.stands, values)
	})
	switch {
	case problem.Is(err, problem.Throttled):
		// Nothing was sent: the attempt is repeated.
		return answer, errors.New(problem.As(err).Detail)
	case err != nil && left.Load() && !a.safe():
		return answer, problem.Errorf(problem.Unknown, "The request was sent and got no answer. Whether it has had an effect is not known, "+
			"so it is not sent again.").WithCause(err)
	}
	return answer, err
}

// responseOf is the answer as an artifact.
func responseOf(a Answer) response {
	r := response{Status: a.Status, URL: a.URL, Headers: a.Headers, Body: a.Body, Truncated: a.BodyTruncated}
	if !r.Truncated && len(r.Body) <= maxKept && json.Unmarshal([]byte(r.Body), &r.JSON) != nil {
		r.JSON = nil
	}
	if len(r.Body) > maxKept {
		r.Body, r.Truncated = strings.ToValidUTF8(r.Body[:maxKept], ""), true
	}
	return r
}
