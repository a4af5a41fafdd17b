package typescript

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"github.com/microsoft/typescript-go/shim"

	"countersign/script/sdk"
)

// bundlerVersion is that of esbuild; a test compares it with go.mod.
const bundlerVersion = "0.28.2"

// toolCompiler is made once: the version of the tool's own code is a digest of what is put around each tool.
var toolCompiler = sync.OnceValue(func() string {
	h := sha256.New()
	for _, part := range []string{sdk.ToolEntry(), sdk.ToolModule().Source} {
		_, _ = h.Write([]byte(part))
	}
	return "typescript-go " + shim.Version() + " esbuild " + bundlerVersion + " tool " + hex.EncodeToString(h.Sum(nil))[:8]
})

// ToolCompiler identifies what CompileTool makes JavaScript with. What was compiled by another one has to be compiled anew.
func ToolCompiler() string { return toolCompiler() }
