package sdk

import (
	"embed"
	"encoding/json"
	"strings"
)

// ToolInput is the input of the module of a compiled custom tool.
type ToolInput struct {
	// Args are the arguments, any JSON that the tool's schema allows.
	Args any `json:"args"`
	// Secrets are the placeholders of the secrets that the tool may refer to, by name.
	Secrets map[string]string `json:"secrets"`
	// Action is the name of the action, "default" for one that a model calls. Without one the module is only loaded:
	// the names of its actions are the result.
	Action string `json:"action"`
}

// MarshalJSON writes absent secrets as an empty object.
func (i ToolInput) MarshalJSON() ([]byte, error) {
	type plain ToolInput
	i.Secrets = present(i.Secrets)
	return json.Marshal(plain(i))
}

// Modules of Node.js, as far as they can be had without a machine. vendor holds what is made of packages of npm.
//
//go:generate sh -c "cd modules && npm ci --silent && go run ./bundle"
//go:embed modules/*.js modules/vendor/*.js
var toolModules embed.FS

// toolFiles maps modules to their files.
func toolFiles() map[string]string {
	return map[string]string{
		"assert": "assert", "assert/strict": "assert", "crypto": "crypto", "events": "events", "path": "path", "path/posix": "path",
		"querystring": "querystring", "url": "url", "util": "util", "util/types": "types",
	}
}

// ToolImports are the modules that a custom tool can import besides types, by name. Each also has a name with the
// prefix node:.
func ToolImports() []string {
	return []string{"assert", "crypto", "events", "path", "querystring", "url", "util"}
}

// ToolImport returns the file of a module that a custom tool imports, by either name. ToolSource reads it.
func ToolImport(name string) (file string, ok bool) {
	if file, ok = toolFiles()[strings.TrimPrefix(name, "node:")]; ok {
		return file + ".js", true
	}
	return "", false
}

// ToolInternal returns the file of a module that only other modules import.
func ToolInternal(name string) (file string, ok bool) {
	if vendored, found := strings.CutPrefix(name, "vendor:"); found {
		return "vendor/" + vendored + ".js", true
	}
	if own, found := strings.CutPrefix(name, "internal:"); found {
		return own + ".js", true
	}
	return "", false
}

// ToolFiles returns all files of the modules, in a fixed order.
func ToolFiles() []string {
	var files []string
	for _, folder := range []string{"", "vendor/"} {
		entries, err := toolModules.ReadDir(strings.TrimSuffix("modules/"+folder, "/"))
		if err != nil {
			panic(err) // the files are part of the binary
		}
		for _, e := range entries {
			if !e.IsDir() {
				files = append(files, folder+e.Name())
			}
		}
	}
	return files
}

// ToolSource returns the JavaScript of a file of ToolImport or ToolInternal.
func ToolSource(file string) (string, error) {
	source, err := toolModules.ReadFile("modules/" + file)
	return string(source), err
}
