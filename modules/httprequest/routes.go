package httprequest

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/text"
)

const (
	path        = "/api/http-requests"
	previewPath = path + "/preview"
)

// Preview is where a request goes, and what of it only the server knows.
type Preview struct {
	Request Request         `json:"request" doc:"In the form in which it is sent, with its placeholders."`
	Host    string          `json:"host" doc:"Scheme, host and port."`
	Secrets []PreviewSecret `json:"secrets" nullable:"false" doc:"What placeholders stand for."`
}

// PreviewSecret is what a placeholder stands for. The value is in no answer.
type PreviewSecret struct {
	Placeholder string    `json:"placeholder"`
	Secret      string    `json:"secret"`
	AgentID     uuid.UUID `json:"agentId"`
	AgentName   string    `json:"agentName"`
	Places      []string  `json:"places" nullable:"false" doc:"Where in the request it stands, in words."`
}

// Routes declares the operations.
func (m *Module) Routes(api huma.API) {
	huma.Register(
		api,
		rest.Op(
			"send-http-request",
			http.MethodPost,
			path,
			"Send an HTTP request",
			rest.Rules(Send),
			rest.SelfIdempotent(),
			rest.Status(http.StatusOK),
			rest.Doc(
				"To public addresses. A placeholder that a custom tool got for a secret becomes its value, if the request is "+
					"from the principal for whom it was made and goes to a host that the secret is pinned to. "+
					"Answers hold no values of secrets. With an Idempotency-Key it is sent once; a repeat gets the first answer. "+
					"Counts against the tool budget and is in the audit log, as a call of the tool is.",
			),
		),
		func(ctx context.Context, in *struct {
			Key  string `header:"Idempotency-Key" maxLength:"255"`
			Body Request
		},
		) (*rest.Body[Answer], error) {
			return rest.With(m.Send(ctx, in.Body, in.Key))
		},
	)
	huma.Register(
		api,
		rest.Op(
			"preview-http-request",
			http.MethodPost,
			previewPath,
			"See where an HTTP request would go",
			rest.Rules(Send),
			rest.SelfIdempotent(),
			rest.Status(http.StatusOK),
			rest.Doc("Sends nothing. Refuses characters that a card would not show."),
		),
		func(ctx context.Context, in *struct{ Body Request }) (*rest.Body[Preview], error) {
			return rest.With(m.Preview(ctx, in.Body))
		},
	)
}

// Preview says where a request would go. It sends nothing.
func (m *Module) Preview(ctx context.Context, r Request) (Preview, error) {
	r, target, stands, err := m.judge(ctx, r)
	if err != nil {
		return Preview{}, err
	}
	if err := r.plain(); err != nil {
		return Preview{}, err
	}
	p := Preview{Request: r, Host: origin(target), Secrets: []PreviewSecret{}}
	for _, s := range stands {
		p.Secrets = append(p.Secrets, PreviewSecret{s.placeholder, s.secret, s.agent, s.agentName, r.places(s.placeholder)})
	}
	return p, nil
}

// plain refuses what the card of a request would hide: people decide by what it shows of body and headers. JSON can hold
// any character by an escape, which is seen.
func (r Request) plain() error {
	var v problem.Issues
	text.Lines(&v, "body", r.Body, maxBody)
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		text.Line(&v, "headers."+name, r.Headers[name], maxHeaderBytes)
	}
	return v.Err()
}

func canonicalRequest(r Request) (json.RawMessage, error) { return json.Marshal(r) }
