package sdk

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"regexp"
	"strings"
)

// BriefSize bounds a brief description, in bytes of JSON. A model with the smallest window gets 4,000 characters of a
// tool's result.
const BriefSize = 3_700

var (
	//go:embed globals.txt
	globalsInBrief string
	//go:embed tool.txt
	toolGlobalsInBrief string
)

var documentation = regexp.MustCompile(`(?m)^[ \t]*/\*\*(?s:.*?)\*/[ \t]*\n`)

// Brief shortens a description for a model: it only lists the globals and their deviations, which models know from the
// web, and drops the comments of declarations that are still too long. It never drops types and their members.
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

// size returns the number of bytes without escapes of <, > and &.
func (d Description) size() int {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(d) // marshalling strings into memory cannot fail
	return b.Len()
}
