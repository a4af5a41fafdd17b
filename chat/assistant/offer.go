package assistant

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"countersign/model"
)

// SearchTool is the wire name of the tool search.
const SearchTool = "tools_search"

// core are the wire names of the tools that most turns need, the most needed first.
var core = []string{SearchTool, "ai_askOperator", "ai_searchDocs", "ai_getDoc", "catalog_listSystems", "ai_searchMemory", "ai_listDocs"}

// authored are the wire name prefixes of custom tools and of the tools that write them, foreign that of other MCP
// servers. They may be many, so they come last and never displace the product's own tools.
const (
	authored = "agent_"
	foreign  = "mcp_"
)

func comesLast(wire string) bool {
	return strings.HasPrefix(wire, authored) || strings.HasPrefix(wire, foreign)
}

// AgentOf is the slug in the dotted name of an agent's tool, agent.<slug>.<tool>; false for other names.
func AgentOf(name string) (slug string, ok bool) {
	rest, ok := strings.CutPrefix(name, "agent.")
	if !ok {
		return "", false
	}
	slug, _, ok = strings.Cut(rest, ".")
	return slug, ok
}

// Ability is a tool that the person may use.
type Ability struct {
	model.Tool
	// Reads says that it changes nothing.
	Reads bool
}

// Offer is the set of tools in a request.
type Offer struct {
	Tools []model.Tool
	// Always is the number of tools that the conversation has from start to end; they come first.
	Always int
	// Searching says that these are not all tools, and that SearchTool finds the others.
	Searching bool
	// Free is the token budget of tools that are found later, and FreeCount how many they may be.
	Free, FreeCount int
	// Tokens are those of Tools.
	Tokens int
	// Dropped is the number of tools that are neither offered nor found by a search.
	Dropped int
}

// DefaultMaxTools is the number of tools in a request that most providers take: OpenAI, Azure, Groq and Copilot refuse more.
const DefaultMaxTools = 128

// MostTools is how many tools a request may offer: as many as the connection says, 0 for nothing, or fewer that a refusal has
// taught.
func MostTools(set, learned int) int {
	most := cmp.Or(set, DefaultMaxTools)
	if learned > 0 {
		// An earlier version learned also smaller numbers.
		return min(max(learned, model.LeastTools), most)
	}
	return most
}

// MaxToolRefusals bounds how often a call is made again with fewer tools, MaxTrims how often one is made again that the provider
// finds too long: once for a window that nobody knew, and twice for estimates that were too low.
const (
	MaxToolRefusals = 4
	MaxTrims        = 3
)

// briefWindow is the window below which tools have only the first paragraph of their description.
const briefWindow = 20_000

// brief is a tool with the description for a window.
func brief(t model.Tool, window int) model.Tool {
	if windowOrDefault(window) < briefWindow {
		t.Description, _, _ = strings.Cut(t.Description, "\n\n")
	}
	return t
}

// Costs are the tokens of the tools outside the offer, by wire name.
func (o Offer) Costs(all []Ability, window int) map[string]int {
	costs := map[string]int{}
	for _, a := range all {
		if !o.has(a.Name) {
			costs[a.Name] = SchemaTokens(brief(a.Tool, window))
		}
	}
	return costs
}

// Names are the wire names of the offered tools.
func (o Offer) Names() []string {
	names := make([]string, len(o.Tools))
	for i, t := range o.Tools {
		names[i] = t.Name
	}
	return names
}

// Choice is what the offers of a conversation have in common, whatever its messages are.
type Choice struct {
	always Offer
	byName map[string]model.Tool
}

