package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A point that somebody adds to or takes from the product must be added to or taken from the list.
func TestTheListHasThePointsOfTheProduct(t *testing.T) {
	t.Parallel()
	call := regexp.MustCompile(`crash\.Point\("([^"]+)"`)
	var inSource []string
	require.NoError(t, filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && slices.Contains([]string{"node_modules", "crash", "test", ".git", "dev"}, entry.Name()) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		for _, found := range call.FindAllStringSubmatch(string(source), -1) {
			inSource = append(inSource, found[1])
		}
		return err
	}))
	var listed []string
	for _, p := range points() {
		listed = append(listed, p.name)
	}
	slices.Sort(inSource)
	slices.Sort(listed)
	// One step can stand in two places, as a decision does that comes by another way.
	require.Equal(t, slices.Compact(inSource), listed)
}

func TestEveryPointCanBeReached(t *testing.T) {
	t.Parallel()
	var known []string
	for _, s := range scenarios() {
		known = append(known, s.name)
	}
	for _, p := range points() {
		require.NotEmpty(t, p.kinds, p.name)
		require.NotEmpty(t, p.scenarios, p.name)
		require.Subset(t, known, p.scenarios, p.name)
		if p.after != "" {
			require.True(t, slices.ContainsFunc(points(), func(other point) bool { return other.name == p.after }), p.name)
		}
	}
}
