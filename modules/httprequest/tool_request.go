package httprequest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"countersign/tool"
	"countersign/tool/kit"
)

const toolName = "http.request"

// requestInput is a Request as the input of the tool.
type requestInput struct{ Request }

// Targets implements tool.Targeted: a request concerns no record of the product.
func (requestInput) Targets() []tool.Target { return nil }

func (m *Module) requestTool() tool.Tool {
	d := kit.Define(texts, toolName, tool.Mutate, Send)
	d.Result.Untrusted, d.Impact.External, d.Timeout = true, true, tool.MaxTimeout
	d.Operations.PreviewOperations = []tool.Operation{{Method: http.MethodPost, Path: previewPath}}
	t := kit.NewWrite(d, propose,
		func(in requestInput) tool.Request { return kit.Post(path, in.Request) },
		func(a Answer) Answer { return a })
	return t.LeavesWhen(tool.Leaving{OnlyLoaded: true, Why: func(context.Context, tool.Caller, json.RawMessage) (string, error) {
		return "The request goes to another server and can carry content of this conversation there.", nil
	}})
}

func propose(ctx context.Context, c tool.Caller, in requestInput) (kit.Preview[requestInput], error) {
	var p Preview
	if _, err := c.Client.Do(ctx, http.MethodPost, previewPath, in.Request, &p); err != nil {
		return kit.Preview[requestInput]{}, err
	}
	in.Request = p.Request
	shown := kit.Preview[requestInput]{
		Summary: fmt.Sprintf("Send a %s request to %s", p.Request.Method, p.Request.URL), Payload: in, Labels: map[string]string{},
		Effects: []string{"It goes to " + p.Host + " and leaves this server at once."},
	}
	var names []string
	for _, s := range p.Secrets {
		names = append(names, s.Secret)
		shown.Summary = strings.ReplaceAll(shown.Summary, s.Placeholder, "‹"+s.Secret+"›")
		shown.Labels[s.Placeholder] = "the secret " + s.Secret + " of the agent " + s.AgentName
		shown.Effects = append(
			shown.Effects,
			fmt.Sprintf(
				"The secret %s of the agent %s is put into %s. Its value is not shown.",
				s.Secret,
				s.AgentName,
				strings.Join(s.Places, " and "),
			),
		)
		if s.AgentID != uuid.Nil {
			shown.Labels[s.AgentID.String()] = s.AgentName
		}
	}
	if len(names) > 0 {
		shown.Summary += " with " + strings.Join(names, ", ")
	}
	if p.Request.Body != "" {
		kind := "text"
		if json.Valid([]byte(p.Request.Body)) {
			kind = "JSON"
		}
		shown.Effects = append(shown.Effects, fmt.Sprintf("The body has %d bytes of %s.", len(p.Request.Body), kind))
	}
	return shown, nil
}