// ChooseTools chooses the tools of a conversation's requests, at most so many: all of them if they fit into their share of the
// window. Otherwise the tools that most turns need, for half of the share and three quarters of the number. all are the tools by
// name.
func ChooseTools(most int, all []Ability, window int) Choice {
	share := SchemaShare(window)
	byName := make(map[string]model.Tool, len(all))
	var others []model.Tool
	total := 0
	for _, a := range all {
		a.Tool = brief(a.Tool, window)
		byName[a.Name] = a.Tool
		if a.Name != SearchTool {
			others = append(others, a.Tool)
			total += SchemaTokens(a.Tool)
		}
	}
	if total <= share && len(others) <= most {
		return Choice{always: Offer{Tools: others, Always: len(others), Tokens: total}}
	}
	var o Offer
	_, o.Searching = byName[SearchTool]
	left, number := share/2, max(most*3/4, 1)
	if !o.Searching {
		left, number = share, most
	}
	add := func(t model.Tool) {
		if tokens := SchemaTokens(t); tokens <= left && len(o.Tools) < number && !o.has(t.Name) {
			o.Tools, o.Tokens, left = append(o.Tools, t), o.Tokens+tokens, left-tokens
		}
	}
	for _, name := range core {
		if t, ok := byName[name]; ok {
			add(t)
		}
	}
	for _, last := range []bool{false, true} {
		for _, a := range all {
			if comesLast(a.Name) == last && (a.Reads || !o.Searching) {
				add(byName[a.Name])
			}
		}
	}
	o.Always, o.Free, o.FreeCount = len(o.Tools), share-o.Tokens, most-len(o.Tools)
	if !o.Searching {
		o.Dropped = len(others) - len(o.Tools)
	}
	return Choice{always: o, byName: byName}
}

// Always are the wire names of the tools that the conversation has from start to end.
func (c Choice) Always() []string { return c.always.Names() }

// playbookWindow is the smallest window whose prompt has playbooks of tools that the model has still to find.
const playbookWindow = 32_000

// InPrompt reports whether the prompt for a window mentions a tool. It stays the same throughout a conversation, for the provider's
// prompt cache.
func (c Choice) InPrompt(wire string, window int) bool {
	return window <= 0 || window >= playbookWindow || c.always.has(wire)
}

// Searching says that these are not all tools, and that SearchTool finds the others.
func (c Choice) Searching() bool { return c.always.Searching }

// Offer adds the tools that the conversation has used or found, in order of discovery, behind those that it always has: requests
// of a conversation share a prefix, and a process that takes a turn over makes the same requests, as everything follows from the
// records. When these become too many, the least recently used go.
func (c Choice) Offer(messages func() []model.Message) Offer {
	o := c.always
	if c.byName == nil {
		return o
	}
	used := o.used(c.byName, messages())
	o.Tools, o.Tokens = slices.Concat(o.Tools, used), o.Tokens+ToolTokens(used)
	return o
}

func (o Offer) has(name string) bool {
	return slices.ContainsFunc(o.Tools, func(t model.Tool) bool { return t.Name == name })
}

// used returns the tools that the conversation has used or found, as far as they fit, and always the most recent one.
func (o Offer) used(byName map[string]model.Tool, messages []model.Message) []model.Tool {
	names := mentioned(messages)
	left, kept := o.Free, map[string]bool{}
	for _, name := range slices.Backward(names) {
		t, ok := byName[name]
		if !ok || kept[name] || o.has(name) {
			continue
		}
		tokens := SchemaTokens(t)
		if len(kept) == o.FreeCount || tokens > left && len(kept) > 0 {
			break
		}
		kept[name], left = true, left-tokens
	}
	var tools []model.Tool
	for _, name := range names {
		if kept[name] {
			tools, kept[name] = append(tools, byName[name]), false
		}
	}
	return tools
}

// mentioned returns the wire names of the tools that a conversation has called or found, in order of mention. The last
// search result is reversed, so that the best match counts as the most recent.
func mentioned(messages []model.Message) []string {
	var names []string
	searches := map[string]bool{}
	for _, m := range messages {
		for _, c := range m.ToolCalls {
			names = append(names, c.Name)
			searches[c.ID] = c.Name == SearchTool
		}
		if m.Role == model.RoleTool && searches[m.ToolCallID] {
			found := foundIn(m.Content)
			slices.Reverse(found)
			names = append(names, found...)
		}
	}
	return names
}

// foundIn returns the wire names in a result of SearchTool, the best first.
func foundIn(content string) []string {
	var result struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	at := strings.IndexByte(content, '{')
	if at < 0 || json.NewDecoder(strings.NewReader(content[at:])).Decode(&result) != nil {
		return nil
	}
	names := make([]string, 0, len(result.Tools))
	for _, t := range result.Tools {
		names = append(names, t.Name)
	}
	return names
}
