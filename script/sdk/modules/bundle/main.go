// Command bundle writes the npm packages behind the modules of custom tools to vendor. Run it in the folder of the
// modules, after `npm ci`.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	for name, from := range map[string]string{"hashes.js": "@noble/hashes", "path.js": "path-browserify"} {
		if err := bundle(name, from); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func bundle(name, from string) error {
	license, err := os.ReadFile("node_modules/" + from + "/LICENSE")
	if err != nil {
		return fmt.Errorf("run npm ci first: %w", err)
	}
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{"bundle/" + name}, Bundle: true, Outfile: name, LogLevel: api.LogLevelSilent,
		Format: api.FormatESModule, Platform: api.PlatformNeutral, MainFields: []string{"module", "main"}, Target: api.ES2022,
		Charset: api.CharsetUTF8, LegalComments: api.LegalCommentsNone,
	})
	for _, m := range result.Errors {
		return fmt.Errorf("bundle %s: %s", name, m.Text)
	}
	// The sandbox has no process and no working directory.
	code := strings.ReplaceAll(string(result.OutputFiles[0].Contents), "process.cwd()", `"/"`)
	text := "// Parts of " + from + ", made by `go generate ./script/sdk`. Do not edit.\n/*\n" + strings.TrimSpace(
		string(license),
	) + "\n*/\n" + code
	return os.WriteFile("vendor/"+name, []byte(text), 0o644) //nolint:gosec // part of the source
}
