package command

import "strings"

func comm(i *Invocation) int {
	given, files := i.options("123", map[string]string{"check-order": "o", "nocheck-order": "o", "output-delimiter=": "d"}, false)
	hidden := map[string]bool{}
	for _, o := range given {
		hidden[o.name] = true
	}
	if len(files) != 2 {
		return i.fail(1, "give two files")
	}
	a, b := splitLines(i.input(files[0])), splitLines(i.input(files[1]))
	show := func(column, line string) {
		if hidden[column] {
			return
		}
		indent := 0
		for _, c := range "12" {
			if string(c) < column && !hidden[string(c)] {
				indent++
			}
		}
		i.printf("%s%s\n", strings.Repeat("\t", indent), line)
	}
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			show("1", a[0])
			a = a[1:]
		case len(a) == 0 || b[0] < a[0]:
			show("2", b[0])
			b = b[1:]
		default:
			show("3", a[0])
			a, b = a[1:], b[1:]
		}
	}
	return 0
}
