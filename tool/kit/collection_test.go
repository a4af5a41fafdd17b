package kit_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

type shelf struct {
	ID     uuid.UUID `json:"id"`
	Name   string    `json:"name"`
	Colour string    `json:"colour"`
}

var (
	shelves = kit.Collection[shelf]{
		Kind: access.Kind{Noun: "shelf", Plural: "shelves", Read: "shelf.shelf.read", Manage: "shelf.shelf.manage"}, Path: "/api/shelves",
	}
	anID2 = uuid.MustParse("0199aa00-0000-7000-8000-000000000002")
)

func serving(answers map[string]string) tool.Caller {
	return tool.Caller{Client: client(func(w http.ResponseWriter, r *http.Request) {
		answer, ok := answers[r.URL.RequestURI()]
		if !ok {
			body, _ := json.Marshal(problem.Errorf(problem.NotFound, "No shelf has this id."))
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write(body)
			return
		}
		w.Header().Set("ETag", `"5"`)
		_, _ = io.WriteString(w, answer)
	})}
}

func TestARecordIsLoadedWithItsNameAndRevision(t *testing.T) {
	t.Parallel()
	c := serving(map[string]string{shelves.At(anID2): `{"id":"` + anID2.String() + `","name":"Top","colour":"red","access":"viewer"}`})
	live, err := shelves.Load(t.Context(), c, anID2, "shelfId")
	require.NoError(t, err)
	require.Equal(t, kit.Live[shelf]{ID: anID2, Record: shelf{anID2, "Top", "red"}, Kind: shelves.Kind, Name: "Top", Revision: `"5"`}, live)

	_, err = shelves.Load(t.Context(), c, uuid.New(), "shelfId")
	require.Equal(
		t,
		[]problem.Issue{{Path: "shelfId", Message: "No shelf has this id."}},
		problem.As(err).Issues,
		"it is the input that is wrong",
	)
	require.True(t, problem.Is(err, problem.Invalid))
}

func TestWhatTheCallerMayNotChangeIsRefusedBeforeItIsProposed(t *testing.T) {
	t.Parallel()
	c := serving(map[string]string{shelves.At(anID2): `{"name":"Top","access":"editor"}`})
	_, err := shelves.LoadForChange(t.Context(), c, anID2, "id", access.Edit)
	require.NoError(t, err)
	_, err = shelves.LoadForChange(t.Context(), c, anID2, "id", access.Own)
	require.Equal(t, shelves.Kind.Refusal("Top", access.Own), err)
	_, err = shelves.LoadForChange(t.Context(), c, uuid.New(), "id", access.Own)
	require.True(t, problem.Is(err, problem.Invalid), "%v", err)
}

func TestWhatIsGoneOrNotTheCallersDoesNotRemain(t *testing.T) {
	t.Parallel()
	c := serving(map[string]string{shelves.At(anID2): `{"name":"Top","access":"editor"}`})
	live, ok, err := kit.Remaining(shelves.LoadForChange(t.Context(), c, anID2, "id", access.Edit))
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "Top", live.Name)
	_, ok, err = kit.Remaining(shelves.LoadForChange(t.Context(), c, anID2, "id", access.Own))
	require.NoError(t, err)
	require.False(t, ok, "it is not theirs")
	_, ok, err = kit.Remaining(shelves.Load(t.Context(), c, uuid.New(), "id"))
	require.NoError(t, err)
	require.False(t, ok, "it is gone")
	failure := problem.Errorf(problem.Unavailable, "Try again in a second.")
	_, ok, err = kit.Remaining(kit.Live[shelf]{}, failure)
	require.ErrorIs(t, err, failure)
	require.False(t, ok, "nobody knows")
}

func TestANameIsFreeUnlessAnotherRecordHasIt(t *testing.T) {
	t.Parallel()
	c := serving(map[string]string{
		shelves.Path + "?limit=1&name=Top+%26+left": `{"shelves":[{"id":"` + anID2.String() + `","name":"top & Left"}]}`,
		shelves.Path + "?limit=1&name=Bottom":       `{"shelves":[]}`,
	})
	var issues problem.Issues
	require.NoError(t, shelves.CheckNameIsFree(t.Context(), c, &issues, "Top & left", anID2))
	require.NoError(t, shelves.CheckNameIsFree(t.Context(), c, &issues, "Bottom", uuid.Nil))
	require.NoError(t, issues.Err())
	require.NoError(t, shelves.CheckNameIsFree(t.Context(), c, &issues, "Top & left", uuid.Nil))
	require.Equal(t, []problem.Issue{{Path: "name", Message: "is taken: a shelf named top & Left exists already (id " + anID2.String() + ")"}},
		problem.As(issues.Err()).Issues)
	require.Error(t, shelves.CheckNameIsFree(t.Context(), c, &issues, "unheard of", uuid.Nil))
}

func TestAPageSaysWhetherThereAreMore(t *testing.T) {
	t.Parallel()
	c := serving(map[string]string{
		"/api/shelves?limit=1": `{"shelves":[{"name":"Top"}],"nextCursor":"x"}`,
		"/api/shelves":         `{"shelves":[{"name":"Top"},{"name":"Bottom"}]}`,
		"/api/drawers":         `{"drawers":[]}`,
	})
	some, more, err := kit.Page[shelf](t.Context(), c, "/api/shelves", "shelves", url.Values{"limit": {"1"}})
	require.NoError(t, err)
	require.Len(t, some, 1)
	require.True(t, more)
	all, more, err := kit.Page[shelf](t.Context(), c, "/api/shelves", "shelves", nil)
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.False(t, more)
	_, _, err = kit.Page[shelf](t.Context(), c, "/api/drawers", "shelves", nil)
	require.Error(t, err, "a page without the list is a failure of the host")
}

func TestARecordIsFoundOnALaterPage(t *testing.T) {
	t.Parallel()
	c := serving(map[string]string{
		"/api/shelves?limit=100":          `{"shelves":[{"name":"Top"}],"nextCursor":"x"}`,
		"/api/shelves?cursor=x&limit=100": `{"shelves":[{"name":"Bottom","colour":"red"},{"name":"Bottom","colour":"blue"}]}`,
	})
	named := func(name string) func(shelf) bool { return func(s shelf) bool { return s.Name == name } }
	found, err := kit.Find(t.Context(), c, "/api/shelves", "shelves", named("Bottom"))
	require.NoError(t, err)
	require.Equal(t, &shelf{Name: "Bottom", Colour: "red"}, found, "the first that fits")
	found, err = kit.Find(t.Context(), c, "/api/shelves", "shelves", named("Middle"))
	require.NoError(t, err)
	require.Nil(t, found)
	_, err = kit.Find(t.Context(), c, "/api/drawers", "shelves", named("Top"))
	require.Error(t, err)
}

func TestAListThatDoesNotEndIsNotLookedThroughForever(t *testing.T) {
	t.Parallel()
	c := serving(map[string]string{
		"/api/shelves?limit=100":          `{"shelves":[{"name":"Top"}],"nextCursor":"x"}`,
		"/api/shelves?cursor=x&limit=100": `{"shelves":[{"name":"Top"}],"nextCursor":"x"}`,
	})
	found, err := kit.Find(t.Context(), c, "/api/shelves", "shelves", func(shelf) bool { return false })
	require.NoError(t, err)
	require.Nil(t, found)
}

func TestPathsBelowARecord(t *testing.T) {
	t.Parallel()
	require.Equal(t, "/api/shelves/"+anID2.String()+"/boxes/1", shelves.At(anID2, "boxes", "1"))
}
