package toolsearch_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/modules/toolsearch"
	"countersign/tool"
)

// shelf is what the API tells its caller of the tools that they may use.
const shelf = `{"tools":[
	{"name":"shelf.listBoxes","effect":"read","description":"List the boxes. All of them.","inputSchema":{"properties":{"colour":{}}}},
	{"name":"shelf.createBox","effect":"mutate","description":"Propose to make a box.\n\nAsk for its colour first.","inputSchema":{}},
	{"name":"shelf.deleteBox","effect":"destructive","description":"Propose to delete a box.","inputSchema":{}},
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
	out, err := toolsearch.New().Tools()[0].Run(t.Context(), tool.Caller{Client: &tool.Client{Router: &router, Credential: "of the caller"}, Room: room}, input)
	require.NoError(t, err)
	results, ok := out.(toolsearch.Results)
	require.True(t, ok)
	return results
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
		"delete a box": "shelf_deleteBox", "get rid of the box": "shelf_deleteBox", "scrap my box": "shelf_deleteBox",
		"set up a new box": "shelf_createBox", "which boxes are there?": "shelf_listBoxes", "water": "tide_getLevel",
	} {
		require.Equal(t, want, search(t, query, tool.Room{}).Tools[0].Name, query)
	}
	require.Equal(t, "List the boxes.", search(t, "list boxes", tool.Room{}).Tools[0].Does)
}

// No more is found than there is room for, but one always is. What is offered already takes none.
func TestWhatIsFoundFitsIntoTheRoom(t *testing.T) {
	t.Parallel()
	costs := map[string]int{"shelf_listBoxes": 100, "shelf_createBox": 100, "shelf_deleteBox": 100}
	require.Len(t, names(search(t, "delete box", tool.Room{Schemas: 250, Costs: costs})), 2)
	require.Equal(t, []string{"shelf_deleteBox"}, names(search(t, "delete box", tool.Room{Schemas: 50, Costs: costs})))
	delete(costs, "shelf_listBoxes")
	require.ElementsMatch(t, []string{"shelf_deleteBox", "shelf_listBoxes"}, names(search(t, "delete box", tool.Room{Schemas: 50, Costs: costs})))
}

func TestNothingFoundSaysWhatThereIs(t *testing.T) {
	t.Parallel()
	r := search(t, "zzz", tool.Room{})
	require.Contains(t, r.Note, "shelf, tide")
	require.Contains(t, search(t, "box", tool.Room{}).Note, "from the next step on")
}
