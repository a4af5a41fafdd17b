package arch

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxColumns bounds the lines of SQL, TypeScript and JavaScript; golangci-lint's lll has the same bound for Go.
const maxColumns = 140

var (
	// pattern begins with a regular expression, which cannot be split.
	pattern = regexp.MustCompile(`^\s*(?:test: )?/[^/*]`)
	// sampled files are tests, where samples of texts read best in one piece.
	sampled = regexp.MustCompile(`\.test\.tsx?$|/testdata/`)
	// quoted lines have a string.
	quoted = regexp.MustCompile("[\"'`]")
)

// Lines finds lines with more than maxColumns columns in SQL, TypeScript and JavaScript. Exempt are lines with a regular
// expression and, in tests, lines with a string.
func Lines(root fs.FS, skip func(name string) bool) ([]Finding, error) {
	var found []Finding
	err := walk(root, func(file string) error {
		if !slices.Contains([]string{".sql", ".ts", ".tsx", ".js", ".mjs", ".cjs"}, path.Ext(file)) || skip(file) {
			return nil
		}
		text, err := fs.ReadFile(root, file)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(text), "\n") {
			columns := utf8.RuneCountInString(line)
			if columns <= maxColumns || pattern.MatchString(line) || sampled.MatchString(file) && quoted.MatchString(line) {
				continue
			}
			found = append(found, Finding{file, i + 1, fmt.Sprintf("%d columns", columns), fmt.Sprintf("at most %d", maxColumns)})
		}
		return nil
	})
	return found, err
}

// walk calls visit with each file of the repository's own source.
func walk(root fs.FS, visit func(file string) error) error {
	return fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() {
			return visit(file)
		}
		if slices.Contains([]string{"node_modules", "dist", ".git", ".cache", "bin"}, d.Name()) {
			return fs.SkipDir
		}
		return nil
	})
}
