package healthcheck

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"countersign/internal/access"
	"countersign/tool"
)

// mostSummaries is the number of kinds up to which the list includes summaries of their configs.
const mostSummaries = 12

type listCapabilitiesInput struct {
	Query    string `json:"query,omitempty" jsonschema:"maxLength=100,description=Words that have to stand in the name or description or id of a kind or of its strategy; such as certificate. Left out for all kinds."`
	Strategy string `json:"strategy,omitempty" jsonschema:"maxLength=100,description=The id of a strategy: it and its collectors alone."`
}

// matches reports whether a kind contains every word of the search.
func (in listCapabilitiesInput) matches(strategy string, said ...string) bool {
	if in.Strategy != "" && in.Strategy != strategy {
		return false
	}
	text := strings.ToLower(strings.Join(said, " "))
	for word := range strings.FieldsSeq(strings.ToLower(in.Query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// Roles of kinds.
const (
	roleStrategy  = "strategy"
	roleCollector = "collector"
)

type capabilityField struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Required bool   `json:"required"`
}

type capability struct {
	ID            string            `json:"id"`
	DisplayName   string            `json:"displayName"`
	Description   string            `json:"description,omitempty"`
	Role          string            `json:"role" jsonschema:"enum=strategy,enum=collector"`
	Category      string            `json:"category,omitempty" jsonschema:"description=Of a collector the strategy that it belongs to."`
	ConfigSummary []capabilityField `json:"configSummary,omitempty"`
}

type listCapabilitiesOutput struct {
	Context   string       `json:"context" jsonschema:"enum=healthcheck"`
	Entries   []capability `json:"entries"`
	Truncated bool         `json:"truncated" jsonschema:"description=Summaries of configs are left out as there are more than twelve entries: ask for fewer or get the schema of a kind."`
	Total     int          `json:"total" jsonschema:"description=How many kinds there are in all."`
}

func listCapabilitiesTool() tool.Tool {
	d := tool.Define(texts, "healthcheck.listCapabilities", tool.Read, Read).OrGrant(checkKind, access.View)
	d.Result.Trusted = true
	return tool.NewRead(d, func(ctx context.Context, c tool.Caller, in listCapabilitiesInput) (listCapabilitiesOutput, error) {
		out := listCapabilitiesOutput{Context: "healthcheck", Entries: []capability{}}
		var kinds Catalog
		if _, err := c.Client.Get(ctx, kindsPath, &kinds); err != nil {
			return out, err
		}
		seen, listed := map[string]bool{}, map[string]bool{}
		for _, s := range kinds.Strategies {
			out.Total++
			if in.matches(s.ID, s.ID, s.Name, s.Description, s.Category) {
				out.Entries = append(out.Entries, capability{s.ID, s.Name, s.Description, roleStrategy, s.Category, summaryOf(s.ConfigSchema)})
			}
			for _, k := range s.Collectors {
				if !seen[k.ID] {
					seen[k.ID] = true
					out.Total++
				}
				if in.matches(s.ID, k.ID, k.Name, k.Description, k.Category, s.ID, s.Name, s.Category) && !listed[k.ID] {
					listed[k.ID] = true
					out.Entries = append(out.Entries, capability{k.ID, k.Name, k.Description, roleCollector, s.ID, summaryOf(k.ConfigSchema)})
				}
			}
		}
		if len(out.Entries) > mostSummaries {
			out.Truncated = true
			for i := range out.Entries {
				out.Entries[i].ConfigSummary = nil
			}
		}
		return out, nil
	})
}

// summaryOf lists the members of a config from its schema.
func summaryOf(schema json.RawMessage) []capabilityField {
	var s struct {
		Properties map[string]struct {
			Type json.RawMessage `json:"type"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	fields := []capabilityField{}
	for name, property := range s.Properties {
		var kind string
		if json.Unmarshal(property.Type, &kind) != nil {
			kind = "any"
		}
		fields = append(fields, capabilityField{name, kind, slices.Contains(s.Required, name)})
	}
	slices.SortFunc(fields, func(a, b capabilityField) int {
		if a.Required != b.Required {
			if a.Required {
				return -1
			}
			return 1
		}
		return compareText(a.Name, b.Name)
	})
	return fields
}
