package question

import (
	"context"
	"fmt"

	"countersign/tool"
	"countersign/tool/kit"
)

type askInput struct {
	Question      string   `json:"question" jsonschema:"minLength=1,maxLength=500,description=One short question in the operator's language."`
	Options       []Option `json:"options" jsonschema:"minItems=1,maxItems=6,description=The likely answers with the most likely one first."`
	AllowFreeText *bool    `json:"allowFreeText,omitempty" jsonschema:"default=true,description=Whether the operator may also type an answer."`
}

func askOperatorTool() tool.Tool {
	d := kit.Define(texts, "ai.askOperator", tool.Read, rule)
	d.Result.Question, d.Access.ChatOnly, d.Result.Trusted = true, true, true
	return kit.NewRead(d, func(_ context.Context, _ tool.Caller, in askInput) (Question, error) { return validate(in) })
}

func path(option int, member string) string { return fmt.Sprintf("options[%d].%s", option, member) }
