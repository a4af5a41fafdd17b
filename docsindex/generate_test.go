package docsindex_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"countersign/docsindex"
)

// pages makes a docs folder; a source without front matter gets one.
func pages(sources map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, source := range sources {
		if !strings.HasPrefix(source, "---\n") {
			source = "---\ntitle: About " + name + "\ndescription: A page.\n---\n\n" + source
		}
		fsys[name] = &fstest.MapFile{Data: []byte(source)}
	}
	return fsys
}

// generated are the pages of the index of sources, by slug.
func generated(t *testing.T, sources map[string]string) map[string]docsindex.Page {
	t.Helper()
	data, err := docsindex.Generate(pages(sources))
	require.NoError(t, err)
	var f struct{ Pages []docsindex.Page }
	require.NoError(t, json.Unmarshal(data, &f))
	bySlug := map[string]docsindex.Page{}
	for _, p := range f.Pages {
		bySlug[p.Slug] = p
	}
	return bySlug
}

func body(t *testing.T, source string) string {
	t.Helper()
	return generated(t, map[string]string{"a.md": source})["a"].Content
}

func TestPagesGetTheirSlugsFromTheirPaths(t *testing.T) {
	t.Parallel()
	got := generated(t, map[string]string{
		"index.md": "x", "guide.md": "x", "concepts/index.md": "x", "concepts/deep/page.md": "x",
		"decisions/001-why.md": "not documentation", "concepts/notes.txt": "not Markdown", "concepts/decisions/own.md": "x",
	})
	var slugs []string
	for slug := range got {
		slugs = append(slugs, slug)
	}
	require.ElementsMatch(t, []string{"index", "guide", "concepts", "concepts/deep/page", "concepts/decisions/own"}, slugs)
}

func TestTheSamePagesGiveTheSameBytes(t *testing.T) {
	t.Parallel()
	sources := map[string]string{"b.md": "# B", "a/z.md": "Z <&>", "a/b.md": "B", "c.md": "C"}
	first, err := docsindex.Generate(pages(sources))
	require.NoError(t, err)
	require.Contains(t, string(first), `"content": "Z <&>\n"`, "readable in a review")
	for range 5 {
		again, err := docsindex.Generate(pages(sources))
		require.NoError(t, err)
		require.Equal(t, string(first), string(again))
	}
}

func TestFrontMatterIsReadStrictly(t *testing.T) {
	t.Parallel()
	for source, want := range map[string][2]string{
		"---\ntitle: Plain words\ndescription: More: with a colon\n---\nx":            {"Plain words", "More: with a colon"},
		"---\r\ntitle: \"Quoted\"\r\n\r\nsidebar: 3\r\ndescription: 'One'\r\n---\r\n": {"Quoted", "One"},
		"\ufeff---\ntitle: T\ndescription: D\n---":                                    {"T", "D"},
	} {
		got, err := docsindex.Generate(fstest.MapFS{"a.md": {Data: []byte(source)}})
		require.NoError(t, err, source)
		var f struct{ Pages []docsindex.Page }
		require.NoError(t, json.Unmarshal(got, &f))
		require.Equal(t, want, [2]string{f.Pages[0].Title, f.Pages[0].Description})
	}
	for _, source := range []string{
		"", "# No front matter", "---\ntitle: T\ndescription: D\n", "---\ntitle: T\n---\n", "---\ndescription: D\n---\n",
		"---\ntitle: T\ntitle: U\ndescription: D\n---\n", "---\n- a list\n---\n", "---\ntitle: [T]\ndescription: D\n---\n",
		"---\ntitle: |\n  block\ndescription: D\n---\n", "---\ntitle: \"a\\tb\"\ndescription: D\n---\n",
		"---\ntitle: \"open\ndescription: D\n---\n", "---\n title: T\ndescription: D\n---\n", "---\ntitle: \ndescription: D\n---\n",
		"---\ntitle: T\ndescription: D\n---\n\x00", "---\ntitle: T\ndescription: D\n---\n\xff",
	} {
		_, err := docsindex.Generate(fstest.MapFS{"folder/a.md": {Data: []byte(source)}})
		require.ErrorContains(t, err, "folder/a.md", source)
	}
}

func TestComponentTagsAreStrippedAndCodeIsKept(t *testing.T) {
	t.Parallel()
	require.Equal(
		t,
		"Text.\n\nInside.\n\nAfter.\n",
		body(
			t,
			"import { Aside } from '@astrojs/starlight/components';\nexport const x = 1;\n\nText.\n\n<Aside type=\"tip\">\nInside.\n</Aside>\n\n<!-- a comment -->\n\nAfter.<br/>\n",
		),
	)
	kept := "```go\nimport \"fmt\"\nvar x List<int>\n```\n\nUse `<id>` and `export const`, see <https://example.com/>, a < b and c > d.\n\n    <indented/>\n"
	require.Equal(t, kept, body(t, kept))
}

