package probe

import (
	"context"
	"net/http"

	"countersign/egress"
	"countersign/tool"
)

func probeURLTool() tool.Tool {
	d := tool.Define(texts, toolName, tool.Read, rule)
	d.Untrusted = true
	return tool.NewRead(d, func(ctx context.Context, c tool.Caller, in probeInput) (egress.Result, error) {
		if in.Method == "" {
			in.Method = http.MethodGet
		}
		var out egress.Result
		_, err := c.Client.Do(ctx, http.MethodPost, "/api/probe", in, &out)
		return out, err
	})
}
