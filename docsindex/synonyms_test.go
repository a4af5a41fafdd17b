package docsindex_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/docsindex"
)

// People who ask in other words find what the pages say in theirs, and a word of the page itself counts more.
func TestOtherWordsForAThingFindIt(t *testing.T) {
	t.Parallel()
	ix := indexOf(t, map[string]string{
		"second.md":  titled("Two people", "A change that needs a second person.", "Another person decides."),
		"sign-in.md": titled("Sign in", "How people sign in.", "With a password."),
		"else.md":    titled("Else", "Nothing of the sort.", "Nothing."),
	})
	for query, slug := range map[string]string{
		"four eyes":        "second",
		"four-eyes":        "second",
		"how do I log in?": "sign-in",
		"LOGIN":            "sign-in",
	} {
		found := ix.Search(query, 0)
		require.NotEmpty(t, found.Hits, query)
		require.Equal(t, slug, found.Hits[0].Slug, query)
		require.NotContains(t, found.Note, "does not cover", query)
	}
	ix = indexOf(t, map[string]string{
		"a.md": titled(
			"One",
			"X.",
			"The employee writes.",
		),
		"b.md": titled("Two", "X.", "The person writes."),
		"c.md": titled("Three", "X.", "Nothing."),
	})
	require.Equal(t, []string{"a", "b"}, slugs(ix.Search("employee", 0).Hits))
}

// A word that neither the pages nor the synonyms know is named as such, and one that a synonym leads to is not.
func TestAWordThatOnlyASynonymKnowsIsNotUnknown(t *testing.T) {
	t.Parallel()
	ix := indexOf(t, map[string]string{"a.md": titled("Sign in", "How people sign in.", "With a password."), "b.md": "x"})
	note := ix.Search("logging in with a walrus and a narwhal", 0).Note
	require.Contains(t, note, "No page holds: walrus, narwhal.")
}

// A query with the field's word finds the page with the product's term for it, and the reverse.
func TestGlossaryTermsAreSynonymsInBothDirections(t *testing.T) {
	t.Parallel()
	ix := indexOf(t, map[string]string{
		"glossary.md": titled("Glossary", "Terms.", "- **Zorb** (also: ownership epoch, owner number): a number.\n- **Step**: a call."),
		"a.md":        titled("One", "X.", "Each zorb is raised by its new owner."),
		"b.md":        titled("Two", "X.", "An ownership epoch grows."),
		"c.md":        titled("Three", "X.", "Nothing."),
	})
	for _, query := range []string{"ownership epoch", "owner number", "zorb"} {
		require.Contains(t, slugs(ix.Search(query, 0).Hits), "a", query)
	}
	require.Contains(t, slugs(ix.Search("zorb", 0).Hits), "b")
}

// The built-in index holds the synonyms of the product's glossary.
func TestTheBuiltInIndexKnowsTheGlossary(t *testing.T) {
	t.Parallel()
	ix, err := docsindex.Load()
	require.NoError(t, err)
	require.NotContains(t, ix.Search("poison message", 0).Note, "does not cover")
}