func TestLinksToPagesLeadToThemInTheApp(t *testing.T) {
	t.Parallel()
	got := generated(
		t,
		map[string]string{
			"how-to/a.md": "[one](b.md) [two](../concepts/c.md#part) [three](../index.md) [web](https://example.com/x.md) [folder](../concepts/index.md) [here](#part) [why](../decisions/001-x.md) `[code](b.md)`",
		},
	)
	require.Equal(
		t,
		"[one](/docs/how-to/b) [two](/docs/concepts/c#part) [three](/docs/index) [web](https://example.com/x.md) [folder](/docs/concepts) [here](/docs/how-to/a#part) why `[code](b.md)`\n",
		got["how-to/a"].Content,
	)
}

func TestHeadingsOfLevelTwoAndThreeAreListedWithTheirPlaces(t *testing.T) {
	t.Parallel()
	page := generated(t, map[string]string{"a.md": "# Title\n\nIntro.\n\n## First `code` and [a link](b.md)\n\n```sh\n## no heading\n```\n\n### Second\n\n#### Fourth\n\nSetext\n------\n\n> ## Quoted\n\n## \n"})["a"]
	var texts []string
	for _, h := range page.Headings {
		texts = append(texts, h.Text)
		require.True(t, h.Offset == 0 || page.Content[h.Offset-1] == '\n', "a section begins at a line")
		require.Contains(t, page.Content[h.Offset:min(len(page.Content), h.Offset+40)], h.Text[:4])
	}
	require.Equal(t, []string{"First code and a link", "Second", "Setext", "Quoted"}, texts)
	require.Equal(t, 3, page.Headings[1].Level)
}

func TestALongPageIsCutAtALine(t *testing.T) {
	t.Parallel()
	page := generated(t, map[string]string{"a.md": strings.Repeat("A line of forty characters, more or less.\n", 1000)})["a"]
	require.True(t, page.Truncated)
	require.LessOrEqual(t, len(page.Content), 16<<10)
	require.Greater(t, len(page.Content), 16<<10-50)
	require.True(t, strings.HasSuffix(page.Content, "less.\n"))

	unbroken := generated(t, map[string]string{"a.md": strings.Repeat("ü", 20_000)})["a"]
	require.True(t, unbroken.Truncated)
	require.True(t, utf8.ValidString(unbroken.Content))
}

func TestACheckNamesThePagesThatDiffer(t *testing.T) {
	t.Parallel()
	before := map[string]string{"same.md": "x", "changed.md": "x", "removed.md": "x"}
	committed, err := docsindex.Generate(pages(before))
	require.NoError(t, err)
	require.NoError(t, docsindex.Check(pages(before), committed))

	err = docsindex.Check(pages(map[string]string{"same.md": "x", "changed.md": "y", "added.md": "x"}), committed)
	require.ErrorContains(t, err, "(added, changed, removed)")
	require.ErrorContains(t, err, "countersign docs-index")
	require.ErrorContains(t, docsindex.Check(pages(before), append(committed, '\n')), "its format")
	require.Error(t, docsindex.Check(pages(before), []byte("{")))
}

func TestAnIndexThatIsNotOursIsRefused(t *testing.T) {
	t.Parallel()
	for _, data := range []string{
		"", "null", "{}", `{"version":2,"pages":[]}`, `{"version":1,"pages":[{"slug":""}]}`,
		`{"version":1,"pages":[{"slug":"a"},{"slug":"a"}]}`, `{"version":1,"pages":[{"slug":"a","headings":[{"offset":1}]}]}`,
	} {
		_, err := docsindex.Parse([]byte(data))
		require.Error(t, err, data)
	}
}

// FuzzPage feeds any bytes as a page: it is refused, or it becomes an index that can be parsed and searched.
func FuzzPage(f *testing.F) {
	for _, seed := range []string{
		"---\ntitle: T\ndescription: D\n---\n# H\n\n## A `b`\n\ntext <X y=\"1\">in</X> [l](../p.md#x)\n", "---\ntitle: 'T'\ndescription: D\n---\n```\n## x\n",
		"---\ntitle: T\ndescription: D\n---\n<!-- ", "---\n---\n", "---\ntitle: T\ndescription: D\n---\n\tcode\n\n- - - a\n\nA\n===\nB\n---\n", "---\ntitle: T\ndescription: D\n---\n| a | b |\n|---|---|\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		fsys := fstest.MapFS{"dir/page.md": {Data: source}}
		data, err := docsindex.Generate(fsys)
		if err != nil {
			return
		}
		require.NoError(t, docsindex.Check(fsys, data))
		ix, err := docsindex.Parse(data)
		require.NoError(t, err)
		page, err := ix.Get("dir/page")
		require.NoError(t, err)
		require.NotEmpty(t, page.Title)
		require.True(t, utf8.ValidString(page.Content))
		for _, hit := range ix.Search(page.Title+" "+page.Content, 3).Hits {
			require.True(t, utf8.ValidString(hit.Snippet))
			require.LessOrEqual(t, utf8.RuneCountInString(hit.Snippet), 502)
		}
	})
}
