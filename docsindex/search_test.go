package docsindex_test

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"countersign/docsindex"
	"countersign/internal/problem"
)

func indexOf(t *testing.T, sources map[string]string) *docsindex.Index {
	t.Helper()
	data, err := docsindex.Generate(pages(sources))
	require.NoError(t, err)
	ix, err := docsindex.Parse(data)
	require.NoError(t, err)
	return ix
}

func titled(title, description, body string) string {
	return "---\ntitle: " + title + "\ndescription: " + description + "\n---\n\n" + body
}

func slugs(hits []docsindex.Hit) []string {
	names := []string{}
	for _, h := range hits {
		names = append(names, h.Slug)
	}
	return names
}

func TestATitleOutweighsAHeadingADescriptionAndTheBody(t *testing.T) {
	t.Parallel()
	ix := indexOf(t, map[string]string{
		"in-body.md":        titled("One", "Plain words.", "## Heading\n\nwalrus"),
		"in-heading.md":     titled("Two", "Plain words.", "## walrus\n\nx"),
		"in-description.md": titled("Three", "The walrus.", "## Heading\n\nx"),
		"in-title.md":       titled("The walrus", "Plain words.", "## Heading\n\nx"),
	})
	require.Equal(t, []string{"in-title", "in-heading", "in-description", "in-body"}, slugs(ix.Search("walrus", 10).Hits))
}

func TestARareWordOutweighsACommonOne(t *testing.T) {
	t.Parallel()
	ix := indexOf(t, map[string]string{
		"a.md": "system system system", "b.md": "the system and the narwhal", "c.md": "system", "d.md": "system",
	})
	require.Equal(t, "b", ix.Search("narwhal system", 1).Hits[0].Slug)
}

func TestALongPageHasNoAdvantage(t *testing.T) {
	t.Parallel()
	ix := indexOf(t, map[string]string{
		"long.md": "walrus walrus " + strings.Repeat("filler words go on and on here ", 400), "short.md": "walrus walrus and little else",
	})
	require.Equal(t, []string{"short", "long"}, slugs(ix.Search("walrus", 10).Hits))
}

func TestEqualPagesAreOrderedBySlug(t *testing.T) {
	t.Parallel()
	same := titled("Walrus", "The same.", "The same walrus.")
	ix := indexOf(t, map[string]string{"c/x.md": same, "a/x.md": same, "b/x.md": same})
	require.Equal(t, []string{"a/x", "b/x", "c/x"}, slugs(ix.Search("walrus", 10).Hits))
}

func TestASearchIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("index.json")
	require.NoError(t, err)
	ix := load(t)
	for range 3 {
		another, err := docsindex.Parse(raw)
		require.NoError(t, err)
		require.Equal(
			t,
			ix.Search("how do proposals and permission modes work", 10),
			another.Search("how do proposals and permission modes work", 10),
		)
	}
}

func TestFormsOfAWordMeet(t *testing.T) {
	t.Parallel()
	for word, other := range map[string]string{
		"systems": "system", "proposals": "propose", "proposed": "proposing", "approval": "approve", "deleted": "delete", "deleting": "deletes",
		"created": "creating", "policies": "policy", "stopped": "stop", "Stopping": "STOPS", "addresses": "address", "calls": "calling",
		"probeUrl": "probe url", "catalog.createSystem": "create system", "boxes": "box", "statuses": "status", "removal": "removed",
	} {
		ix := indexOf(t, map[string]string{"a.md": "about " + word, "b.md": "else"})
		require.Equal(t, []string{"a"}, slugs(ix.Search(other, 5).Hits), "%s finds %s", other, word)
	}
	ix := indexOf(t, map[string]string{"a.md": "This is a class process: a bus passes.", "b.md": "else"})
	for _, other := range []string{"clas", "proces", "bu"} {
		require.Empty(t, ix.Search(other, 5).Hits, other)
	}
}

