package command

import "strings"

func split(i *Invocation) int {
	given, operands := i.options(
		"l:b:a:d",
		map[string]string{"lines": "l", "bytes": "b", "suffix-length": "a", "numeric-suffixes": "d"},
		false,
	)
	rows, bytes, length, alphabet := 1000, 0, 2, "abcdefghijklmnopqrstuvwxyz"
	for _, o := range given {
		switch o.name {
		case "l":
			rows = max(i.count(o.value), 1)
		case "b":
			bytes = max(i.count(o.value), 1)
		case "a":
			length = min(max(i.count(o.value), 1), 8)
		case "d":
			alphabet = "0123456789"
		}
	}
	source, prefix := "-", "x"
	if len(operands) > 0 {
		source = operands[0]
	}
	if len(operands) > 1 {
		prefix = operands[1]
	}
	text := string(i.input(source))
	for n := 0; text != ""; n++ {
		end := 0
		if bytes > 0 {
			end = min(bytes, len(text))
		} else {
			for range rows {
				at := strings.IndexByte(text[end:], '\n')
				if at < 0 {
					end = len(text)
					break
				}
				end += at + 1
			}
		}
		suffix, rest := "", n
		for range length {
			suffix = string(alphabet[rest%len(alphabet)]) + suffix
			rest /= len(alphabet)
		}
		if rest > 0 {
			return i.fail(1, "output file suffixes exhausted")
		}
		if err := i.Files.WriteFile(i.path(prefix+suffix), []byte(text[:end])); err != nil {
			return i.fail(1, "%s: %v", prefix+suffix, why(err))
		}
		text = text[end:]
	}
	return 0
}
