package arch_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/test/arch"
)

const root = "../.."

// The table in ARCHITECTURE.md is read from the top down, as imports go.
func TestTheArchitectureListsTheRoomsInTheirOrder(t *testing.T) {
	t.Parallel()
	rooms := slices.DeleteFunc(arch.Rooms(), func(room string) bool {
		_, err := os.Stat(filepath.Join(root, room))
		return err != nil
	})
	var listed []string
	_, table, found := strings.Cut(read(t, "ARCHITECTURE.md"), "\n## Rooms\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n## ")
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\|").FindAllStringSubmatch(table, -1) {
		listed = append(listed, row[1])
	}
	require.Equal(t, rooms, listed)
}

// A reader finds every package of a room in its row; generated ones belong to those beside them.
func TestTheArchitectureNamesEveryPackage(t *testing.T) {
	t.Parallel()
	tree, err := arch.Load(os.DirFS(root))
	require.NoError(t, err)
	rows := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\|(.*)$").FindAllStringSubmatch(read(t, "ARCHITECTURE.md"), -1) {
		rows[row[1]] = row[2]
	}
	for _, p := range tree.Packages {
		room, rest, _ := strings.Cut(p.Dir, "/")
		if room == "internal" {
			var folder string
			folder, rest, _ = strings.Cut(rest, "/")
			room += "/" + folder
		}
		name, _, _ := strings.Cut(rest, "/")
		if name == "" || name == "internal" || strings.HasSuffix(name, "db") {
			continue
		}
		const message = "%s lies in %s, whose row in ARCHITECTURE.md does not name it"
		require.Regexpf(t, `\b`+regexp.QuoteMeta(name)+`\b`, rows[room], message, p.Dir, room)
	}
}

// A path in backquotes is one that a reader opens.
func TestTheGuidesNameFilesThatExist(t *testing.T) {
	t.Parallel()
	path := regexp.MustCompile("[`(]((?:[a-z_0-9-]+/)+[a-z_0-9.-]*)[`)]")
	for _, guide := range []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"} {
		for _, match := range path.FindAllStringSubmatch(read(t, guide), -1) {
			_, err := os.Stat(filepath.Join(root, match[1]))
			require.NoError(t, err, "%s names %s", guide, match[1])
		}
	}
}

func TestDecisionsAreNumberedWithoutGapsAndIndexed(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(root, "docs/decisions/[0-9]*.md"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	index := read(t, "docs/decisions/README.md")
	for i, file := range files {
		name := filepath.Base(file)
		text := read(t, "docs/decisions/"+name)
		title, _, _ := strings.Cut(text, "\n")
		require.Truef(t, strings.HasPrefix(name, fmt.Sprintf("%03d-", i+1)), "%s: decisions have the numbers 001, 002, and so on", name)
		require.Truef(t, strings.HasPrefix(title, fmt.Sprintf("# %03d ", i+1)), "%s begins with its number and a title", name)
		require.Containsf(t, index, fmt.Sprintf("| [%03d](%s) | %s |", i+1, name, title[len("# 001 "):]), "%s is in the index by its title", name)
		for _, part := range []string{"\nKeywords: ", "\n**Context.**", "\n**Decision.**"} {
			require.Containsf(t, text, part, "%s has this part", name)
		}
	}
	require.Len(t, files, strings.Count(index, "\n| ["), "the index has nothing else")
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	require.NoError(t, err)
	return string(text)
}

// A reader takes in so many names at a glance. bin is built.
func TestTheRootHasFewFolders(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir("../..")
	require.NoError(t, err)
	var folders []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && e.Name() != "bin" {
			folders = append(folders, e.Name())
		}
	}
	require.LessOrEqual(t, len(folders), 24, "leaf rooms belong under internal: %v", folders)
}
