package script

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"
)

// Limits of one test output for a model, in bytes and entries. An oversized tool result is cut at any place, so the
// important parts have to be short enough to survive.
const (
	briefLogs        = 2_000
	briefText        = 2_500
	briefResult      = 4_000
	briefDiagnostics = 20
)

// Brief shortens an output for a model: long texts lose their middle, and logs are kept only where they are short,
// since stdout and stderr repeat them. The warnings list the omissions.
func (o TestOutput) Brief() TestOutput {
	size := 0
	for _, l := range o.Logs {
		size += len(l.Text) + len(l.Level) + len(`{"level":"","text":""},`)
	}
	left := func(format string, args ...any) {
		o.Warnings = append(slices.Clip(o.Warnings), fmt.Sprintf(format, args...))
	}
	if size > briefLogs {
		o.Logs = []LogLine{}
		left("logs are left out: stdout and stderr have the same")
	}
	o.Stdout, o.Stderr = withoutMiddle(o.Stdout), withoutMiddle(o.Stderr)
	if n := len(o.Diagnostics); n > briefDiagnostics {
		o.Diagnostics = o.Diagnostics[:briefDiagnostics]
		left("diagnostics has the first %d of %d", briefDiagnostics, n)
	}
	if n := len(o.Result); n > briefResult {
		// Marshalling a string cannot fail.
		o.Result, _ = json.Marshal(beginning(string(o.Result), briefResult/2))
		left("result is the beginning of its JSON, as text: it has %d bytes", n)
	}
	return o
}

func withoutMiddle(text string) string {
	if len(text) <= briefText {
		return text
	}
	first := beginning(text, briefText/2)
	last := text[len(text)-briefText/2:]
	for len(last) > 0 && !utf8.RuneStart(last[0]) {
		last = last[1:]
	}
	return fmt.Sprintf("%s\n... %d bytes are left out here ...\n%s", first, len(text)-len(first)-len(last), last)
}

// beginning returns as many whole characters as fit into a number of bytes.
func beginning(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
