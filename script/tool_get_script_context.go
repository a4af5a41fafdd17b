package script

import (
	"context"

	"countersign/script/sdk"
	"countersign/tool"
	"countersign/tool/kit"
)

type contextInput struct {
	Context sdk.Context `json:"context" jsonschema:"description=Where the script lives: the first is TypeScript and the second is shell."`
}

func (a Authoring) getScriptContextTool() tool.Tool {
	d := kit.Define(a.Texts, a.Module+".getScriptContext", tool.Read, a.Rule)
	d.Result.Trusted = true
	t := kit.NewRead(d,
		func(ctx context.Context, c tool.Caller, in contextInput) (sdk.Description, error) {
			var out sdk.Description
			_, err := c.Client.Get(ctx, ContextsPath(a.Module)+"/"+string(in.Context), &out)
			return out.Brief(), err
		})
	t.Input = kit.SchemaOf[contextInput](a.refine)
	return t
}
