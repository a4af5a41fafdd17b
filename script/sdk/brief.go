package sdk

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"regexp"
	"strings"
)

// BriefSize is how many bytes of JSON a brief description has at the most. A model with the smallest window is shown
// 4,000 characters of a tool's result.
const BriefSize = 3_700

var (
	//go:embed globals.txt
	globalsInBrief string
	//go:embed tool.txt
	toolGlobalsInBrief string
)

var documentation = regexp.MustCompile(`(?m)^[ \t]*/\*\*(?s:.*?)\*/[ \t]*\n`)

// Brief is a description that is short enough for a model: of the globals, which models know from the web, it says only
// which there are and how they differ, and the comments of declarations that are too long all the same are left out.
// Types and their members are never.
func (d Description) Brief() Description {
	if d.Language != TypeScript {
		return d
	}
	begin, _, _ := strings.Cut(globals, "\n")
	if module, _, found := strings.Cut(d.Declarations, begin); found {
		d.Declarations = module + globalsInBrief
		if d.Context == CustomTool {
			d.Declarations = module + toolGlobalsInBrief
		}
	}
	if d.size() > BriefSize {
		d.Declarations = documentation.ReplaceAllString(d.Declarations, "")
	}
	return d
}

// size is how many bytes the description has where <, > and & are not escaped.
func (d Description) size() int {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(d) // into memory, and texts always have a JSON form
	return b.Len()
}
