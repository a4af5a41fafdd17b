package toolsearch

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"countersign/tool"
	"countersign/tool/kit"
)

type searchInput struct {
	Query string `json:"query" jsonschema:"minLength=1,maxLength=400,description=What is to be done in a few plain words."`
}

// Found is a matching tool.
type Found struct {
	// Name is the wire name, by which the model calls the tool.
	Name string `json:"name"`
	Does string `json:"does"`
}

// Results are the best matches, best first.
type Results struct {
	Tools []Found `json:"tools"`
	Note  string  `json:"note"`
}

// Listing is a tool in the API's list for the caller, which holds the usable tools only.
type Listing struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Effect      tool.Effect     `json:"effect"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

func searchTool() tool.Tool {
	d := kit.Define(texts, "tools.search", tool.Read, rule)
	d.Result.Trusted, d.Access.ChatOnly = true, true
	return kit.NewRead(d, func(ctx context.Context, c tool.Caller, in searchInput) (Results, error) {
		var all struct {
			Tools []Listing `json:"tools"`
		}
		if _, err := c.Client.Get(ctx, "/api/ai/tools", &all); err != nil {
			return Results{}, err
		}
		return Find(all.Tools, in.Query, c.Room), nil
	})
}

// Find returns the tools among all that match a query, as far as their schemas fit into the room.
func Find(all []Listing, query string, room tool.Room) Results {
	return results(rank(all, query, room), all, room)
}

// maxFound limits the tools of one search.
const maxFound = 16

// results returns the best tools whose schemas fit into the room, at least one. Tools that are offered already take
// no room.
func results(best []scored, all []Listing, room tool.Room) Results {
	r := Results{Tools: []Found{}}
	left := room.Schemas
	for _, f := range best {
		if len(r.Tools) == maxFound {
			break
		}
		wire := wireOf(f.tool)
		cost := room.Costs[wire]
		if cost > 0 && cost > left && len(r.Tools) > 0 {
			continue
		}
		left -= cost
		r.Tools = append(r.Tools, Found{wire, sentence(f.tool.Description)})
	}
	r.Note = "You can call these from the next step on. If none of them fits, search once more in other words."
	if len(r.Tools) == 0 {
		r.Note = "No tool has to do with these words. There are tools of: " + strings.Join(
			modules(all),
			", ",
		) + ". Search for one of these, or say that it cannot be done here."
	}
	return r
}

func wireOf(d Listing) string { return tool.WireNameOf(d.Name) }

// sentence returns the first sentence of a description.
func sentence(description string) string {
	first, _, _ := strings.Cut(description, "\n")
	if end := strings.Index(first, ". "); end > 0 {
		first = first[:end+1]
	}
	const limit = 160
	if runes := []rune(first); len(runes) > limit {
		first = string(runes[:limit]) + "…"
	}
	return first
}

// modules returns the first parts of the names.
func modules(all []Listing) []string {
	var names []string
	for _, d := range all {
		if name, _, _ := strings.Cut(d.Name, "."); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
