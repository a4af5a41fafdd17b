package sandbox

import (
	"regexp"
	"strconv"
	"strings"
)

// maxFrames bounds a stack.
const maxFrames = 50

// position matches a line of a stack: "at name (file:line:column)" or "at file:line:column".
var position = regexp.MustCompile(`^\s*at (?:(.*?) \()?(.+?):(\d+):(\d+)\)?$`)

// Frames parses the stack of an error, without the frames of native functions and those of the file without.
func Frames(stack, without string) []Frame {
	var found []Frame
	for line := range strings.Lines(stack) {
		m := position.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil || m[2] == without {
			continue
		}
		number, err1 := strconv.Atoi(m[3])
		column, err2 := strconv.Atoi(m[4])
		if err1 != nil || err2 != nil {
			continue
		}
		found = append(found, Frame{Function: strings.Trim(m[1], "<>"), File: m[2], Line: number, Column: column})
		if len(found) == maxFrames {
			break
		}
	}
	return found
}
