package command

import "io"

func cat(i *Invocation) int {
	given, files := i.options("nbsAevTEu", nil, false)
	number, blank, squeeze, ends := false, false, false, false
	for _, o := range given {
		switch o.name {
		case "n":
			number = true
		case "b":
			blank = true
		case "s":
			squeeze = true
		case "E", "e":
			ends = true
		case "u":
		default:
			return i.fail(2, "the option -%s is not supported", o.name)
		}
	}
	n, empty := 0, false
	return i.inputs(files, func(_ string, r io.Reader) {
		if !number && !blank && !squeeze && !ends {
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
			if ends {
				line += "$"
			}
			i.printf("%s\n", line)
			return true
		})
	})
}
