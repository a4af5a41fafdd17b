// Command build makes the WebAssembly module of the shell: the guest of this folder's neighbor, compiled for wasip1
// against edited copies of mvdan.cc/sh and goawk, with its mutable globals exported, with fuel, compressed.
//
// It runs in sandbox/shell: go run ./build [-work folder] [-o file] [-sources].
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"countersign/sandbox/fuel"
)

func main() {
	work := flag.String("work", "../../.cache/shell", "folder for what is made on the way")
	out := flag.String("o", "embed/shell.wasm.gz", "file to write")
	sources := flag.Bool("sources", false, "only make the edited modules, for linters")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := build(ctx, *work, *out, *sources); err != nil {
		fmt.Fprintln(os.Stderr, "build the shell:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to clean up
	}
}

func build(ctx context.Context, work, out string, sources bool) error {
	work, err := filepath.Abs(work)
	if err != nil {
		return err
	}
	for name, p := range patches() {
		source, err := download(ctx, p.module)
		if err != nil {
			return err
		}
		if err := p.apply(source, filepath.Join(work, name)); err != nil {
			return err
		}
	}
	modfile, err := replaced(work)
	if err != nil || sources {
		return err
	}
	wasm := filepath.Join(work, "shell.wasm")
	// c-shared makes a reactor: the host calls the exported functions, as often as it wants, in one instance.
	cmd := exec.CommandContext(ctx, "go", "build", //nolint:gosec // the file that was just written
		"-modfile", modfile, "-buildmode=c-shared", "-buildvcs=false", "-trimpath",
		"-ldflags=-s -w", "-o", wasm, ".")
	cmd.Dir = "guest"
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=-mod=mod", "GOWORK=off")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("compile: %w", err)
	}
	code, err := os.ReadFile(wasm)
	if err != nil {
		return err
	}
	code, err = exportGlobals(code)
	if err != nil {
		return fmt.Errorf("export the globals: %w", err)
	}
	if code, err = fuel.Instrument(code, fuel.Options{}); err != nil {
		return err
	}
	return compressed(out, code)
}

// download fetches the module and returns its folder in the module cache, which nobody may write to.
func download(ctx context.Context, module string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-mod=mod", "-m", "-json", module) //nolint:gosec // one of patches
	cmd.Dir = "guest"
	cmd.Env = append(os.Environ(), "GOWORK=off")
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("find %s: %w", module, err)
	}
	var listed struct {
		Version string `json:"Version"`
		Dir     string `json:"Dir"`
	}
	if err := json.Unmarshal(text, &listed); err != nil {
		return "", err
	}
	if listed.Dir != "" {
		return listed.Dir, nil
	}
	cmd = exec.CommandContext(ctx, "go", "mod", "download", "-json", module+"@"+listed.Version) //nolint:gosec // what go says
	cmd.Dir = "guest"
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if text, err = cmd.Output(); err != nil {
		return "", fmt.Errorf("download %s: %w", module, err)
	}
	return listed.Dir, json.Unmarshal(text, &listed)
}

// replaced writes a copy of the guest's go.mod and go.sum that takes the modules from the folders in work.
func replaced(work string) (string, error) {
	text, err := os.ReadFile("guest/go.mod")
	if err != nil {
		return "", err
	}
	guest, err := filepath.Abs("guest")
	if err != nil {
		return "", err
	}
	// The module names the folders that it is made of, so they are named in a way that is the same in every checkout.
	fromGuest, err := filepath.Rel(guest, work)
	if err != nil {
		return "", err
	}
	var replaces, ofWorkspace []byte
	for name, p := range patches() {
		replaces = fmt.Appendf(replaces, "\nreplace %s => %s\n", p.module, filepath.Join(fromGuest, name))
		ofWorkspace = fmt.Appendf(ofWorkspace, "\nreplace %s => ./%s\n", p.module, name)
	}
	// A linter knows workspaces but no other go.mod.
	workspace := fmt.Appendf(nil, "go 1.26.8\n\nuse %s\n%s", guest, ofWorkspace)
	if err := os.WriteFile(filepath.Join(work, "go.work"), workspace, 0o600); err != nil {
		return "", err
	}
	text = append(text, replaces...)
	modfile := filepath.Join(work, "go.mod")
	if err := os.WriteFile(modfile, text, 0o600); err != nil { //nolint:gosec // the folder is an argument of this program
		return "", err
	}
	sums, err := os.ReadFile("guest/go.sum")
	if err != nil {
		return "", err
	}
	return modfile, os.WriteFile(strings.TrimSuffix(modfile, ".mod")+".sum", sums, 0o600) //nolint:gosec // as above
}

func compressed(path string, code []byte) error {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(code); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	partly := path + ".tmp"
	if err := os.WriteFile(partly, b.Bytes(), 0o600); err != nil {
		return err
	}
	return os.Rename(partly, path)
}
