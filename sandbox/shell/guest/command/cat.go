package command

import (
	"io"
	"strings"
)

func cat(i *Invocation) int {
	given, files := i.options("nbsAevtTEu", map[string]string{
		"number": "n", "number-nonblank": "b", "squeeze-blank": "s", "show-all": "A", "show-ends": "E", "show-tabs": "T",
		"show-nonprinting": "v",
	}, false)
	number, blank, squeeze, ends, tabs, control := false, false, false, false, false, false
	for _, o := range given {
		switch o.name {
		case "n":
			number = true
		case "b":
			blank = true
		case "s":
			squeeze = true
		case "E":
			ends = true
		case "T":
			tabs = true
		case "v":
			control = true
		case "e":
			ends, control = true, true
		case "t":
			tabs, control = true, true
		case "A":
			ends, tabs, control = true, true, true
		}
	}
	n, empty := 0, false
	return i.inputs(files, func(_ string, r io.Reader) {
		if !number && !blank && !squeeze && !ends && !tabs && !control {
			_, _ = io.Copy(i.Out, r)
			return
		}
		lines(r, func(line string) bool {
			if squeeze && empty && line == "" {
				return true
			}
			empty = line == ""
			if blank && line != "" || number && !blank {
				n++
				i.printf("%6d\t", n)
			}
			line = visible(line, tabs, control)
			if ends {
				line += "$"
			}
			i.printf("%s\n", line)
			return true
		})
	})
}

// visible spells tabs, and control characters and bytes beyond ASCII, as cat does.
func visible(line string, tabs, control bool) string {
	if !tabs && !control {
		return line
	}
	var b strings.Builder
	for k := range len(line) {
		c := line[k]
		switch {
		case c == '\t' && !tabs, c != '\t' && !control:
			b.WriteByte(c)
			continue
		case c >= 0x80:
			b.WriteString("M-")
			c &= 0x7f
		}
		switch {
		case c < ' ':
			b.WriteByte('^')
			b.WriteByte(c + '@')
		case c == 0x7f:
			b.WriteString("^?")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
