package command

import (
	"io"
	"strings"
)

func fold(i *Invocation) int {
	given, files := i.options("w:sb", map[string]string{"width": "w", "spaces": "s", "bytes": "b"}, false)
	width, spaces := 80, false
	for _, o := range given {
		switch o.name {
		case "w":
			width = max(i.count(o.value), 1)
		case "s":
			spaces = true
		}
	}
	return i.inputs(files, func(_ string, r io.Reader) {
		lines(r, func(line string) bool {
			runes := []rune(line)
			for len(runes) > width {
				cut := width
				if spaces {
					if at := strings.LastIndexByte(string(runes[:width]), ' '); at > 0 {
						cut = len([]rune(string(runes[:width])[:at])) + 1
					}
				}
				i.printf("%s\n", string(runes[:cut]))
				runes = runes[cut:]
			}
			i.printf("%s\n", string(runes))
			return true
		})
	})
}
