package script

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"
)

// What a model reads of one test, in bytes and entries. A result of a tool that is too large is cut wherever it happens to
// be, so what matters most has to be short enough to stay.
const (
	briefLogs        = 2_000
	briefText        = 2_500
	briefResult      = 4_000
	briefDiagnostics = 20
)

// Brief is an output that is short enough for a model: long texts without their middle, and logs only where they are short,
// since stdout and stderr have the same. The warnings say what is left out.
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
		// A text always has a JSON form.
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

// beginning is as much of a text as fits into a number of bytes, in whole characters.
func beginning(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
