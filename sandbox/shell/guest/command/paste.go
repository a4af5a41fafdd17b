package command

import (
	"io"
	"strings"
)

func paste(i *Invocation) int {
	given, files := i.options("d:s", map[string]string{"delimiters": "d", "serial": "s"}, false)
	delimiters, serial := []string{"\t"}, false
	for _, o := range given {
		switch o.name {
		case "d":
			text := strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\\`, `\`, `\0`, "\x00").Replace(o.value)
			delimiters = strings.Split(text, "")
			if len(delimiters) == 0 {
				delimiters = []string{"\x00"}
			}
		case "s":
			serial = true
		}
	}
	between := func(n int) string {
		if d := delimiters[n%len(delimiters)]; d != "\x00" {
			return d
		}
		return ""
	}
	var columns [][]string
	if len(files) > 1 && !serial && allDashes(files) {
		dealt := make([][]string, len(files))
		for n, row := range splitLines(i.input("-")) {
			dealt[n%len(files)] = append(dealt[n%len(files)], row)
		}
		columns = dealt
	} else if status := i.inputs(files, func(_ string, r io.Reader) {
		text, _ := io.ReadAll(r)
		columns = append(columns, splitLines(text))
	}); status != 0 {
		return status
	}
	if serial {
		for _, column := range columns {
			for n, cell := range column {
				if n > 0 {
					i.printf("%s", between(n-1))
				}
				i.printf("%s", cell)
			}
			i.printf("\n")
		}
		return 0
	}
	height := 0
	for _, column := range columns {
		height = max(height, len(column))
	}
	for row := range height {
		for n, column := range columns {
			if n > 0 {
				i.printf("%s", between(n-1))
			}
			if row < len(column) {
				i.printf("%s", column[row])
			}
		}
		i.printf("\n")
	}
	return 0
}

func allDashes(files []string) bool {
	for _, f := range files {
		if f != "-" {
			return false
		}
	}
	return true
}
