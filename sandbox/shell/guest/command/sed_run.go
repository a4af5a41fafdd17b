package command

import (
	"fmt"
	"io"
	"os"
	"strings"
)

func (s *editor) print2(n int) { _, _ = fmt.Fprintln(s.out, n) }

func (s *editor) appendTo(name, text string) {
	w, err := s.open(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	if err != nil {
		s.die(4, "%s: %v", name, err)
	}
	_, _ = io.WriteString(w, text+"\n")
	_ = w.Close()
}

func (s *editor) substitute(sub *substitution) {
	re := sub.re
	if re == nil {
		re = s.previous()
	}
	s.last = re
	var b strings.Builder
	at, n, did := 0, 0, false
	for _, m := range re.FindAllStringSubmatchIndex(s.pattern, -1) {
		if n++; n < sub.nth {
			continue
		}
		b.WriteString(s.pattern[at:m[0]])
		expandInto(&b, sub.with, s.pattern, m)
		at, did = m[1], true
		if !sub.global {
			break
		}
	}
	if !did {
		return
	}
	b.WriteString(s.pattern[at:])
	s.pattern, s.changed = b.String(), true
	if sub.print {
		s.print(s.pattern)
	}
	if sub.file != "" {
		s.appendTo(sub.file, s.pattern)
	}
}

// expandInto writes a replacement: & and \1 are what matched, \U \L \u \l \E change the case of what follows.
func expandInto(b *strings.Builder, with, text string, m []int) {
	mode, once := byte('E'), byte(0)
	write := func(t string) {
		if t == "" {
			return
		}
		switch mode {
		case 'U':
			t = strings.ToUpper(t)
		case 'L':
			t = strings.ToLower(t)
		}
		if once != 0 {
			first := []rune(t)[0]
			rest := t[len(string(first)):]
			if once == 'u' {
				t = strings.ToUpper(string(first)) + rest
			} else {
				t = strings.ToLower(string(first)) + rest
			}
			once = 0
		}
		b.WriteString(t)
	}
	group := func(n int) {
		if 2*n+1 < len(m) && m[2*n] >= 0 {
			write(text[m[2*n]:m[2*n+1]])
		}
	}
	for k := 0; k < len(with); k++ {
		c := with[k]
		switch {
		case c == '&':
			group(0)
		case c == '\\' && k+1 < len(with):
			k++
			switch c = with[k]; {
			case c >= '0' && c <= '9':
				group(int(c - '0'))
			case c == 'n':
				write("\n")
			case c == 't':
				write("\t")
			case c == 'r':
				write("\r")
			case c == 'U' || c == 'L' || c == 'E':
				mode = c
			case c == 'u' || c == 'l':
				once = c
			default:
				write(string([]byte{c}))
			}
		default:
			end := k + 1
			for end < len(with) && with[end] != '&' && with[end] != '\\' {
				end++
			}
			write(with[k:end])
			k = end - 1
		}
	}
}

// unambiguous is what the command l shows.
func unambiguous(text string) string {
	var b strings.Builder
	for k := range len(text) {
		c := text[k]
		switch at := strings.IndexByte("\a\b\f\n\r\t\v\\", c); {
		case at >= 0:
			b.WriteByte('\\')
			b.WriteByte(`abfnrtv\`[at])
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + "$\n"
}
