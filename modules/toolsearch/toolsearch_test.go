package toolsearch_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/modules/toolsearch"
	"countersign/tool"
)

// shelf is what the API tells its caller of the tools that they may use.
const shelf = `{"tools":[
	{"name":"shelf.listCrates","effect":"read","description":"List the crates. All of them.","inputSchema":{"properties":{"colour":{}}}},
	{"name":"shelf.createCrate","effect":"mutate","description":"Propose to make a crate.\n\nAsk for its colour first.","inputSchema":{}},
	{"name":"shelf.deleteCrate","effect":"destructive","description":"Propose to delete a crate.","inputSchema":{}},
	{"name":"tide.getLevel","effect":"read","description":"How high the water is.","inputSchema":{}}]}`

func search(t *testing.T, query string, room tool.Room) toolsearch.Results {
	t.Helper()
	var router tool.Router
	router.Bind(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "Bearer of the caller", r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(shelf))
	}))
	input, err := json.Marshal(map[string]string{"query": query})
	require.NoError(t, err)
	out, err := toolsearch.New().Tools()[0].Run(
		t.Context(),
		tool.Caller{Client: &tool.Client{Router: &router, Credential: "of the caller"}, Room: room},
		input,
	)
	require.NoError(t, err)
	results, ok := out.(toolsearch.Results)
	require.True(t, ok)
	return results
}

// A slip of the finger does not hide a tool, nor does the name of something that is spelled like a word.
func TestSlipsAndNames(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"delte a crate": "shelf_deleteCrate", "deltee the carte": "shelf_deleteCrate", "whats on the shelf": "shelf_listCrates",
		"list-maker: nuke the crate": "shelf_deleteCrate", "how hihg is the wtaer": "tide_getLevel",
	} {
		require.Equal(t, want, search(t, query, tool.Room{}).Tools[0].Name, query)
	}
}

// Whatever is typed has an answer, and no more tools than a model can read.
func FuzzSearch(f *testing.F) {
	for _, query := range []string{
		"", " ", "?", "?!…---", "\x00\x01", "\xff\xfe crate", "cra\u200bte\u202e\ufeff", "Bitte lösche die Kiste über Straße für mich?",
		"wem gehört die Kiste", "箱を削除して", "удали ящик", "🗑️ crate", strings.Repeat("delete crate ", 10_000), strings.Repeat("a", 50_000),
		strings.Repeat("é", 1_001), "a@b", "@", "://", "https://", "-", "a-", "-a", "é-b", "1-a", ".", "a.", "x.yz/", "www.", "#ops", "' OR 1=1 --",
	} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		require.LessOrEqual(t, toolsearch.Rank([]byte(shelf), query), 16)
	})
}

// A search among a hundred tools with texts as long as those of the catalog.
func BenchmarkSearch(b *testing.B) {
	type listed struct{ Name, Effect, Description string }
	var all []listed
	for i := range 100 {
		all = append(
			all,
			listed{
				fmt.Sprintf("shelf.setCrate%d", i),
				"mutate",
				strings.Repeat("Propose to put a system into a crate of that name. Nothing changes until it is applied. ", 8),
			},
		)
	}
	listing, err := json.Marshal(map[string]any{"tools": all})
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		toolsearch.Rank(listing, "we decommissioned the old ftp sevrer, get rid of it")
	}
}

func names(r toolsearch.Results) []string {
	var found []string
	for _, f := range r.Tools {
		found = append(found, f.Name)
	}
	return found
}

// A tool is found by its own words, and by those that mean about the same.
func TestToolsAreFoundByWords(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"delete a crate": "shelf_deleteCrate", "get rid of the crate": "shelf_deleteCrate", "scrap my crate": "shelf_deleteCrate",
		"set up a new crate": "shelf_createCrate", "which crates are there?": "shelf_listCrates", "water": "tide_getLevel",
	} {
		require.Equal(t, want, search(t, query, tool.Room{}).Tools[0].Name, query)
	}
	require.Equal(t, "List the crates.", search(t, "list crates", tool.Room{}).Tools[0].Does)
}

// No more is found than there is room for, but one always is. What is offered already takes none.
func TestWhatIsFoundFitsIntoTheRoom(t *testing.T) {
	t.Parallel()
	costs := map[string]int{"shelf_listCrates": 100, "shelf_createCrate": 100, "shelf_deleteCrate": 100}
	require.Len(t, names(search(t, "delete crate", tool.Room{Schemas: 250, Costs: costs})), 2)
	require.Equal(t, []string{"shelf_deleteCrate"}, names(search(t, "delete crate", tool.Room{Schemas: 50, Costs: costs})))
	delete(costs, "shelf_listCrates")
	require.ElementsMatch(
		t,
		[]string{"shelf_deleteCrate", "shelf_listCrates"},
		names(search(t, "delete crate", tool.Room{Schemas: 50, Costs: costs})),
	)
}

func TestNothingFoundSaysWhatThereIs(t *testing.T) {
	t.Parallel()
	r := search(t, "zzz", tool.Room{})
	require.Contains(t, r.Note, "shelf, tide")
	require.Contains(t, search(t, "crate", tool.Room{}).Note, "from the next step on")
}
