package app_test

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/app/apptest/declaredtest"
	"countersign/chat/assistant"
	"countersign/internal/principal"
	"countersign/model"
	"countersign/modules/toolsearch"
	"countersign/tool"
	"countersign/tool/kit"
)

var (
	//go:embed testdata/tool-tasks-heldout.txt
	heldOutTasks string
	//go:embed testdata/tool-tasks-blind.txt
	blindTasks string
	//go:embed testdata/further-tools.txt
	furtherTools string
)

// rowsOf are the lines of a table whose columns are parted by bars.
func rowsOf(table string) [][]string {
	var rows [][]string
	for line := range strings.Lines(table) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			row := strings.Split(line, "|")
			for i := range row {
				row[i] = strings.TrimSpace(row[i])
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// declaredTasks are the tasks that the folders of the tools declare.
func declaredTasks(t *testing.T) (rows [][]string) {
	t.Helper()
	for name, one := range declaredtest.Load(t).Tools {
		for _, task := range one.Tasks {
			rows = append(rows, []string{name, task})
		}
	}
	return rows
}

// further are modules with sixty tools that the product does not have.
type further struct{}

type furtherInput struct {
	ID      string   `json:"id,omitempty" jsonschema:"format=uuid,description=The id as a list returned it."`
	Title   string   `json:"title,omitempty" jsonschema:"maxLength=200,description=What people read in lists."`
	Until   string   `json:"until,omitempty" jsonschema:"format=date-time,description=When it ends: RFC 3339 with an offset."`
	Systems []string `json:"systems,omitempty" jsonschema:"description=Ids of systems from catalog_listSystems."`
	Limit   int      `json:"limit,omitempty" jsonschema:"minimum=1,maximum=100,description=How many to return."`
}

func (further) Tools() []tool.Tool {
	var tools []tool.Tool
	for _, row := range rowsOf(furtherTools) {
		d := tool.Definition{Name: row[0], Effect: tool.Effect(row[1]), Description: row[3], Rules: []string{"ai.chat.read"}}
		if d.Effect == tool.Read {
			tools = append(tools, kit.NewRead(d, func(context.Context, tool.Caller, furtherInput) (struct{}, error) { return struct{}{}, nil }))
			continue
		}
		tools = append(tools, kit.NewWriteFunc(d,
			func(context.Context, tool.Caller, furtherInput) (kit.Preview[furtherInput], error) {
				return kit.Preview[furtherInput]{Summary: "Do it"}, nil
			},
			func(context.Context, tool.Caller, furtherInput) (struct{}, error) { return struct{}{}, nil }))
	}
	return tools
}

// library answers GET /api/ai/tools with tools that were read before: what a search finds depends on them alone.
type library struct {
	all    []assistant.Ability
	router tool.Router
	texts  map[string]string
}

func newLibrary(t *testing.T, p *apptest.Product) *library {
	t.Helper()
	answer := p.Admin.Get(t, "/api/ai/tools", nil)
	var listed struct {
		Tools []struct {
			Name, Description string
			Effect            tool.Effect
			InputSchema       json.RawMessage
		}
	}
	require.NoError(t, json.Unmarshal(answer.Body, &listed))
	l := &library{texts: map[string]string{}}
	for _, known := range listed.Tools {
		wire := strings.ReplaceAll(known.Name, ".", "_")
		l.all = append(l.all, assistant.Ability{
			Tool:  model.Tool{Name: wire, Description: known.Description, Parameters: known.InputSchema},
			Reads: known.Effect == tool.Read,
		})
		l.texts[wire] = known.Name + " " + known.Description
	}
	// Those of chats only are not listed for programs.
	for _, known := range toolsearch.New().Tools() {
		l.all = append(
			l.all,
			assistant.Ability{Tool: model.Tool{Name: known.WireName(), Description: known.Description, Parameters: known.Input.JSON()}, Reads: true},
		)
	}
	l.router.Bind(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer.Body)
	}))
	return l
}

