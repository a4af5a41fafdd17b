package command

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

type formatting struct {
	*Invocation

	args   []string
	status int
}

func printf(i *Invocation) int {
	args := i.Args
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return i.fail(2, "a format is missing")
	}
	f := &formatting{Invocation: i, args: args[1:]}
	for {
		before := len(f.args)
		if !f.format(args[0]) || len(f.args) == 0 || len(f.args) == before {
			return f.status
		}
	}
}

func (f *formatting) next() (string, bool) {
	if len(f.args) == 0 {
		return "", false
	}
	a := f.args[0]
	f.args = f.args[1:]
	return a, true
}

// number reads an argument as C does; a quote stands for the code of what follows.
func (f *formatting) number() int64 {
	text, ok := f.next()
	if !ok || text == "" {
		return 0
	}
	if text[0] == '\'' || text[0] == '"' {
		r, _ := utf8.DecodeRuneInString(text[1:])
		return int64(r)
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 0, 64)
	if err != nil {
		u, unsigned := strconv.ParseUint(strings.TrimSpace(text), 0, 64)
		if unsigned == nil {
			return int64(u)
		}
		f.complain("%s: invalid number", text)
		f.status = 1
		digits := number(text)
		n, _ = strconv.ParseInt(digits, 10, 64)
	}
	return n
}

// format writes the format once and says whether to go on.
func (f *formatting) format(format string) bool {
	for k := 0; k < len(format); k++ {
		switch {
		case format[k] == '\\':
			text, end, stop := unescape(format, k, false)
			_, _ = f.Out.WriteString(text)
			if stop {
				return false
			}
			k = end
		case format[k] != '%':
			_ = f.Out.WriteByte(format[k])
		case k+1 < len(format) && format[k+1] == '%':
			_ = f.Out.WriteByte('%')
			k++
		default:
			flags := []byte("%")
			for k++; k < len(format) && strings.IndexByte("+-# 0123456789.*", format[k]) >= 0; k++ {
				if format[k] == '*' {
					flags = strconv.AppendInt(flags, min(max(f.number(), -10000), 10000), 10)
				} else {
					flags = append(flags, format[k])
				}
			}
			spec := string(flags)
			if end := strings.Index(format[k:], ")T"); len(spec) <= 20 && k < len(format) && format[k] == '(' && end > 0 {
				f.time(spec, format[k+1:k+end])
				k += end + 1
				continue
			}
			if k == len(format) || len(spec) > 20 || !f.convert(spec, format[k]) {
				f.die(1, "%s: invalid format", spec)
			}
		}
	}
	return true
}

// time writes the moment that an argument gives in seconds: now without one, or with a negative one.
func (f *formatting) time(spec, layout string) {
	at := time.Now()
	if len(f.args) > 0 {
		if seconds := f.number(); seconds >= 0 {
			at = time.Unix(seconds, 0)
		}
	}
	if layout == "" {
		layout = "%T"
	}
	f.printf(spec+"s", strftime(layout, at.UTC()))
}

func (f *formatting) convert(spec string, kind byte) bool {
	if width := strings.TrimLeft(spec, "%+-# 0"); width != "" {
		for part := range strings.SplitSeq(width, ".") {
			if n, err := strconv.Atoi(part); part != "" && (err != nil || n > 10000) {
				return false
			}
		}
	}
	switch kind {
	case 's', 'b', 'q', 'c':
		text, _ := f.next()
		switch kind {
		case 'b':
			for k := 0; k < len(text); k++ {
				if text[k] == '\\' {
					part, end, stop := unescape(text, k, true)
					text = text[:k] + part + text[end+1:]
					k += len(part) - 1
					if stop {
						f.printf(spec+"s", text[:k+1])
						panic(exit(f.status))
					}
				}
			}
		case 'q':
			text = quoted(text)
		case 'c':
			if text != "" {
				text = text[:1]
			}
		}
		f.printf(spec+"s", text)
	case 'd', 'i':
		f.printf(spec+"d", f.number())
	case 'u':
		f.printf(spec+"d", uint64(f.number()))
	case 'o', 'x', 'X':
		f.printf(spec+string(kind), uint64(f.number()))
	case 'f', 'F', 'e', 'E', 'g', 'G':
		text, _ := f.next()
		v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil && text != "" {
			f.complain("%s: invalid number", text)
			f.status = 1
		}
		if (kind == 'g' || kind == 'G') && !strings.Contains(spec, ".") {
			spec += ".6"
		}
		f.printf(spec+string(kind), v)
	default:
		return false
	}
	return true
}

// unescape reads the escape at k and returns its text and the place of its last character; \c says stop.
func unescape(s string, k int, zero bool) (string, int, bool) {
	if k++; k == len(s) {
		return `\`, k - 1, false
	}
	digits := func(from, most int, set string, base int) (string, int) {
		n := 0
		for n < most && from+n < len(s) && strings.IndexByte(set, s[from+n]) >= 0 {
			n++
		}
		v, _ := strconv.ParseUint(s[from:from+n], base, 32)
		if base == 16 && most > 2 {
			return string(rune(v)), from + n - 1
		}
		return string([]byte{byte(v)}), from + n - 1
	}
	const hex = "0123456789abcdefABCDEF"
	switch c := s[k]; c {
	case 'a', 'b', 'f', 'n', 'r', 't', 'v':
		return string("\a\b\f\n\r\t\v"[strings.IndexByte("abfnrtv", c)]), k, false
	case 'e':
		return "\x1b", k, false
	case '\\', '"', '\'':
		return string(c), k, false
	case 'c':
		return "", k, true
	case 'x', 'u', 'U':
		most := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
		if k+1 < len(s) && strings.IndexByte(hex, s[k+1]) >= 0 {
			text, end := digits(k+1, most, hex, 16)
			return text, end, false
		}
	case '0', '1', '2', '3', '4', '5', '6', '7':
		from := k
		if zero && c == '0' {
			from++
		}
		text, end := digits(from, 3, "01234567", 8)
		return text, end, false
	}
	return `\` + string(s[k]), k, false
}

// quoted is a text as one word of the shell.
func quoted(text string) string {
	if text == "" {
		return "''"
	}
	var b strings.Builder
	for _, r := range text {
		if r < ' ' || r == 0x7f {
			return "$" + strings.ReplaceAll(fmt.Sprintf("'%s'", strings.Trim(strconv.Quote(text), `"`)), `\"`, `"`)
		}
		if r < utf8.RuneSelf && !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=+@%", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
