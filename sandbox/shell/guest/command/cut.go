package command

import (
	"io"
	"slices"
	"strconv"
	"strings"
)

// A span is a range of positions from 1; last is 0 when it is open.
type span struct{ first, last int }

func cut(i *Invocation) int {
	given, files := i.options("d:f:c:b:sn", map[string]string{
		"delimiter": "d", "fields": "f", "characters": "c", "bytes": "b", "only-delimited": "s", "output-delimiter=": "o", "complement": "C",
	}, false)
	delimiter, kind, list, only, complement := "\t", "", "", false, false
	output := ""
	for _, o := range given {
		switch o.name {
		case "d":
			delimiter = o.value
		case "f", "c", "b":
			if kind != "" {
				return i.fail(1, "only one list may be specified")
			}
			kind, list = o.name, o.value
		case "s":
			only = true
		case "C":
			complement = true
		case "o":
			output = o.value
		}
	}
	if kind == "" {
		return i.fail(1, "you must specify a list of bytes, characters, or fields")
	}
	if len([]rune(delimiter)) != 1 {
		return i.fail(1, "the delimiter must be a single character")
	}
	if output == "" && kind == "f" {
		output = delimiter
	}
	chosen := i.spans(list)
	wanted := func(n int) bool {
		return complement != slices.ContainsFunc(chosen, func(s span) bool { return n >= s.first && (s.last == 0 || n <= s.last) })
	}
	return i.inputs(files, func(_ string, r io.Reader) {
		lines(r, func(line string) bool {
			var parts []string
			switch kind {
			case "f":
				if !strings.Contains(line, delimiter) {
					if !only {
						i.printf("%s\n", line)
					}
					return true
				}
				parts = strings.Split(line, delimiter)
			case "c":
				parts = strings.Split(line, "")
			default:
				for k := range len(line) {
					parts = append(parts, line[k:k+1])
				}
			}
			var kept []string
			for k, part := range parts {
				if wanted(k + 1) {
					kept = append(kept, part)
				}
			}
			i.printf("%s\n", strings.Join(kept, output))
			return true
		})
	})
}

func (i *Invocation) spans(list string) []span {
	var spans []span
	for _, part := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		from, to, ranged := strings.Cut(part, "-")
		s := span{1, 0}
		var err error
		if from != "" {
			s.first, err = strconv.Atoi(from)
		}
		if err == nil && to != "" {
			s.last, err = strconv.Atoi(to)
		}
		if !ranged {
			s.last = s.first
		}
		if err != nil || s.first < 1 || s.last != 0 && s.last < s.first || part == "-" {
			i.die(1, "invalid range '%s'", part)
		}
		spans = append(spans, s)
	}
	if len(spans) == 0 {
		i.die(1, "the list is empty")
	}
	return spans
}
