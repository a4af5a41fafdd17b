package healthcheck

import (
	"context"

	"countersign/tool"
	"countersign/tool/capability"
)

// capabilities are the strategies of checks, each with its collectors.
func capabilities() capability.Kit {
	return capability.Kit{
		Context: "healthcheck", Texts: texts, Rule: Read, Kind: checkKind,
		List: func(ctx context.Context, c tool.Caller) ([]capability.Entry, error) {
			var kinds Catalog
			if _, err := c.Client.Get(ctx, kindsPath, &kinds); err != nil {
				return nil, err
			}
			var entries []capability.Entry
			for _, s := range kinds.Strategies {
				entries = append(entries, capability.Entry{
					ID: s.ID, Name: s.Name, Description: s.Description, Role: "strategy", Category: s.Category,
					ConfigSchema: s.ConfigSchema,
				})
				for _, k := range s.Collectors {
					entries = append(entries, capability.Entry{
						ID: k.ID, Name: k.Name, Description: k.Description + assertionNote(k), Role: "collector", Parent: s.ID, Category: k.Category,
						Words: []string{s.ID, s.Name, s.Category}, ConfigSchema: k.ConfigSchema, ResultSchema: k.ResultSchema,
						Operators: operatorIDs(kinds.Operators),
					})
				}
			}
			return entries, nil
		},
	}
}

// assertionNote says what becomes of a new collector without assertions.
func assertionNote(k CollectorKind) string {
	if k.Needs != "" {
		return " In assertions, " + k.Needs + "."
	}
	words := make([]string, len(k.Defaults))
	for i, a := range k.Defaults {
		words[i] = a.words()
	}
	if len(words) == 0 {
		return ""
	}
	return " Without assertions it passes if " + joined(words) + "."
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
