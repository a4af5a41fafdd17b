package kit

import (
	"fmt"
	"io/fs"
	"strings"
	"unicode"

	"countersign/tool"
)

// Define is the definition of a tool whose text lies among the embedded texts of its module: that of
// "catalog.updateGroup" is tool_update_group.md. White space around a text is no part of it. Rarely needed
// members are set on the result.
//
//	//go:embed tool_*.md
//	var texts embed.FS
//
// texts is comparable, as an embed.FS is. A registry refuses a tool whose text is missing, and texts of a module that no
// tool has.
func Define(texts fs.FS, name string, effect tool.Effect, rules ...string) tool.Definition {
	d := tool.Definition{Name: name, Effect: effect, Rules: rules, Text: tool.Text{Files: texts, Name: textFile(name)}}
	content, err := fs.ReadFile(texts, d.Text.Name)
	d.Description = strings.TrimSpace(string(content))
	if err != nil {
		d.Text.Missing = fmt.Errorf("its text is missing: %w", err)
	}
	return d
}

// textFile returns the file name of the text: tool_probe_url.md for "ai.probeUrl".
func textFile(name string) string {
	_, verb, _ := strings.Cut(name, ".")
	var b strings.Builder
	b.WriteString("tool_")
	for _, r := range verb {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	if verb == "test" {
		// Go takes a file that ends in _test for a test.
		b.WriteString("_tool")
	}
	return b.String() + ".md"
}
