package command

import (
	"io"
	"strings"
)

func xargs(i *Invocation) int {
	given, args := i.options("0n:I:L:rtP:d:s:", map[string]string{
		"null": "0", "max-args": "n", "replace": "I", "max-lines": "L", "no-run-if-empty": "r", "verbose": "t", "max-procs": "P",
		"delimiter": "d",
	}, true)
	most, replace, byLine, onlyIfAny, trace := 0, "", 0, false, false
	delimiter := ""
	for _, o := range given {
		switch o.name {
		case "0":
			delimiter = "\x00"
		case "n":
			most = i.count(o.value)
		case "I":
			replace = o.value
		case "L":
			byLine = i.count(o.value)
		case "r":
			onlyIfAny = true
		case "t":
			trace = true
		case "d":
			delimiter = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\0`, "\x00").Replace(o.value)
		}
	}
	if len(args) == 0 {
		args = []string{"echo"}
	}
	text, _ := io.ReadAll(i.Stdin)
	var items []string
	switch {
	case delimiter != "":
		if len(text) > 0 {
			items = strings.Split(strings.TrimSuffix(string(text), delimiter), delimiter)
		}
	case replace != "":
		for _, line := range splitLines(text) {
			if line = strings.TrimLeft(line, " \t"); line != "" {
				items = append(items, line)
			}
		}
	case byLine > 0:
		for _, line := range splitLines(text) {
			if strings.TrimSpace(line) != "" {
				items = append(items, line)
			}
		}
	default:
		items = i.words(string(text))
	}
	status := 0
	run := func(args []string) bool {
		if trace {
			_, _ = io.WriteString(i.Err, strings.Join(args, " ")+"\n")
		}
		switch code := i.child(args, strings.NewReader("")); {
		case code == 255:
			status = 124
			return false
		case code == 126 || code == 127:
			status = code
			return false
		case code != 0:
			status = 123
		}
		return true
	}
	switch {
	case replace != "":
		for _, item := range items {
			filled := make([]string, len(args))
			for k, a := range args {
				filled[k] = strings.ReplaceAll(a, replace, item)
			}
			if !run(filled) {
				break
			}
		}
		return status
	case len(items) == 0:
		if !onlyIfAny {
			run(args)
		}
		return status
	case byLine > 0:
		most = byLine
	}
	if most == 0 {
		most = 5000
	}
	for len(items) > 0 {
		n := min(most, len(items))
		chunk := items[:n]
		if byLine > 0 {
			chunk = i.words(strings.Join(chunk, "\n"))
		}
		if !run(append(append([]string{}, args...), chunk...)) {
			break
		}
		items = items[n:]
	}
	return status
}

// words splits a text at blanks as xargs does: quotes and backslashes keep them.
func (i *Invocation) words(text string) []string {
	var out []string
	var b strings.Builder
	in := false
	for k := 0; k < len(text); k++ {
		switch c := text[k]; c {
		case ' ', '\t', '\n':
			if in {
				out = append(out, b.String())
				b.Reset()
				in = false
			}
		case '\'', '"':
			end := strings.IndexByte(text[k+1:], c)
			if end < 0 {
				i.die(1, "unmatched quote; by default quotes are special unless you use -0")
			}
			b.WriteString(text[k+1 : k+1+end])
			k += end + 1
			in = true
		case '\\':
			if k++; k < len(text) {
				b.WriteByte(text[k])
			}
			in = true
		default:
			b.WriteByte(c)
			in = true
		}
	}
	if in {
		out = append(out, b.String())
	}
	return out
}
