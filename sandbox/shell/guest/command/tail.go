package command

import (
	"io"
	"strings"
)

func tail(i *Invocation) int {
	if len(i.Args) > 0 && len(i.Args[0]) > 1 && i.Args[0][0] == '+' {
		i.Args = append([]string{"-n", i.Args[0]}, i.Args[1:]...)
	}
	bytes, count, quiet, verbose, files := i.ends()
	text, from := strings.CutPrefix(count, "+")
	n := i.count(strings.TrimPrefix(text, "-"))
	return i.each(files, quiet, verbose, func(r io.Reader) {
		switch {
		case bytes:
			all, _ := io.ReadAll(r)
			if from {
				all = all[min(max(n-1, 0), len(all)):]
			} else {
				all = all[max(len(all)-n, 0):]
			}
			_, _ = i.Out.Write(all)
		case from:
			at := 0
			lines(r, func(line string) bool {
				if at++; at >= n {
					i.printf("%s\n", line)
				}
				return true
			})
		default:
			// A ring of the last lines: the input may be much longer than what is kept.
			var ring []string
			at := 0
			lines(r, func(line string) bool {
				switch {
				case n == 0:
				case len(ring) < n:
					ring = append(ring, line)
				default:
					ring[at%n] = line
					at++
				}
				return true
			})
			for k := range ring {
				i.printf("%s\n", ring[(at+k)%len(ring)])
			}
		}
	})
}
