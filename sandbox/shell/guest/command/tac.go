package command

import "io"

func tac(i *Invocation) int {
	_, files := i.options("", nil, false)
	return i.inputs(files, func(_ string, r io.Reader) {
		text, _ := io.ReadAll(r)
		all := splitLines(text)
		for n := len(all) - 1; n >= 0; n-- {
			i.printf("%s\n", all[n])
		}
	})
}
