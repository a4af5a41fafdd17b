package command

import (
	"io"
	"strconv"
)

func nl(i *Invocation) int {
	given, files := i.options("b:w:s:v:n:", nil, false)
	all, width, between, n := false, 6, "\t", 1
	for _, o := range given {
		switch o.name {
		case "b":
			if all = o.value == "a"; !all && o.value != "t" {
				return i.fail(2, "invalid body numbering style: '%s'", o.value)
			}
		case "w":
			width = i.count(o.value)
		case "s":
			between = o.value
		case "v":
			n = i.count(o.value)
		default:
			return i.fail(2, "the option -%s is not supported", o.name)
		}
	}
	return i.inputs(files, func(_ string, r io.Reader) {
		lines(r, func(line string) bool {
			if line == "" && !all {
				i.printf("%*s\n", width+len(between), "")
				return true
			}
			i.printf("%*s%s%s\n", width, strconv.Itoa(n), between, line)
			n++
			return true
		})
	})
}
