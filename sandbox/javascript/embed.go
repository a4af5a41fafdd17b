package javascript

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"io/fs"
	"strings"
)

// The build makes the engine in engine/dist, which git ignores: see engine/optimize.mjs.
//
//go:embed all:engine/dist
var built embed.FS

//go:embed engine/quickjs.sha256
var digest string

//go:embed prelude/*.js
var preludes embed.FS

// ErrNotBuilt reports that this binary was built without the engine.
var ErrNotBuilt = errors.New("javascript: the engine is not part of this binary: run `make build`, which puts it there")

// quickjs is the engine's module, checked against the digest that is part of the source.
func quickjs(files fs.ReadFileFS) ([]byte, error) {
	wasm, err := files.ReadFile("engine/dist/quickjs.wasm")
	if err != nil {
		return nil, ErrNotBuilt
	}
	sum := sha256.Sum256(wasm)
	if wanted, _, _ := strings.Cut(digest, " "); hex.EncodeToString(sum[:]) != wanted {
		return nil, errors.New("javascript: the engine in this binary is not the one that is pinned: run `make clean build`")
	}
	return wasm, nil
}

// prelude returns the source of one function over the host functions, which all files share. core comes first and main
// last.
func prelude() (string, error) {
	var b strings.Builder
	b.WriteString("(host) => {\n'use strict';\n")
	for _, name := range []string{"core", "encoding", "console", "timers", "events", "clone", "url", "search", "fetch", "main"} {
		source, err := preludes.ReadFile("prelude/" + name + ".js")
		if err != nil {
			return "", err
		}
		b.Write(source)
	}
	b.WriteString("}")
	return b.String(), nil
}
