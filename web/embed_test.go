package web_test

import (
	"io/fs"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/web"
)

var scriptTag = regexp.MustCompile(`<script\b[^>]*>`)

func TestThePageWorksUnderAPolicyThatForbidsInlineScripts(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"index.html", "sign-in.html"} {
		page, err := fs.ReadFile(web.Dist(), name)
		if err != nil {
			t.Skip("the web application has not been built; run npm run build in web/")
		}
		scripts := scriptTag.FindAllString(string(page), -1)
		require.NotEmpty(t, scripts)
		for _, script := range scripts {
			require.Regexp(t, `\bsrc="/[^/]`, script, "every script is a file of this server")
		}
		require.NotRegexp(t, `\bon[a-z]+=|\bstyle=|https?://`, string(page))
	}
}

// partsTag names the files of pages, which only who is signed in opens.
var partsTag = regexp.MustCompile(`\s*<!--[^>]*-->\s*<meta name="parts"[^>]*>`)

func TestTheDocumentsDifferInNothingButTheirScripts(t *testing.T) {
	t.Parallel()
	rest := func(name string) string {
		page, err := os.ReadFile(name)
		require.NoError(t, err)
		return scriptTag.ReplaceAllString(partsTag.ReplaceAllString(string(page), ""), "")
	}
	require.Equal(t, rest("index.html"), rest("sign-in.html"))
}

func TestTheFolderIsEmbeddedBeforeTheFirstBuild(t *testing.T) {
	t.Parallel()
	_, err := fs.Stat(web.Dist(), ".gitkeep")
	require.NoError(t, err)
}
