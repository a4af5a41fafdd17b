package postgres

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// OldestMajor is the oldest PostgreSQL that the product supports.
const OldestMajor = 15

// Binaries is a folder with the PostgreSQL server programs of one version.
type Binaries struct {
	Dir   string
	Major int
}

func (b Binaries) program(name string) string { return filepath.Join(b.Dir, name) }

// Search configures where Find looks for PostgreSQL.
type Search struct {
	// Path is a list of folders as in the environment variable PATH.
	Path string
	// Globs are patterns of folders that packages install to.
	Globs []string
}

// DefaultSearch covers PATH (also through pg_config) and the install locations of Debian, Red Hat, Homebrew and
// Postgres.app.
func DefaultSearch() Search {
	return Search{
		Path: os.Getenv("PATH"),
		Globs: []string{
			"/usr/lib/postgresql/*/bin",
			"/usr/pgsql-*/bin",
			"/opt/homebrew/opt/postgresql@*/bin",
			"/opt/homebrew/bin",
			"/usr/local/opt/postgresql@*/bin",
			"/usr/local/pgsql/bin",
			"/Applications/Postgres.app/Contents/Versions/*/bin",
		},
	}
}

// Find returns every usable version, newest first.
func (s Search) Find(ctx context.Context) []Binaries {
	var dirs []string
	for _, dir := range filepath.SplitList(s.Path) {
		dirs = append(dirs, dir)
		out, err := exec.CommandContext(ctx, filepath.Join(dir, "pg_config"), "--bindir").Output()
		if err == nil {
			dirs = append(dirs, strings.TrimSpace(string(out)))
		}
	}
	for _, glob := range s.Globs {
		matches, err := filepath.Glob(glob)
		if err == nil {
			dirs = append(dirs, matches...)
		}
	}

	var found []Binaries
	seen := map[string]bool{}
	for _, dir := range dirs {
		if seen[dir] || !filepath.IsAbs(dir) {
			continue
		}
		seen[dir] = true
		if binaries, err := inspect(ctx, dir); err == nil && binaries.Major >= OldestMajor {
			found = append(found, binaries)
		}
	}
	slices.SortStableFunc(found, func(a, b Binaries) int { return b.Major - a.Major })
	return found
}

// inspect reads the version of the server programs in dir.
func inspect(ctx context.Context, dir string) (Binaries, error) {
	if _, err := os.Stat(filepath.Join(dir, "initdb")); err != nil {
		return Binaries{}, err
	}
	out, err := exec.CommandContext(ctx, filepath.Join(dir, "postgres"), "--version").Output()
	if err != nil {
		return Binaries{}, err
	}
	major, err := parseMajor(string(out))
	if err != nil {
		return Binaries{}, err
	}
	return Binaries{Dir: dir, Major: major}, nil
}

var versionPattern = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// parseMajor parses the output of `postgres --version`, such as "postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)"
// or "... 18beta1".
func parseMajor(answer string) (int, error) {
	match := versionPattern.FindStringSubmatch(answer)
	if match == nil {
		return 0, fmt.Errorf("no PostgreSQL version in %q", answer)
	}
	return strconv.Atoi(match[1])
}

// choose returns the newest version, or the one for an existing cluster of the given major version; 0 means no cluster.
// It returns false when none fits.
func choose(found []Binaries, existing int) (Binaries, bool) {
	for _, binaries := range found {
		if existing == 0 || binaries.Major == existing {
			return binaries, true
		}
	}
	return Binaries{}, false
}
