package script

import (
	"context"

	"countersign/script/sdk"
	"countersign/tool"
)

type contextInput struct {
	Context sdk.Context `json:"context" jsonschema:"description=Where the script lives: the first is TypeScript and the second is shell."`
}

func (a Authoring) getScriptContextTool() tool.Tool {
	d := tool.Define(a.Texts, a.Module+".getScriptContext", tool.Read, a.Rule)
	d.Result.Trusted = true
	t := tool.NewRead(d,
		func(ctx context.Context, c tool.Caller, in contextInput) (sdk.Description, error) {
			var out sdk.Description
			_, err := c.Client.Get(ctx, ContextsPath(a.Module)+"/"+string(in.Context), &out)
			return out.Brief(), err
		})
	t.Input = tool.SchemaOf[contextInput](a.refine)
	return t
}
