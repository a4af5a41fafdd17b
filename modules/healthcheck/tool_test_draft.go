package healthcheck

import (
	"context"
	"encoding/json"
	"net/http"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

// draftInput is a Draft as the input of the tool.
type draftInput struct{ Draft }

// Targets implements tool.Targeted.
func (in draftInput) Targets() []tool.Target {
	if in.SystemID == nil {
		return nil
	}
	return []tool.Target{systemsAPI.Target(*in.SystemID, access.View)}
}

// A run acts on its target, so it is a change, unless its strategy reports that it only reads.
func testDraftTool() tool.Tool {
	d := kit.Define(texts, draftTool, tool.Mutate, Manage)
	d.Result.Untrusted, d.Impact.External, d.Impact.EffectByInput, d.Timeout = true, true, true, tool.MaxTimeout
	d.Operations.PreviewOperations = []tool.Operation{{Method: http.MethodPost, Path: draftPreviewPath}}
	t := kit.NewWrite(d, proposeDraft,
		func(in draftInput) tool.Request { return kit.Post(draftsPath, in.Draft) },
		func(r DraftRun) DraftRun { return r })
	return t.LeavesWhen(tool.Leaving{
		OnlyLoaded: true, Always: true,
		Why: func(context.Context, tool.Caller, json.RawMessage) (string, error) {
			return "The run connects to the addresses in the draft, and what it sends can carry content of this " +
				"conversation there.", nil
		},
	})
}

func proposeDraft(ctx context.Context, c tool.Caller, in draftInput) (kit.Preview[draftInput], error) {
	var p DraftPreview
	if _, err := c.Client.Do(ctx, http.MethodPost, draftPreviewPath, in.Draft, &p); err != nil {
		return kit.Preview[draftInput]{}, err
	}
	in.Configuration = p.Configuration
	shown := kit.Preview[draftInput]{Summary: "Run the draft of a health check once: " + p.Strategy, Payload: in, Effects: p.Sends}
	if p.Reads {
		shown.Effect = tool.Read
		return shown, nil
	}
	shown.Effects = append(shown.Effects, "It is sent once. What it changes where it goes is not known here, and cannot be taken back.")
	if in.SystemID != nil {
		shown.Labels = map[string]string{in.SystemID.String(): p.SystemName}
	}
	return shown, nil
}
