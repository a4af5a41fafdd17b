package command

import (
	"io"
	"slices"
)

func rev(i *Invocation) int {
	_, files := i.options("", nil, false)
	return i.inputs(files, func(_ string, r io.Reader) {
		lines(r, func(line string) bool {
			runes := []rune(line)
			slices.Reverse(runes)
			i.printf("%s\n", string(runes))
			return true
		})
	})
}
