package command

import (
	"io"
	"os"
	"strings"
)

func uniq(i *Invocation) int {
	given, files := i.options("cduif:s:w:", map[string]string{
		"count": "c", "repeated": "d", "unique": "u", "ignore-case": "i", "skip-fields": "f", "skip-chars": "s", "check-chars": "w",
	}, false)
	var count, repeated, unique, fold bool
	fields, chars, width := 0, 0, -1
	for _, o := range given {
		switch o.name {
		case "c":
			count = true
		case "d":
			repeated = true
		case "u":
			unique = true
		case "i":
			fold = true
		case "f":
			fields = i.count(o.value)
		case "s":
			chars = i.count(o.value)
		case "w":
			width = i.count(o.value)
		}
	}
	if len(files) > 2 {
		return i.fail(1, "extra operand '%s'", files[2])
	}
	out := io.Writer(i.Out)
	if len(files) == 2 {
		w, err := i.open(files[1], os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
		if err != nil {
			return i.fail(1, "%s: %v", files[1], err)
		}
		defer func() { _ = w.Close() }()
		out = w
		files = files[:1]
	}
	key := func(line string) string {
		for range fields {
			line = strings.TrimLeft(line, " \t")
			if at := strings.IndexAny(line, " \t"); at >= 0 {
				line = line[at:]
			} else {
				line = ""
			}
		}
		line = line[min(chars, len(line)):]
		if width >= 0 {
			line = line[:min(width, len(line))]
		}
		if fold {
			line = strings.ToLower(line)
		}
		return line
	}
	line, last, n := "", "", 0
	flush := func() {
		if n == 0 || repeated && n == 1 || unique && n > 1 {
			return
		}
		prefix := ""
		if count {
			prefix = pad(n, 7) + " "
		}
		_, _ = io.WriteString(out, prefix+line+"\n")
	}
	status := i.inputs(files, func(_ string, r io.Reader) {
		lines(r, func(next string) bool {
			k := key(next)
			if n > 0 && k == last {
				n++
				return true
			}
			flush()
			line, last, n = next, k, 1
			return true
		})
	})
	flush()
	return status
}
