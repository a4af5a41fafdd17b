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

// An edit replaces a text that occurs exactly once in a file. Where it does not, the module is another one than the edit
// was made for, and somebody has to look.
type edit struct{ file, old, new string }

// What mvdan.cc/sh needs for wasip1. It has no pipes, no named pipes, no files and no signals of a system there, so the
// pipes are those that the module uses for js, and the rest goes through the functions of added.
func edits() []edit {
	return []edit{
		{"interp/stdin_nopipe.go", "//go:build js\n", "//go:build js || wasip1\n"},
		{"interp/stdin_os.go", "//go:build !js\n", "//go:build !js && !wasip1\n"},
		{"interp/api.go", `if runtime.GOOS == "js" {`, `if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {`},
		// What looks for a command in PATH asks the file system of the guest.
		{"interp/handler.go", "	info, err := os.Stat(file)\n", "	info, err := Files.Stat(file)\n"},
		// Process substitution.
		{"interp/os_notunix.go", "	return fmt.Errorf(\"unsupported\")\n", "	return Files.Mkfifo(path)\n"},
		{
			"interp/runner.go", "f, err := os.OpenFile(path, os.O_WRONLY, 0)\n					if",
			"f, err := Files.Open(path, os.O_WRONLY)\n					if",
		},
		{
			"interp/runner.go", "f, err := os.OpenFile(path, os.O_RDONLY, 0)\n					if",
			"f, err := Files.Open(path, os.O_RDONLY)\n					if",
		},
		{"interp/runner.go", "r2.stdin = f\n", "r2.stdin = jsReader{f}\n"},
		{"interp/runner.go", "return os.OpenFile(path, flags, mode)", "return Files.Open(path, flags)"},
		// A builtin that writes into a pipe that nobody reads ends its shell, as SIGPIPE would, and a loop lets others run.
		{
			"interp/runner.go", "	io.WriteString(r.stdout, s)\n",
			"	_, err := io.WriteString(r.stdout, s)\n	r.piped(err)\n",
		},
		{
			"interp/runner.go", "	fmt.Fprintf(r.stdout, format, a...)\n",
			"	_, err := fmt.Fprintf(r.stdout, format, a...)\n	r.piped(err)\n",
		},
		{
			"interp/runner.go", "func (r *Runner) stop(ctx context.Context) bool {\n",
			"func (r *Runner) stop(ctx context.Context) bool {\n	Files.Yield()\n	if r.brokenPipe {\n" +
				"		r.exit.code, r.exit.exiting = 141, true\n		return true\n	}\n",
		},
		{"interp/api.go", "	stdin  stdinFile // e.g. the read end of a pipe\n", "	stdin  stdinFile // e.g. the read end of a pipe\n	brokenPipe bool\n"},
		// A generator that Go seeds by itself would go on alike in each copy of the prepared guest.
		{"interp/vars.go", "n = mathrand.IntN(randomMax)", "n = Files.IntN(randomMax)"},
		{"interp/vars.go", `vr.Str = "gosh"`, `vr.Str = "sh"`},
	}
}

const added = `package interp

import (
	"errors"
	"io"
	"io/fs"
)

// System is what the interpreter would ask the operating system for outside of its handlers.
type System interface {
	Stat(path string) (fs.FileInfo, error)
	Open(path string, flag int) (io.ReadWriteCloser, error)
	Mkfifo(path string) error
	Yield()
	IntN(n int) int
}

// Files is the System of the whole process.
var Files System

func (r *Runner) piped(err error) {
	if errors.Is(err, io.ErrClosedPipe) {
		r.brokenPipe = true
	}
}
`

// edited makes a copy of a module without its tests and programs, and edits it.
func edited(source, target string) error {
	if err := os.RemoveAll(target); err != nil {
		return err
	}
	for _, folder := range []string{"expand", "fileutil", "internal", "interp", "pattern", "syntax"} {
		if err := copied(filepath.Join(source, folder), filepath.Join(target, folder)); err != nil {
			return err
		}
	}
	for _, name := range []string{"go.mod", "go.sum", "LICENSE"} {
		if err := copiedFile(filepath.Join(source, name), filepath.Join(target, name)); err != nil {
			return err
		}
	}
	// The ending _js of a file's name limits it to that system, whatever its build constraint says.
	if err := os.Rename(filepath.Join(target, "interp/stdin_js.go"), filepath.Join(target, "interp/stdin_nopipe.go")); err != nil {
		return err
	}
	for _, e := range edits() {
		if err := e.apply(target); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(target, "interp/system.go"), []byte(added), 0o600)
}

func (e edit) apply(folder string) error {
	path := filepath.Join(folder, e.file)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if n := bytes.Count(text, []byte(e.old)); n != 1 {
		return fmt.Errorf("%s of %s has %d places for the edit of %q instead of one: look at what has changed", e.file, shellModule, n, e.old)
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