// offered are the tools of a task: those at the start of a conversation, and those after one search with its own words.
func (l *library) offered(t *testing.T, task string, window int) (first, then assistant.Offer) {
	t.Helper()
	asked := []model.Message{{Role: model.RoleUser, Content: task}}
	choice := assistant.ChooseTools(assistant.DefaultMaxTools, l.all, window)
	first = choice.Offer(func() []model.Message { return asked })
	require.LessOrEqual(t, assistant.ToolTokens(first.Tools), assistant.SchemaShare(window))
	if !first.Searching {
		return first, first
	}
	query, err := json.Marshal(map[string]string{"query": task})
	require.NoError(t, err)
	caller := tool.Caller{
		Principal: principal.Principal{Kind: principal.User}, Client: &tool.Client{Router: &l.router},
		Room: tool.Room{Schemas: first.Free, Costs: first.Costs(l.all, window)},
	}
	found, err := toolsearch.New().Tools()[0].Run(t.Context(), caller, query)
	require.NoError(t, err)
	result, err := tool.Canonical(found)
	require.NoError(t, err)
	asked = append(asked,
		model.Message{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: "a", Name: assistant.SearchTool, Arguments: string(query)}}},
		model.Message{Role: model.RoleTool, ToolCallID: "a", Content: string(result)})
	then = choice.Offer(func() []model.Message { return asked })
	require.Equal(t, first.Names(), then.Names()[:len(first.Tools)], "what was found stands behind what was there")
	return first, then
}

const commonWords = " that this what when about with from have there which where they them than then here does will only like know told tell more some were been into your their want need make "

// ownWords reports whether a task uses a telling word of what its tool says of itself.
func ownWords(task, text string) bool {
	words := func(s string) map[string]bool {
		set := map[string]bool{}
		for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) }) {
			if w = strings.TrimSuffix(w, "s"); len(w) > 3 && !strings.Contains(commonWords, " "+w+" ") {
				set[w] = true
			}
		}
		return set
	}
	said := words(text)
	for w := range words(task) {
		if said[w] {
			return true
		}
	}
	return false
}

// measured is how a table of tasks fares with the tools of a library in one window.
type measured struct{ tasks, direct, searched, foreign int }

func (m measured) right() int { return m.direct + m.searched }

// measure offers tools for every task of which the library has the right one, and logs those that are not offered it.
func (l *library) measure(t *testing.T, name string, tasks [][]string, window int) measured {
	t.Helper()
	var m measured
	var missed []string
	for _, task := range tasks {
		var right []string
		text := ""
		for known := range strings.SplitSeq(task[0], ",") {
			wire := strings.ReplaceAll(strings.TrimSpace(known), ".", "_")
			if own, ok := l.texts[wire]; ok {
				right, text = append(right, wire), text+" "+own
			}
		}
		if len(right) == 0 {
			continue
		}
		m.tasks++
		if !ownWords(task[1], text) {
			m.foreign++
		}
		first, then := l.offered(t, task[1], window)
		switch {
		case has(first, right):
			m.direct++
		case has(then, right):
			m.searched++
		default:
			missed = append(missed, fmt.Sprintf("%s: %s %v", task[0], task[1], then.Names()[len(first.Tools):]))
		}
	}
	t.Logf("%s, %d tools, window of %d tokens: %d of %d tasks at once, %d after one search, %d in words of their own",
		name, len(l.all), window, m.direct, m.tasks, m.searched, m.foreign)
	for _, line := range missed {
		if name != "blind" {
			t.Log(line)
		}
	}
	return m
}

// The measure of the search: what people ask for, most of it in words that the tool's own text does not use, with the tools
// that there are, and with sixty more. How often is the right tool offered, at once or after one search in the words of the
// task? The first table is of the hand that wrote the table of words; the second was written from the list of tools before
// that table was read; what the third asks was never looked at to change the search (decision 031).
func TestTheRightToolIsFound(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	more := apptest.Start(t, apptest.Options{Modules: []any{further{}}})
	tables := []struct {
		name  string
		rows  [][]string
		least int
		// floors are the right ones of a hundred, with the tools that there are and with sixty more.
		floors [2]int
	}{
		{"own", declaredTasks(t), 160, [2]int{99, 99}},
		{"held out", rowsOf(heldOutTasks), 80, [2]int{99, 96}},
		// Nothing in it is about the tools that came after it, which take room and share words: sending requests, custom tools,
		// incidents, maintenances and automations.
		{"blind", rowsOf(blindTasks), 50, [2]int{89, 81}},
	}
	for i, l := range []*library{newLibrary(t, p), newLibrary(t, more)} {
		for _, table := range tables {
			for _, window := range []int{8_192, 16_384, 32_768, 65_536, 131_072} {
				m := l.measure(t, table.name, table.rows, window)
				require.GreaterOrEqual(t, m.tasks, table.least)
				require.GreaterOrEqual(t, m.foreign*2, m.tasks, "tasks in words of their own")
				if m.right()*100 < m.tasks*table.floors[i] {
					t.Errorf("%s, %d tools in %d tokens: %d of %d", table.name, len(l.all), window, m.right(), m.tasks)
				}
			}
		}
	}
}

func has(o assistant.Offer, names []string) bool {
	for _, t := range o.Tools {
		if slices.Contains(names, t.Name) {
			return true
		}
	}
	return false
}
