package typescript

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"github.com/microsoft/typescript-go/shim"
	"github.com/microsoft/typescript-go/shim/analysis"

	"countersign/script/sdk"
)

// bundlerVersion is that of esbuild; a test compares it with go.mod.
const bundlerVersion = "0.28.2"

// toolCompiler is computed once. It has the digest of the code around each tool and of the importable modules.
var toolCompiler = sync.OnceValue(func() string {
	h := sha256.New()
	_, _ = h.Write([]byte(sdk.ToolEntry()))
	for _, file := range sdk.ToolFiles() {
		source, err := sdk.ToolSource(file)
		if err != nil {
			panic(err) // the files are part of the binary
		}
		_, _ = h.Write([]byte(source))
	}
	return "typescript-go " + shim.Version() + " esbuild " + bundlerVersion + " analysis " + analysis.Version() +
		" tool " + hex.EncodeToString(h.Sum(nil))[:8]
})

// ToolCompiler identifies the compiler behind CompileTool's JavaScript and capabilities. Results of another compiler
// have to be recompiled.
func ToolCompiler() string { return toolCompiler() }
