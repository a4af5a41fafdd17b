package capability

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

// maxSummaries is the number of entries up to which the list includes summaries of their configs.
const maxSummaries = 12

type listInput struct {
	Query    string `json:"query,omitempty" jsonschema:"maxLength=100,description=Words that have to stand in the name or description or id of a kind or of its strategy; such as certificate. Left out for all kinds."`
	Strategy string `json:"strategy,omitempty" jsonschema:"maxLength=100,description=The id of a strategy: it and its collectors alone."`
}

// matches reports whether an entry contains every word of the search.
func (in listInput) matches(e Entry) bool {
	if in.Strategy != "" && in.Strategy != e.ID && in.Strategy != e.Parent {
		return false
	}
	text := strings.ToLower(strings.Join(append(e.Words, e.ID, e.Name, e.Description, e.Category), " "))
	for word := range strings.FieldsSeq(strings.ToLower(in.Query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

type field struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Required bool   `json:"required"`
}

type listed struct {
	ID            string  `json:"id"`
	DisplayName   string  `json:"displayName"`
	Description   string  `json:"description,omitempty"`
	Role          string  `json:"role"`
	Category      string  `json:"category,omitempty" jsonschema:"description=Of a collector the strategy that it belongs to."`
	ConfigSummary []field `json:"configSummary,omitempty"`
}

type listOutput struct {
	Context   string   `json:"context"`
	Entries   []listed `json:"entries"`
	Truncated bool     `json:"truncated" jsonschema:"description=Summaries of configs are left out as there are more than twelve entries: ask for fewer or get the schema of a kind."`
	Total     int      `json:"total" jsonschema:"description=How many kinds there are in all."`
}

func (k Kit) listTool() tool.Tool {
	d := kit.Define(k.Texts, k.Context+".listCapabilities", tool.Read, k.Rule).OrGrant(k.Kind, access.View)
	d.Result.Trusted = true
	return kit.NewRead(d, func(ctx context.Context, c tool.Caller, in listInput) (listOutput, error) {
		out := listOutput{Context: k.Context, Entries: []listed{}}
		entries, err := k.List(ctx, c)
		if err != nil {
			return out, err
		}
		counted, taken := map[string]bool{}, map[string]bool{}
		for _, e := range entries {
			if !counted[e.ID] {
				counted[e.ID] = true
				out.Total++
			}
			if taken[e.ID] || !in.matches(e) {
				continue
			}
			taken[e.ID] = true
			category := e.Category
			if e.Parent != "" {
				category = e.Parent
			}
			out.Entries = append(out.Entries, listed{e.ID, e.Name, e.Description, e.Role, category, summaryOf(e.ConfigSchema)})
		}
		if len(out.Entries) > maxSummaries {
			out.Truncated = true
			for i := range out.Entries {
				out.Entries[i].ConfigSummary = nil
			}
		}
		return out, nil
	})
}

// summaryOf lists the members of a config from its schema.
func summaryOf(schema json.RawMessage) []field {
	var s struct {
		Properties map[string]struct {
			Type json.RawMessage `json:"type"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	fields := []field{}
	for name, property := range s.Properties {
		var kind string
		if json.Unmarshal(property.Type, &kind) != nil {
			kind = "any"
		}
		fields = append(fields, field{name, kind, slices.Contains(s.Required, name)})
	}
	slices.SortFunc(fields, func(a, b field) int {
		if a.Required != b.Required {
			if a.Required {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return fields
}
