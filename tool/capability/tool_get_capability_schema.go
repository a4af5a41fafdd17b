package capability

import (
	"context"
	"encoding/json"
	"strings"

	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/internal/text/search"
	"countersign/tool"
	"countersign/tool/kit"
)

type schemaInput struct {
	Kind string `json:"kind" jsonschema:"minLength=1,maxLength=100,description=The id of a kind; from listCapabilities."`
}

type schemaOutput struct {
	Context            string              `json:"context"`
	ID                 string              `json:"id"`
	DisplayName        string              `json:"displayName"`
	Description        string              `json:"description,omitempty"`
	Role               string              `json:"role"`
	ConfigSchema       json.RawMessage     `json:"configSchema"`
	Collectors         []string            `json:"collectors,omitempty" jsonschema:"description=Of a strategy the collectors that it can have."`
	ResultSchema       json.RawMessage     `json:"resultSchema,omitempty" jsonschema:"description=Of a collector: its top-level members are what assertions can be about."`
	AssertionOperators map[string][]string `json:"assertionOperators,omitempty" jsonschema:"description=Of a collector: valid operators by the JSON type of the field."`
}

func (k Kit) schemaTool() tool.Tool {
	d := kit.Define(k.Texts, k.Context+".getCapabilitySchema", tool.Read, k.Rule).OrGrant(k.Kind, access.View)
	d.Result.Trusted = true
	return kit.NewRead(d, func(ctx context.Context, c tool.Caller, in schemaInput) (schemaOutput, error) {
		entries, err := k.List(ctx, c)
		if err != nil {
			return schemaOutput{}, err
		}
		var ids []string
		var out schemaOutput
		for _, e := range entries {
			ids = append(ids, e.ID)
			switch {
			case e.ID == in.Kind && out.ID == "":
				out = schemaOutput{
					Context: k.Context, ID: e.ID, DisplayName: e.Name, Description: e.Description, Role: e.Role,
					ConfigSchema: e.ConfigSchema, ResultSchema: e.ResultSchema, AssertionOperators: e.Operators,
				}
			case e.Parent == in.Kind:
				out.Collectors = append(out.Collectors, e.ID)
			}
		}
		if out.ID != "" {
			return out, nil
		}
		detail := "There is no such kind. List the capabilities to see all of them."
		if near := search.Nearest(in.Kind, ids); near != "" {
			detail = "There is no such kind. The nearest one is " + near + "."
		}
		return schemaOutput{}, problem.InvalidInput(
			detail,
			problem.Issue{Path: "kind", Message: "names no kind; there are " + strings.Join(ids, ", ")},
		)
	})
}
