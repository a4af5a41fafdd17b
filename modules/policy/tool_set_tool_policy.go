package policy

import (
	"context"
	"embed"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

//go:embed tool_*.md
var texts embed.FS

type setToolPolicyInput struct {
	Tool string `json:"tool" jsonschema:"minLength=1,maxLength=160"`
	Change
}

// Targets implements tool.Targeted.
func (in setToolPolicyInput) Targets() []tool.Target {
	return []tool.Target{{Path: path + "/" + url.PathEscape(in.Tool), Level: access.View}}
}

type policyOutput struct {
	ToolName string `json:"toolName"`
}

// changeTool is the tool identity of changing policies.
const changeTool = "ai.setToolPolicy"

// Tools are the tools of policies, which people use only: models get none.
func (m *Module) Tools() []tool.Tool {
	d := kit.Define(texts, changeTool, tool.Mutate, Manage).WithoutCascade()
	d.Access.Hidden = true
	// It only tightens, and is proposed like single changes.
	d.Operations.RelatedOperations = []tool.Operation{{Method: http.MethodPost, Path: secondPath}}
	d.Impact.Inverse = kit.Former(changeTool)
	d.Policy.NeedsSecond, d.Policy.NeedsPerson = m.loosens, m.frees
	return []tool.Tool{kit.NewWrite(d, m.propose,
		func(in setToolPolicyInput) tool.Request {
			return kit.Patch(path+"/"+url.PathEscape(in.Tool), in.Change)
		},
		func(p ToolPolicy) policyOutput { return policyOutput{p.ToolName} })}
}

// frees reports whether a change removes a setting that keeps a program from applying the tool's changes alone; a
// program must not remove it.
func (m *Module) frees(input json.RawMessage, kept []string) bool {
	if len(input) == 0 {
		return false // secondPath, which takes nothing away
	}
	var in setToolPolicyInput
	if err := json.Unmarshal(input, &in); err != nil {
		return len(kept) > 0
	}
	if t, ok := m.tools.Fixed(in.Tool); ok {
		in.Tool = t.Name
	}
	frees := isSet(in.Enabled) || in.AlwaysConfirm != nil && !*in.AlwaysConfirm || in.TwoPerson != nil && !*in.TwoPerson
	return frees && slices.Contains(kept, in.Tool)
}

// loosens reports whether a change removes the second person from a tool: one person alone must not undo what two
// have to decide.
func (m *Module) loosens(input json.RawMessage, asking []string) bool {
	if len(input) == 0 {
		return false // secondPath, which takes nothing away
	}
	var in setToolPolicyInput
	if err := json.Unmarshal(input, &in); err != nil {
		return len(asking) > 0
	}
	if t, ok := m.tools.Fixed(in.Tool); ok {
		in.Tool = t.Name
	}
	return in.TwoPerson != nil && !*in.TwoPerson && slices.Contains(asking, in.Tool)
}

func (m *Module) propose(ctx context.Context, c tool.Caller, in setToolPolicyInput) (kit.Preview[setToolPolicyInput], error) {
	var none kit.Preview[setToolPolicyInput]
	var live ToolPolicy
	etag, err := c.Client.Get(ctx, path+"/"+url.PathEscape(in.Tool), &live)
	if problem.Is(err, problem.NotFound) {
		e := problem.As(err)
		return none, problem.InvalidInput(e.Detail, problem.Issue{Path: "tool", Message: e.Detail})
	}
	if err != nil {
		return none, err
	}
	in.Tool = live.ToolName
	after := live.Policy
	after.Enabled, after.AlwaysConfirm, after.TwoPerson = or(
		in.Enabled,
		after.Enabled,
	), or(
		in.AlwaysConfirm,
		after.AlwaysConfirm,
	), or(
		in.TwoPerson,
		after.TwoPerson,
	)
	diff, err := kit.Differing(live.Policy, after, "the policy of %s is like this already.", live.ToolName)
	if err != nil {
		return none, err
	}
	var words []string
	for _, one := range []struct {
		changed bool
		word    string
	}{
		{after.Enabled && !live.Enabled, "switch it on"},
		{!after.Enabled && live.Enabled, "switch it off"},
		{after.AlwaysConfirm && !live.AlwaysConfirm, "always ask"},
		{!after.AlwaysConfirm && live.AlwaysConfirm, "no longer always ask"},
		{after.TwoPerson && !live.TwoPerson, "ask for a second person"},
		{!after.TwoPerson && live.TwoPerson, "no longer ask for a second person"},
	} {
		if one.changed {
			words = append(words, one.word)
		}
	}
	return kit.Preview[setToolPolicyInput]{
		Summary: "Change the policy of " + live.ToolName + ": " + strings.Join(words, " and "), Payload: in, Diff: diff, Revision: etag,
	}, nil
}
