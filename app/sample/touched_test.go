package sample_test

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/audit"
)

const (
	// root is that of the repository.
	root = "../.."
	// areaTest holds the web area of the sample module.
	areaTest = "web/src/areas.apart.test.tsx"
)

// skipped are folders without sources.
var skipped = []string{".git", "node_modules", ".data", "bin", "dist"}

// naming returns the files of the repository whose text or path matches.
func naming(t *testing.T, words *regexp.Regexp) (files []string) {
	t.Helper()
	tree := os.DirFS(root)
	require.NoError(t, fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains(skipped, entry.Name()):
			return fs.SkipDir
		case !entry.Type().IsRegular(), !slices.Contains([]string{".go", ".sql", ".ts", ".tsx", ".md", ".yaml", ".yml", ".txt"}, path.Ext(name)):
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err == nil && (words.Match(text) || words.MatchString(name)) {
			files = append(files, name)
		}
		return err
	}))
	return files
}

// The sample module is its folder with its migration, and its web area. In a product it would be a line of the list of
// modules and one of web/src/areas.ts too, in whose place the tests add it.
func TestTheSampleModuleTouchesItsOwnFiles(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"app/sample/harbor_test.go", "app/sample/migration.sql", "app/sample/sample_test.go", "app/sample/touched_test.go",
		"app/sample/work_test.go", areaTest,
	}, naming(t, regexp.MustCompile(`(?i)harbor|SurveyBerth`)))
	area, err := os.ReadFile(path.Join(root, areaTest))
	require.NoError(t, err)
	for _, name := range []string{berths, berthType, berthRead, "harbor.makeBerth", "harbor.closeBerth"} {
		require.Contains(t, string(area), `"`+name+`"`, "the area is that of another module")
	}
}

// A module of the product names itself in the same places, and in those of testdata/share.txt: shared chats are a part of
// the chat, so the page of the chat offers them, and tests and documents that hold for all modules mention some.
func TestTheModuleOfSharesTouchesKnownFiles(t *testing.T) {
	t.Parallel()
	own := regexp.MustCompile(`^modules/share/|^app/sample/|^web/src/shared/|^docs/|/schema\.d\.ts$|^migrations/`)
	words := regexp.MustCompile(`modules/share\b|\bai_shares\b|/api/ai/shared|/shares\b|"/shared|api/shared"|\bsharedArea\b|ShareDialog`)
	files := slices.DeleteFunc(naming(t, words), own.MatchString)
	known, err := os.ReadFile("testdata/share.txt")
	require.NoError(t, err)
	require.Equal(t, string(bytes.TrimSpace(known)), strings.Join(files, "\n"), "files outside of its folders that name modules/share")
}

// areaPath is a route of an area of the web app, and parameter a parameter of one.
var (
	areaPath  = regexp.MustCompile(`path: "/?([^"]+)"`)
	parameter = regexp.MustCompile(`\$\w+`)
)

// requirePages requires that the pages of all types of objects are routes of the web app.
func requirePages(t *testing.T, types []audit.ObjectType) {
	t.Helper()
	areas, err := fs.Glob(os.DirFS(root), "web/src/*/area.ts")
	require.NoError(t, err)
	pages := map[string]bool{}
	for _, name := range append(areas, areaTest) {
		source, err := os.ReadFile(path.Join(root, name))
		require.NoError(t, err)
		for _, found := range areaPath.FindAllStringSubmatch(string(source), -1) {
			route := parameter.ReplaceAllString(found[1], "{id}")
			pages["/"+route], pages["/"+path.Base(path.Dir(name))+"/"+route] = true, true
		}
	}
	named := 0
	for _, kind := range types {
		if kind.Page != "" {
			named++
			require.True(t, pages[kind.Page], "%s: no area has the page %s", kind.Type, kind.Page)
		}
		require.NotEmpty(t, kind.Plural, kind.Type)
	}
	require.GreaterOrEqual(t, named, 8)
}
