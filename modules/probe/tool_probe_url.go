package probe

import (
	"context"
	_ "embed"
	"net/http"
	"strings"

	"countersign/egress"
	"countersign/tool"
)

//go:embed tool_probe_url.md
var probeURLText string

func probeURLTool() tool.Tool {
	return tool.NewRead(tool.Definition{
		Name: "ai.probeUrl", Description: strings.TrimSpace(probeURLText), Effect: tool.Read, Rules: []string{rule}, Untrusted: true,
	}, func(ctx context.Context, c tool.Caller, in probeInput) (egress.Result, error) {
		if in.Method == "" {
			in.Method = http.MethodGet
		}
		var out egress.Result
		_, err := c.Client.Do(ctx, http.MethodPost, "/api/probe", in, &out)
		return out, err
	})
}
