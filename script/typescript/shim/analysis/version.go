package analysis

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"sync"
)

//go:embed *.go
var sources embed.FS

// Version identifies the analysis: the stored results of another version may be incomplete.
func Version() string { return version() }

var version = sync.OnceValue(func() string {
	h := sha256.New()
	files, err := sources.ReadDir(".")
	if err != nil {
		panic(err) // the files are part of the binary
	}
	for _, file := range files {
		source, err := sources.ReadFile(file.Name())
		if err != nil {
			panic(err)
		}
		_, _ = h.Write(source)
	}
	return hex.EncodeToString(h.Sum(nil))[:8]
})
