package command

import (
	"io"
	"slices"
)

func tac(i *Invocation) int {
	_, files := i.options("", nil, false)
	return i.inputs(files, func(_ string, r io.Reader) {
		text, _ := io.ReadAll(r)
		for _, line := range slices.Backward(splitLines(text)) {
			i.printf("%s\n", line)
		}
	})
}
