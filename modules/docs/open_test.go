package docs_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/docsindex"
	"countersign/modules/docs"
)

// What a search finds can be opened: its link names a page, and a section that the page says it has.
func TestWhatIsFoundCanBeOpened(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	m, err := docs.New()
	require.NoError(t, err)
	s.Mount(t, m)
	s.Person("Ada", "ai.chat.read")
	client := s.Caller("Ada").Client
	for _, query := range []string{"how long does a proposal wait", "grep -P", "quantum chromodynamics of proposals"} {
		var found docsindex.Results
		_, err := client.Get(t.Context(), "/api/docs/search?"+url.Values{"query": {query}}.Encode(), &found)
		require.NoError(t, err)
		require.NotEmpty(t, found.Hits)
		for _, hit := range found.Hits {
			require.True(t, strings.HasPrefix(hit.Link, "/docs/"), hit.Link)
			slug, anchor, _ := strings.Cut(strings.TrimPrefix(hit.Link, "/docs/"), "#")
			var page docsindex.Document
			_, err := client.Get(t.Context(), "/api/docs/page?"+url.Values{"slug": {slug}}.Encode(), &page)
			require.NoError(t, err)
			require.Equal(t, hit.Title, page.Title)
			if hit.Heading != "" {
				require.Contains(t, page.Headings, docsindex.Target{Level: level(page, anchor), Text: hit.Heading, Anchor: anchor})
			}
		}
	}
}

func level(page docsindex.Document, anchor string) int {
	for _, h := range page.Headings {
		if h.Anchor == anchor {
			return h.Level
		}
	}
	return 0
}
