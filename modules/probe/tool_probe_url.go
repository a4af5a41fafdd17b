package probe

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"

	"countersign/internal/egress"
	"countersign/tool"
	"countersign/tool/kit"
)

func probeURLTool() tool.Tool {
	d := kit.Define(texts, toolName, tool.Read, rule)
	d.Result.Untrusted = true
	d.Operations.RelatedOperations = []tool.Operation{{Method: http.MethodPost, Path: path}}
	t := kit.NewRead(d, func(ctx context.Context, c tool.Caller, in probeInput) (egress.Result, error) {
		if in.Method == "" {
			in.Method = http.MethodGet
		}
		var out egress.Result
		_, err := c.Client.Do(ctx, http.MethodPost, path, in, &out)
		return out, err
	})
	// An address that the user has not chosen can exfiltrate content of the conversation (prompt injection).
	return t.LeavesWhen(tool.Leaving{
		OnlyLoaded: true,
		Summary: func(input json.RawMessage) string {
			in := inputOf(input)
			return "Make a " + cmp.Or(in.Method, http.MethodGet) + " request to " + in.URL
		},
		Why: func(_ context.Context, c tool.Caller, input json.RawMessage) (string, error) {
			if typed(c.Words, inputOf(input).URL) {
				return "", nil
			}
			return "You have not written this address, and an address can carry content of this conversation to its server.", nil
		},
	})
}

// inputOf reads an input that fits the schema; of any other there is nothing to say.
func inputOf(input json.RawMessage) (in probeInput) {
	if json.Unmarshal(input, &in) != nil {
		return probeInput{}
	}
	return in
}
