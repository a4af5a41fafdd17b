package demo_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// example is a sentence that people are told to write. testdata/examples.yaml explains it.
type example struct {
	Ask   string
	Given struct {
		Systems, Groups, Environments, Agents, Incidents []string
		Members                                          bool
	}
	Does, Reads []string
	Says        string
	Again       []yaml.Node
}

// variants are the example as written and five others.
func (e example) variants(t *testing.T) []example {
	t.Helper()
	all := []example{e}
	for _, node := range e.Again {
		v := e
		if node.Kind == yaml.ScalarNode {
			v.Ask = node.Value
		} else {
			require.NoError(t, node.Decode(&v))
		}
		all = append(all, v)
	}
	return all
}

func examples(t *testing.T) []example {
	t.Helper()
	raw, err := os.ReadFile("testdata/examples.yaml")
	require.NoError(t, err)
	var all []example
	decoder := yaml.NewDecoder(strings.NewReader(string(raw)))
	decoder.KnownFields(true)
	require.NoError(t, decoder.Decode(&all))
	return all
}

// world is the catalog of the example: a name is its own id.
func (e example) world() world {
	list := func(noun string, names []string) string {
		entries := []map[string]any{}
		for _, name := range names {
			entries = append(entries, map[string]any{"id": name, "name": name})
		}
		text, _ := json.Marshal(map[string]any{noun: entries})
		return string(text)
	}
	w := aWorld()
	agents := []map[string]any{}
	for _, name := range e.Given.Agents {
		slug := strings.ReplaceAll(strings.ToLower(name), " ", "-")
		agents = append(agents, map[string]any{"slug": slug, "name": name, "live": 1, "tools": 1})
		w.answering("agent_get", `{"slug":"`+slug+`","name":"`+name+`","revision":1,"state":"live","spec":{},"tools":[{"id":"total-of-cart",
			"description":"Adds the prices of a cart.","effect":"read","argsSchema":{"properties":{"prices":{"type":"array","items":{"type":"number"}}}}}]}`)
		w["agent_"+slug+"_total-of-cart"] = func(input map[string]any) string {
			total := 0.0
			for _, price := range input["prices"].([]any) {
				total += price.(float64)
			}
			return fmt.Sprintf(`{"tool_id":"total-of-cart","ok":true,"result":{"total":%g},"revision":1}`, total)
		}
	}
	incidents := []map[string]any{}
	for _, title := range e.Given.Incidents {
		one := map[string]any{
			"id":        title,
			"title":     title,
			"severity":  "major",
			"status":    "investigating",
			"systems":   e.Given.Systems,
			"startedAt": "2026-01-02T03:04:05Z",
		}
		incidents = append(incidents, one)
		brief, _ := json.Marshal(
			map[string]any{"incident": one, "systems": []any{map[string]any{"name": "Payments API"}}, "before": []any{}, "since": []any{}},
		)
		w.answering("incident_brief", string(brief))
	}
	open, _ := json.Marshal(map[string]any{"incidents": incidents})
	known, _ := json.Marshal(map[string]any{"agents": agents})
	return w.answering("agent_list", string(known)).
		answering("incident_list", string(open)).
		answering("incident_create", `{"status":"awaiting_operator","proposalId":"p-1"}`).
		answering("incident_acknowledge", `{"status":"awaiting_operator","proposalId":"p-1"}`).
		answering("agent_testTool", `{"ok":true,"result":{"total":6.5},"logs":[],"warnings":[]}`).
		answering("agent_proposeTool", `{"status":"awaiting_operator","proposalId":"p-1"}`).
		answering("catalog_listTeams", list("teams", []string{"Payments", "Platform"})).
		answering("catalog_listSystems", list("systems", e.Given.Systems)).
		answering("catalog_listGroups", list("groups", e.Given.Groups)).
		answering("catalog_listEnvironments", list("environments", e.Given.Environments))
}

func TestExamplesAndTheirVariants(t *testing.T) {
	t.Parallel()
	change := regexp.MustCompile(`_(create|update|delete|add|remove|set|save|propose)[A-Z]|_propose |^incident_(create|acknowledge) `)
	for _, e := range examples(t) {
		variants := e.variants(t)
		require.Len(t, variants, 6, "%s: as written and five variants", e.Ask)
		for _, v := range variants {
			t.Run(v.Ask, func(t *testing.T) {
				t.Parallel()
				transcript, _ := v.world().play(t, nil, v.Ask)
				var changes []string
				for line := range strings.Lines(transcript) {
					if call, ok := strings.CutPrefix(strings.TrimSpace(line), "-> "); ok && change.MatchString(call) {
						changes = append(changes, call)
					}
				}
				require.Equal(t, v.Does, changes, transcript)
				for _, call := range v.Reads {
					require.Contains(t, transcript, "-> "+call)
				}
				require.Contains(t, transcript, v.Says)
			})
		}
	}
}

// A sentence in the documentation or in the app that invites people to write it is in the table.
func TestDocumentedExamplesAreInTheTable(t *testing.T) {
	t.Parallel()
	const root = "../../"
	var known []string
	for _, e := range examples(t) {
		known = append(known, strings.TrimRight(e.Ask, "."))
	}
	link := regexp.MustCompile(`\[([^\]]+)\]\([^)]+\)`)
	for pattern, form := range map[string]string{
		"README.md":                         `(?m)^ *> (.+)$`,
		"docs/how-to/*.md":                  `(?m)^ *> (.+)$`,
		"docs/catalog/*.md":                 `(?m)^- "([A-Z\[].+)"$`,
		"docs/concepts/demo-model.md":       "`([A-Z][^`]+)`",
		"docs/getting-started.md":           "Write: `([^`]+)`",
		"docs/index.md":                     `for example "([^"]+)"`,
		"docs/concepts/teams-and-*.md":      `just say so: "([^"]+)"`,
		"docs/how-to/use-an-openai-*.md":    `role: .user., content: .([^']+)'`,
		"docs/concepts/plans.md":            `(?m)^> (.+)$`,
		"docs/concepts/memory.md":           `Tell the assistant: \*([^*]+)\*`,
		"docs/concepts/conversations.md":    `\[demo model\][^"]*"([^"]+)"`,
		"docs/how-to/work-with-the-*.md":    `steps to take: \*([^*]+)\*`,
		"web/src/chat/Examples.tsx":         `(?m)^  "(.+)",$`,
		"model/demo/scenes/*.yaml":          `(?m)^    example: (.+)$`,
		"test/e2e/browser/question.test.ts": `ask\("([^"]+)"\)`,
	} {
		files, err := filepath.Glob(root + pattern)
		require.NoError(t, err)
		found := 0
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, sentence := range regexp.MustCompile(form).FindAllStringSubmatch(string(text), -1) {
				found++
				plain := strings.TrimRight(link.ReplaceAllString(strings.Join(strings.Fields(sentence[1]), " "), "$1"), ".")
				require.True(t, slices.Contains(known, plain), "%s: %q has to be in testdata/examples.yaml", file, plain)
			}
		}
		require.Positive(t, found, pattern)
	}
}
