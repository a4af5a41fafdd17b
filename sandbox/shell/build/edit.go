package main

import (
	"bytes"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// An edit replaces a text that occurs exactly once in a file. If it does not, the module differs from the edited
// version and the build fails.
type edit struct{ file, old, new string }

// A patch is the difference of a module's copy.
type patch struct {
	module  string
	folders []string
	// renamed maps files to new names, before the edits.
	renamed map[string]string
	edits   []edit
	// added are new files.
	added map[string]string
}

func patches() map[string]patch { return map[string]patch{"sh": shellPatch(), "goawk": awkPatch()} }

// apply copies a module without its tests and programs, and edits it.
func (p patch) apply(source, target string) error {
	if err := os.RemoveAll(target); err != nil {
		return err
	}
	for _, folder := range p.folders {
		if err := copied(filepath.Join(source, folder), filepath.Join(target, folder)); err != nil {
			return err
		}
	}
	files, err := filepath.Glob(filepath.Join(source, "LICENSE*"))
	if err != nil {
		return err
	}
	for _, file := range append(files, filepath.Join(source, "go.mod")) {
		if err := copiedFile(file, filepath.Join(target, filepath.Base(file))); err != nil {
			return err
		}
	}
	for from, to := range p.renamed {
		if err := os.Rename(filepath.Join(target, from), filepath.Join(target, to)); err != nil {
			return err
		}
	}
	for _, e := range p.edits {
		if err := e.apply(target); err != nil {
			return fmt.Errorf("%s: %w", p.module, err)
		}
	}
	for name, text := range p.added {
		if err := os.WriteFile(filepath.Join(target, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (e edit) apply(folder string) error {
	path := filepath.Join(folder, e.file)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if n := bytes.Count(text, []byte(e.old)); n != 1 {
		return fmt.Errorf("%s has %d places for the edit of %q instead of one: look at what has changed", e.file, n, e.old)
	}
	text, err = format.Source(bytes.Replace(text, []byte(e.old), []byte(e.new), 1))
	if err != nil {
		return fmt.Errorf("%s after the edit of %q: %w", e.file, e.old, err)
	}
	return os.WriteFile(path, text, 0o600) //nolint:gosec // the copy that this program made
}

func copied(source, target string) error {
	return filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(source, path)
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir() && entry.Name() == "testdata":
			return filepath.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(target, relative), 0o750)
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		return copiedFile(path, filepath.Join(target, relative))
	})
}

func copiedFile(source, target string) error {
	text, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	return os.WriteFile(target, text, 0o600) //nolint:gosec // the copy that this program makes
}