func TestLimitsOfASearchAreKept(t *testing.T) {
	t.Parallel()
	sources := map[string]string{}
	for name := range strings.SplitSeq("abcdefghijklmno", "") {
		sources[name+".md"] = "walrus"
	}
	ix := indexOf(t, sources)
	for limit, want := range map[int]int{-1: 5, 0: 5, 1: 1, 10: 10, 11: 10, 1000: 10} {
		require.Len(t, ix.Search("walrus", limit).Hits, want, "limit %d", limit)
	}
	require.NotEmpty(t, ix.Search("walrus "+strings.Repeat("é", 100_000), 1).Hits, "a query that is too long is cut")
}

func TestASnippetShowsTheBestPlaceAndItsHeading(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("Nothing to see in this sentence. ", 60)
	ix := indexOf(
		t,
		map[string]string{
			"a.md": "A walrus at the beginning.\n\n" + filler + "\n\n## Where they live\n\n" + filler + "\n\nThe walrus and the narwhal live in the Arctic.\n\n## After\n\n" + filler,
		},
	)
	hit := ix.Search("narwhal walrus", 1).Hits[0]
	require.Equal(t, "Where they live", hit.Heading)
	require.Contains(t, hit.Snippet, "The walrus and the narwhal live in the Arctic.")
	require.True(t, strings.HasPrefix(hit.Snippet, "…") && strings.HasSuffix(hit.Snippet, "…"))
	length := utf8.RuneCountInString(hit.Snippet)
	require.True(t, length > 400 && length <= 502, "about 500 characters: %d", length)

	short := indexOf(t, map[string]string{"a.md": "Just the walrus."}).Search("walrus", 1).Hits[0]
	require.Equal(t, "Just the walrus.", short.Snippet)
	require.Empty(t, short.Heading)
}

func TestAMatchInTheTitleAloneShowsTheBeginning(t *testing.T) {
	t.Parallel()
	hit := indexOf(t, map[string]string{"a.md": titled("Walrus", "D.", "The beginning.\n\n## Part\n\nMore.")}).Search("walrus", 1).Hits[0]
	require.True(t, strings.HasPrefix(hit.Snippet, "The beginning."))
	require.Empty(t, hit.Heading)
}

func TestTheNoteTellsWhatTheHitsAreWorth(t *testing.T) {
	t.Parallel()
	ix := indexOf(t, map[string]string{
		"a.md": titled(
			"Walrus care",
			"How to feed a walrus.",
			"Feed it clams.",
		),
		"b.md": titled("Seals", "About seals.", "Also clams."),
		"c.md": "x",
		"d.md": "y",
	})
	require.Contains(t, ix.Search("how do I feed a walrus", 0).Note, "ai_getDoc")
	require.Contains(t, ix.Search("seal", 0).Note, "ai_getDoc")

	weak := ix.Search("walrus insurance premiums", 0)
	require.NotEmpty(t, weak.Hits)
	require.Contains(t, weak.Note, "1 of the 3 informative words")
	require.Contains(t, weak.Note, "No page holds: insurance, premiums.")
	require.Contains(t, weak.Note, "does not cover it")

	none := ix.Search("kubernetes", 0)
	require.Empty(t, none.Hits)
	require.NotNil(t, none.Hits, "an empty list on the wire, not null")
	require.Contains(t, none.Note, "does not cover it")
	for _, query := range []string{"", "how do I", "???", "a"} {
		require.Contains(t, ix.Search(query, 0).Note, "no informative word", query)
	}
}

// A long page that holds each word somewhere, far apart, is no answer.
func TestScatteredWordsAreNoCoverage(t *testing.T) {
	t.Parallel()
	ix := indexOf(t, map[string]string{
		"a.md": "## One\n\nwalrus\n\n## Two\n\ninsurance\n\n## Three\n\npremiums", "b.md": "x", "c.md": "y",
	})
	require.Contains(t, ix.Search("walrus insurance premiums", 0).Note, "does not cover it")
}

