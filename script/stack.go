package script

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"countersign/script/typescript"
)

// frame matches a line of a stack that a script has written: "    at name (script.ts:1:2)" or "    at script.ts:1:2".
var frame = regexp.MustCompile(`^(\s+at (?:.+ \()?)(` + regexp.QuoteMeta(fileName) + `\.ts|countersign:prelude):(\d+):(\d+)(\)?)$`)

// relocate maps the stacks that the script has written to the author's source.
func (r *run) relocate() {
	r.Stdout, r.Stderr = r.inSource(r.Stdout), r.inSource(r.Stderr)
	for i := range r.Logs {
		r.Logs[i].Text = r.inSource(r.Logs[i].Text)
	}
}

func (r *run) inSource(text string) string { return inSource(r.places, r.name, text) }

// inSource drops frames outside the author's source, as the stacks of errors do.
func inSource(places *typescript.Positions, name, text string) string {
	if places == nil || !strings.Contains(text, "    at ") {
		return text
	}
	var out strings.Builder
	for line := range strings.SplitAfterSeq(text, "\n") {
		written := strings.TrimSuffix(line, "\n")
		m := frame.FindStringSubmatch(written)
		if m == nil {
			out.WriteString(line)
			continue
		}
		at, _ := strconv.Atoi(m[3])
		column, _ := strconv.Atoi(m[4])
		if at, column, ok := places.Author(at, column); ok && m[2] == name {
			fmt.Fprintf(&out, "%s%s:%d:%d%s%s", m[1], m[2], at, column, m[5], line[len(written):])
		}
	}
	return out.String()
}
