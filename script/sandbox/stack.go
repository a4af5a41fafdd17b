package sandbox

import (
	"regexp"
	"strconv"
	"strings"
)

// mostFrames bounds a stack.
const mostFrames = 50

// place matches a line of a stack: "at name (file:line:column)" or "at file:line:column".
var place = regexp.MustCompile(`^\s*at (?:(.*?) \()?(.+?):(\d+):(\d+)\)?$`)

// Frames reads the stack of an error, without the frames of native functions and those of the file without.
func Frames(stack, without string) []Frame {
	var found []Frame
	for line := range strings.Lines(stack) {
		m := place.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil || m[2] == without {
			continue
		}
		number, err1 := strconv.Atoi(m[3])
		column, err2 := strconv.Atoi(m[4])
		if err1 != nil || err2 != nil {
			continue
		}
		found = append(found, Frame{Function: strings.Trim(m[1], "<>"), File: m[2], Line: number, Column: column})
		if len(found) == mostFrames {
			break
		}
	}
	return found
}
