package healthcheck

import (
	"context"
	"encoding/json"
	"net/http"

	"countersign/tool"
)

func testDraftTool() tool.Tool {
	d := tool.Define(texts, draftTool, tool.Read, Manage)
	d.Untrusted, d.Timeout = true, tool.MaxTimeout
	d.Also = []tool.Operation{{Method: http.MethodPost, Path: draftsPath}}
	t := tool.NewRead(d, func(ctx context.Context, c tool.Caller, in Draft) (out DraftRun, err error) {
		_, err = c.Client.Do(ctx, http.MethodPost, draftsPath, in, &out)
		return out, err
	})
	return t.LeavesWhen(tool.Leaving{
		OnlyLoaded: true,
		Summary:    func(json.RawMessage) string { return "Run the draft of a health check once" },
		Why: func(context.Context, tool.Caller, json.RawMessage) (string, error) {
			return "The run connects to the addresses in the draft, and what it sends can carry what this conversation holds to whoever answers there.", nil
		},
	})
}
