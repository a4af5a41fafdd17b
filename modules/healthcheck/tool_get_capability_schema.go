package healthcheck

import (
	"context"
	"encoding/json"
	"strings"

	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/internal/text/nearest"
	"countersign/tool"
)

type getCapabilitySchemaInput struct {
	Kind string `json:"kind" jsonschema:"minLength=1,maxLength=100,description=The id of a strategy or collector; from healthcheck_listCapabilities."`
}

type getCapabilitySchemaOutput struct {
	Context            string              `json:"context" jsonschema:"enum=healthcheck"`
	ID                 string              `json:"id"`
	DisplayName        string              `json:"displayName"`
	Description        string              `json:"description,omitempty"`
	Role               string              `json:"role" jsonschema:"enum=strategy,enum=collector"`
	ConfigSchema       json.RawMessage     `json:"configSchema"`
	Collectors         []string            `json:"collectors,omitempty" jsonschema:"description=Of a strategy the collectors that it can have."`
	ResultSchema       json.RawMessage     `json:"resultSchema,omitempty" jsonschema:"description=Of a collector: its top-level members are what assertions can be about."`
	AssertionOperators map[string][]string `json:"assertionOperators,omitempty" jsonschema:"description=Of a collector: valid operators by the JSON type of the field."`
}

func getCapabilitySchemaTool() tool.Tool {
	d := tool.Define(texts, "healthcheck.getCapabilitySchema", tool.Read, Read).OrGrant(checkKind, access.View)
	d.Result.Trusted = true
	return tool.NewRead(d, func(ctx context.Context, c tool.Caller, in getCapabilitySchemaInput) (getCapabilitySchemaOutput, error) {
		var kinds Catalog
		if _, err := c.Client.Get(ctx, kindsPath, &kinds); err != nil {
			return getCapabilitySchemaOutput{}, err
		}
		var ids []string
		for _, s := range kinds.Strategies {
			ids = append(ids, s.ID)
			if s.ID == in.Kind {
				out := getCapabilitySchemaOutput{
					Context:      "healthcheck",
					ID:           s.ID,
					DisplayName:  s.Name,
					Description:  s.Description,
					Role:         roleStrategy,
					ConfigSchema: s.ConfigSchema,
				}
				for _, k := range s.Collectors {
					out.Collectors = append(out.Collectors, k.ID)
				}
				return out, nil
			}
			for _, k := range s.Collectors {
				ids = append(ids, k.ID)
				if k.ID == in.Kind {
					return getCapabilitySchemaOutput{
						Context: "healthcheck", ID: k.ID, DisplayName: k.Name, Description: k.Description, Role: roleCollector, ConfigSchema: k.ConfigSchema,
						ResultSchema: k.ResultSchema, AssertionOperators: operatorIDs(kinds.Operators),
					}, nil
				}
			}
		}
		detail := "There is no such kind. List the capabilities to see all of them."
		if near := nearest.Name(in.Kind, ids); near != "" {
			detail = "There is no such kind. The nearest one is " + near + "."
		}
		return getCapabilitySchemaOutput{}, problem.InvalidInput(
			detail,
			problem.Issue{Path: "kind", Message: "names no kind; there are " + strings.Join(ids, ", ")},
		)
	})
}

func operatorIDs(operators map[string][]Operator) map[string][]string {
	ids := make(map[string][]string, len(operators))
	for t, list := range operators {
		for _, o := range list {
			ids[t] = append(ids[t], o.ID)
		}
	}
	return ids
}

func compareText(a, b string) int { return strings.Compare(a, b) }
