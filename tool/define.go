package tool

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode"
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
func Define(texts fs.FS, name string, effect Effect, rules ...string) Definition {
	d := Definition{Name: name, Effect: effect, Rules: rules, texts: texts}
	content, err := fs.ReadFile(texts, d.textFile())
	d.Description = strings.TrimSpace(string(content))
	if err != nil {
		d.textError = fmt.Errorf("its text is missing: %w", err)
	}
	return d
}

// textFile returns the file name of the text: tool_probe_url.md for "ai.probeUrl".
func (d Definition) textFile() string {
	_, verb, _ := strings.Cut(d.Name, ".")
	var b strings.Builder
	b.WriteString("tool_")
	for _, r := range verb {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String() + ".md"
}

// unusedTexts reports texts that a module of these tools embeds and no tool uses.
func unusedTexts(tools []Tool) error {
	used := map[fs.FS][]string{}
	for _, t := range tools {
		if t.texts != nil {
			used[t.texts] = append(used[t.texts], t.textFile())
		}
	}
	for texts, files := range used {
		all, err := fs.Glob(texts, "*.md")
		if err != nil {
			return fmt.Errorf("list the texts of tools: %w", err)
		}
		for _, file := range all {
			if !slices.Contains(files, file) {
				return fmt.Errorf("no tool has the text %s, which lies beside %s", file, files[0])
			}
		}
	}
	return nil
}
