package arch_test

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The clocks of processes stay out of what is decided. What is kept, and what one process says and another reads, is
// decided about by the clock of the database: in SQL, or by store.DB.Now. A process may look at its own clock to measure how long
// something takes in itself, and for what it tells people; testdata/clocks.txt lists each file that does, and why.

// top is the folder of the repository.
const top = "../.."

// sorts are what a clock of a process may be used for.
var sorts = map[string]string{
	"measures": "how long something takes or waits in this process, which its monotonic clock tells",
	"tells":    "what people or a model read, and nothing is decided by",
	"outside":  "what others say of a time: certificates, addresses, their answers",
	"server":   "of the database or Temporal, whose difference is measured or which stands in for it",
	"demo":     "what is made up",
}

// use is a line of the list: how many looks there are in a file, or in all files of a folder where the number is left out.
type use struct {
	looks int
	sort  string
}

func listed(t *testing.T) (files, folders map[string]use) {
	t.Helper()
	files, folders = map[string]use{}, map[string]use{}
	f, err := os.Open("testdata/clocks.txt")
	require.NoError(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		require.GreaterOrEqual(t, len(words), 3, "%q: it takes a path, a number or *, a sort, and may say more", line)
		require.Contains(t, sorts, words[2], line)
		if words[1] == "*" {
			require.True(t, strings.HasSuffix(words[0], "/"), "%q: only of a folder the number is left out", line)
			folders[words[0]] = use{sort: words[2]}
			continue
		}
		n, err := strconv.Atoi(words[1])
		require.NoError(t, err, line)
		require.NotContains(t, files, words[0])
		files[words[0]] = use{n, words[2]}
	}
	require.NoError(t, lines.Err())
	return files, folders
}

// product are the files of the product: neither tests, nor what only tests and developers use.
func product(t *testing.T) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(top, path)
		name = filepath.ToSlash(name)
		if d.IsDir() &&
			(slices.Contains([]string{"test", "dev", "web", "docs", "bin"}, name) || d.Name() == "node_modules" || d.Name() == "testdata" ||
				strings.HasPrefix(d.Name(), ".") && name != ".") {
			return fs.SkipDir
		}
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			list = append(list, name)
		}
		return nil
	})
	require.NoError(t, err)
	return list
}

// looks are the lines at which a file looks at the clock of its process.
func looks(t *testing.T, path string, source any) []int {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.SkipObjectResolution)
	require.NoError(t, err)
	name := ""
	for _, i := range file.Imports {
		if i.Path.Value == `"time"` {
			name = "time"
			if i.Name != nil {
				name = i.Name.Name
			}
		}
	}
	var lines []int
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := s.X.(*ast.Ident); ok && name != "" && x.Name == name && slices.Contains([]string{"Now", "Since", "Until"}, s.Sel.Name) {
			lines = append(lines, set.Position(s.Pos()).Line)
		}
		return true
	})
	return lines
}

func TestNoClockOfAProcessDecides(t *testing.T) {
	t.Parallel()
	files, folders := listed(t)
	unseen := maps.Clone(files)
	var wrong []string
	for _, path := range product(t) {
		at := looks(t, filepath.Join(top, path), nil)
		delete(unseen, path)
		if len(at) == files[path].looks || inFolder(path, folders) && files[path] == (use{}) {
			continue
		}
		wrong = append(
			wrong,
			fmt.Sprintf(
				"%s looks at the clock of its process %d times, in the lines %v, and %d times by the list",
				path,
				len(at),
				at,
				files[path].looks,
			),
		)
	}
	for path := range unseen {
		wrong = append(wrong, path+" is on the list and does not exist")
	}
	require.Empty(
		t,
		wrong,
		"What is kept, or read by another process, is decided about by the clock of the database: in SQL, or by store.DB.Now. "+
			"A use that only measures or tells is a line of test/arch/testdata/clocks.txt.",
	)
}

func inFolder(path string, folders map[string]use) bool {
	for folder := range folders {
		if strings.HasPrefix(path, folder) {
			return true
		}
	}
	return false
}

func TestALookAtTheClockIsFound(t *testing.T) {
	t.Parallel()
	const source = `package p
import clock "time"
func f(at clock.Time) { _ = clock.Now(); _ = clock.Since(at)
	now := clock.Now
	_ = now
	clock.Sleep(1) }`
	require.Equal(t, []int{3, 3, 4}, looks(t, "p.go", source))
}
