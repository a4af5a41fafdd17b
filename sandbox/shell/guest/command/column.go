package command

import (
	"io"
	"strings"
	"unicode/utf8"
)

// column makes tables: the width of a screen, which it would fill otherwise, is not known here.
func column(i *Invocation) int {
	given, files := i.options("ts:o:", map[string]string{"table": "t", "separator": "s", "output-separator": "o"}, false)
	table, separators, between := false, "", "  "
	for _, o := range given {
		switch o.name {
		case "t":
			table = true
		case "s":
			separators = o.value
		case "o":
			between = o.value
		}
	}
	if !table {
		return i.fail(2, "give -t: only tables are supported")
	}
	var rows [][]string
	var widths []int
	status := i.inputs(files, func(_ string, r io.Reader) {
		lines(r, func(line string) bool {
			cells := strings.Fields(line)
			if separators != "" {
				cells = cells[:0]
				if line != "" {
					cells = strings.Split(strings.Map(func(r rune) rune {
						if strings.ContainsRune(separators, r) {
							return 0
						}
						return r
					}, line), "\x00")
				}
			}
			if len(cells) == 0 {
				return true
			}
			for n, cell := range cells {
				if n == len(widths) {
					widths = append(widths, 0)
				}
				widths[n] = max(widths[n], utf8.RuneCountInString(cell))
			}
			rows = append(rows, cells)
			return true
		})
	})
	for _, cells := range rows {
		for n, cell := range cells {
			if n == len(cells)-1 {
				i.printf("%s\n", cell)
				break
			}
			i.printf("%-*s%s", widths[n], cell, between)
		}
	}
	return status
}
