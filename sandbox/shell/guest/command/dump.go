package command

import (
	"encoding/hex"
	"fmt"
	"io"
	"strings"
)

// limited reads the input, or its first bytes.
func (i *Invocation) limited(files []string, most int) ([]byte, int) {
	var b []byte
	status := i.inputs(files, func(_ string, r io.Reader) {
		if most >= 0 {
			r = io.LimitReader(r, int64(max(most-len(b), 0)))
		}
		more, _ := io.ReadAll(r)
		b = append(b, more...)
	})
	return b, status
}

func od(i *Invocation) int {
	given, files := i.options(
		"A:t:N:j:vw:bcxoiad",
		map[string]string{"format": "t", "address-radix": "A", "read-bytes": "N", "skip-bytes": "j", "width": "w"},
		false,
	)
	kind, radix, most, skip, width := "o2", "o", -1, 0, 16
	for _, o := range given {
		switch o.name {
		case "A":
			radix = o.value
		case "t":
			kind = o.value
		case "N":
			most = i.count(o.value)
		case "j":
			skip = i.count(o.value)
		case "w":
			width = max(i.count(o.value), 1)
		case "b":
			kind = "o1"
		case "c":
			kind = "c"
		case "x":
			kind = "x2"
		case "v":
		default:
			return i.fail(1, "the option -%s is not supported", o.name)
		}
	}
	size, format := 1, ""
	switch kind {
	case "x1", "xC":
		format = " %02x"
	case "x", "x4":
		size, format = 4, " %08x"
	case "x2":
		size, format = 2, " %04x"
	case "o1":
		format = " %03o"
	case "o2", "o":
		size, format = 2, " %06o"
	case "u1":
		format = " %3d"
	case "d1":
		format = " %4d"
	case "u4", "u":
		size, format = 4, " %10d"
	case "c", "a":
	default:
		return i.fail(1, "the type '%s' is not supported", kind)
	}
	if most >= 0 {
		most += skip
	}
	b, status := i.limited(files, most)
	b = b[min(skip, len(b)):]
	address := func(n int) {
		switch radix {
		case "n":
		case "x":
			i.printf("%06x", n)
		case "d":
			i.printf("%07d", n)
		default:
			i.printf("%07o", n)
		}
	}
	for at := 0; at < len(b); at += width {
		address(skip + at)
		row := b[at:min(at+width, len(b))]
		for k := 0; k < len(row); k += size {
			if format == "" {
				i.printf(" %3s", shown(row[k]))
				continue
			}
			var v uint64
			for n := min(k+size, len(row)) - 1; n >= k; n-- {
				v = v<<8 | uint64(row[n])
			}
			if kind == "d1" {
				i.printf(format, int8(v))
			} else {
				i.printf(format, v)
			}
		}
		i.printf("\n")
	}
	if radix != "n" {
		address(skip + len(b))
		i.printf("\n")
	}
	return status
}

func shown(c byte) string {
	if at := strings.IndexByte("\x00\a\b\f\n\r\t\v", c); at >= 0 {
		return []string{`\0`, `\a`, `\b`, `\f`, `\n`, `\r`, `\t`, `\v`}[at]
	}
	if c < ' ' || c >= 0x7f {
		return fmt.Sprintf("%03o", c)
	}
	return string(rune(c))
}

func printable(b []byte) string {
	out := []byte(strings.Clone(string(b)))
	for k, c := range out {
		if c < ' ' || c >= 0x7f {
			out[k] = '.'
		}
	}
	return string(out)
}

func xxd(i *Invocation) int {
	given, files := i.options("prc:l:s:ug:", nil, false)
	plain, reverse, columns, most, skip, format := false, false, 0, -1, 0, "%02x"
	for _, o := range given {
		switch o.name {
		case "p":
			plain = true
		case "r":
			reverse = true
		case "c":
			columns = max(i.count(o.value), 1)
		case "l":
			most = i.count(o.value)
		case "s":
			skip = i.count(o.value)
		case "u":
			format = "%02X"
		case "g":
			return i.fail(1, "the option -g is not supported")
		}
	}
	if reverse {
		text, status := i.limited(files, -1)
		var digits strings.Builder
		for _, line := range splitLines(text) {
			if !plain {
				_, line, _ = strings.Cut(line, ": ")
				line, _, _ = strings.Cut(line, "  ")
			}
			digits.WriteString(strings.Join(strings.Fields(line), ""))
		}
		out, err := hex.DecodeString(digits.String())
		if err != nil {
			return i.fail(1, "%v", err)
		}
		_, _ = i.Out.Write(out)
		return status
	}
	if most >= 0 {
		most += skip
	}
	b, status := i.limited(files, most)
	b = b[min(skip, len(b)):]
	if columns == 0 {
		if columns = 16; plain {
			columns = 30
		}
	}
	for at := 0; at < len(b); at += columns {
		row := b[at:min(at+columns, len(b))]
		var cells strings.Builder
		for k, c := range row {
			fmt.Fprintf(&cells, format, c)
			if !plain && k%2 == 1 {
				cells.WriteByte(' ')
			}
		}
		if plain {
			i.printf("%s\n", cells.String())
		} else {
			i.printf("%08x: %-*s %s\n", skip+at, columns*2+(columns+1)/2, cells.String(), printable(row))
		}
	}
	return status
}
