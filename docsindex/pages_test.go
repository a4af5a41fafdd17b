package docsindex_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	relativeLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	headingLine  = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	notInAnchor  = regexp.MustCompile(`[^a-z0-9 _-]`)
)

func anchors(source string) []string {
	var list []string
	for _, m := range headingLine.FindAllStringSubmatch(source, -1) {
		list = append(list, strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return list
}

func TestNoPageLinksToNowhere(t *testing.T) {
	t.Parallel()
	pages := os.DirFS("../docs")
	eachPage(t, pages, func(name, source string) {
		for _, m := range relativeLink.FindAllStringSubmatch(source, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			target, anchor, _ := strings.Cut(m[1], "#")
			file := name
			if target != "" {
				file = path.Join(path.Dir(name), target)
			}
			linked, err := fs.ReadFile(pages, file)
			require.NoError(t, err, "%s links to %s", name, m[1])
			if anchor != "" {
				require.Contains(t, anchors(string(linked)), anchor, "%s links to %s", name, m[1])
			}
		}
	})
}

func TestEveryPageIsOfAReadableSize(t *testing.T) {
	t.Parallel()
	eachPage(t, os.DirFS("../docs"), func(name, source string) {
		lines := strings.Count(source, "\n")
		require.True(t, lines >= 30 && lines <= 150, "%s has %d lines", name, lines)
	})
	for _, page := range load(t).List("").Pages {
		document, err := load(t).Get(page.Slug)
		require.NoError(t, err)
		require.False(t, document.Truncated, page.Slug)
		require.LessOrEqual(t, len(page.Description), 160, page.Slug)
	}
}

func eachPage(t *testing.T, pages fs.FS, visit func(name, source string)) {
	t.Helper()
	require.NoError(t, fs.WalkDir(pages, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".md" || strings.HasPrefix(name, "decisions/") {
			return err
		}
		source, err := fs.ReadFile(pages, name)
		if err == nil {
			visit(name, string(source))
		}
		return err
	}))
}