func TestTheSitemapListsSections(t *testing.T) {
	t.Parallel()
	ix := indexOf(
		t,
		map[string]string{"index.md": "x", "concepts/a.md": "x", "concepts/b.md": "x", "conceptsandmore/c.md": "x", "how-to/d.md": "x"},
	)
	all := ix.List("")
	require.Len(t, all.Pages, 5)
	require.Equal(t, []string{"concepts", "conceptsandmore", "how-to"}, all.Sections)
	require.Contains(t, all.Note, "does not cover")
	for _, section := range []string{"concepts", "/concepts/", " concepts "} {
		part := ix.List(section)
		require.Len(t, part.Pages, 2, section)
		require.Equal(t, "concepts/a", part.Pages[0].Slug)
		require.NotEmpty(t, part.Pages[0].Title)
		require.NotEmpty(t, part.Pages[0].Description)
	}
	unknown := ix.List("guides")
	require.Empty(t, unknown.Pages)
	require.NotNil(t, unknown.Pages)
	require.Contains(t, unknown.Note, `no section "guides"`)
	require.Contains(t, unknown.Note, "concepts, conceptsandmore, how-to")
}

func TestAPageIsReadByItsSlug(t *testing.T) {
	t.Parallel()
	ix := indexOf(t, map[string]string{"concepts/a.md": titled("A", "About A.", "Body.")})
	want := docsindex.Document{Slug: "concepts/a", Title: "A", Description: "About A.", Content: "Body.\n", Headings: []docsindex.Target{}}
	for _, slug := range []string{"concepts/a", "/concepts/a/", "docs/concepts/a.md", "/docs/concepts/a", "concepts/a#part", " concepts/a "} {
		got, err := ix.Get(slug)
		require.NoError(t, err, slug)
		require.Equal(t, want, got)
	}
}

func TestAnUnknownSlugNamesTheClosestPages(t *testing.T) {
	t.Parallel()
	ix := load(t)
	for slug, want := range map[string]string{
		"user-guide/permission-mode":  "concepts/permission-modes",
		"concepts/proposal-approval":  "concepts/proposals-and-approval",
		"probing-urls":                "how-to/probe-a-url",
		"add-system":                  "how-to/add-a-system",
		"reference/error-codes":       "reference/errors",
		"operations/backups":          "operations/backup-and-restore",
		"troubelshooting":             "operations/troubleshooting",
		"catalogue/enviroments":       "catalog/environments",
		"concepts/streams-and-resume": "concepts/streaming-and-resume",
	} {
		_, err := ix.Get(slug)
		require.Equal(t, problem.NotFound, problem.CodeOf(err), slug)
		shown := problem.As(err)
		closest, ok := shown.Extra["closest"].([]string)
		require.True(t, ok)
		require.Len(t, closest, 3)
		require.Equal(t, want, closest[0], slug)
		require.Contains(t, shown.Detail, want)
		require.Contains(t, shown.Detail, "ai_listDocs")
	}
	_, err := ix.Get("../../etc/passwd" + strings.Repeat("\x00x", 5000))
	require.Less(t, len(problem.As(err).Detail), 1000, "a hostile slug is not repeated in full")
}

func FuzzSearch(f *testing.F) {
	for _, seed := range []string{"how do I add a system", "ai.probeUrl", "", "İstanbul ẞ ﬁ", "\xff\xfe", strings.Repeat("a ", 400), "createSystemÀB", "ies s es ing ed al"} {
		f.Add(seed, 3)
	}
	ix, err := docsindex.Load()
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, query string, limit int) {
		found := ix.Search(query, limit)
		require.LessOrEqual(t, len(found.Hits), docsindex.MaxLimit)
		require.NotEmpty(t, found.Note)
		require.True(t, utf8.ValidString(found.Note))
		for i, hit := range found.Hits {
			require.Positive(t, hit.Score)
			require.True(t, i == 0 || found.Hits[i-1].Score >= hit.Score)
			require.True(t, utf8.ValidString(hit.Snippet))
		}
		if _, err := ix.Get(query); err != nil {
			require.Equal(t, problem.NotFound, problem.CodeOf(err))
		}
		require.NotNil(t, ix.List(query).Pages)
	})
}
