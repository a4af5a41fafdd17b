package command

import (
	"regexp"
	"strconv"
	"strings"
)

// parse reads a script into commands. Labels and braces become places in the list.
func (s *editor) parse(script string) {
	p := &sedParser{editor: s, text: script}
	var open []int
	waiting := map[int]string{}
	for {
		p.skip(" \t\n;")
		if p.at >= len(p.text) {
			break
		}
		c := sedCommand{}
		p.addresses(&c)
		if p.at >= len(p.text) {
			s.die(1, "a command is missing at the end of the script")
		}
		c.name = p.text[p.at]
		p.at++
		here := len(s.commands)
		switch c.name {
		case '{':
			open = append(open, here)
		case '}':
			if len(open) == 0 || c.from != nil {
				s.die(1, "unexpected '}'")
			}
			s.commands[open[len(open)-1]].target = here
			open = open[:len(open)-1]
		case '#':
			p.until("\n")
			continue
		case ':':
			p.skip(" \t")
			s.labels[strings.TrimSpace(p.until("\n;"))] = here
		case 'b', 't', 'T':
			p.skip(" \t")
			waiting[here] = strings.TrimSpace(p.until("\n;}"))
		case 'a', 'i', 'c':
			c.text = p.block()
		case 'r', 'w':
			p.skip(" \t")
			c.text = p.until("\n")
		case 'q', 'Q':
			p.skip(" \t")
			c.target, _ = strconv.Atoi(p.while("0123456789"))
		case 's':
			c.sub = p.substitution()
		case 'y':
			c.mapping = p.transliteration()
		case '=', 'd', 'D', 'g', 'G', 'h', 'H', 'x', 'l', 'n', 'N', 'p', 'P':
		default:
			s.die(1, "unknown command: '%c'", c.name)
		}
		p.skip(" \t")
		if p.at < len(p.text) && !strings.ContainsRune("\n;}#", rune(p.text[p.at])) && c.name != '{' && c.name != '}' && c.name != ':' {
			s.die(1, "extra characters after the command '%c'", c.name)
		}
		s.commands = append(s.commands, c)
	}
	if len(open) > 0 {
		s.die(1, "unmatched '{'")
	}
	for at, label := range waiting {
		target, ok := s.labels[label]
		switch {
		case label == "":
			target = len(s.commands)
		case !ok:
			s.die(1, "can't find the label '%s'", label)
		}
		s.commands[at].target = target
	}
}

type sedParser struct {
	*editor

	text string
	at   int
}

func (p *sedParser) skip(set string) { p.while(set) }

func (p *sedParser) while(set string) string {
	from := p.at
	for p.at < len(p.text) && strings.IndexByte(set, p.text[p.at]) >= 0 {
		p.at++
	}
	return p.text[from:p.at]
}

func (p *sedParser) until(set string) string {
	from := p.at
	for p.at < len(p.text) && strings.IndexByte(set, p.text[p.at]) < 0 {
		p.at++
	}
	return p.text[from:p.at]
}

func (p *sedParser) accept(c byte) bool {
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *sedParser) addresses(c *sedCommand) {
	if c.from = p.address(); c.from != nil {
		p.skip(" \t")
		if p.accept(',') {
			p.skip(" \t")
			if p.accept('+') {
				n, _ := strconv.Atoi(p.while("0123456789"))
				c.to = &address{plus: n}
			} else if c.to = p.address(); c.to == nil {
				p.die(1, "unexpected ','")
			}
		}
	}
	p.skip(" \t")
	for p.accept('!') {
		c.negated = true
		p.skip(" \t")
	}
}

func (p *sedParser) address() *address {
	if p.at >= len(p.text) {
		return nil
	}
	switch c := p.text[p.at]; {
	case c >= '0' && c <= '9':
		a := &address{}
		a.line, _ = strconv.Atoi(p.while("0123456789"))
		if p.accept('~') {
			a.step, _ = strconv.Atoi(p.while("0123456789"))
		}
		return a
	case c == '$':
		p.at++
		return &address{last: true}
	case c == '/' || c == '\\' && p.at+1 < len(p.text):
		if p.at++; c == '\\' {
			c = p.text[p.at]
			p.at++
		}
		expression := p.delimited(c, true)
		fold := p.accept('I')
		if expression == "" {
			return &address{empty: true}
		}
		return &address{re: p.compile(expression, fold)}
	}
	return nil
}

func (p *sedParser) compile(expression string, fold bool) *regexp.Regexp {
	re, err := compile(expression, p.extended, fold)
	if err != nil {
		p.die(1, "%v", err)
	}
	return re
}

// delimited reads up to a delimiter. An escaped delimiter stands for itself.
func (p *sedParser) delimited(d byte, expression bool) string {
	var b strings.Builder
	inBracket := false
	for p.at < len(p.text) {
		c := p.text[p.at]
		p.at++
		switch {
		case c == '\\' && p.at < len(p.text) && !inBracket:
			next := p.text[p.at]
			p.at++
			switch {
			case next == d && (d != '&' || expression):
				b.WriteByte(d)
			case next == '\n' && !expression:
				b.WriteByte('\n')
			default:
				b.WriteByte('\\')
				b.WriteByte(next)
			}
			continue
		case expression && c == '[' && !inBracket:
			inBracket = true
			b.WriteByte(c)
			for p.at < len(p.text) && (p.text[p.at] == '^' && b.String()[b.Len()-1] == '[' || p.text[p.at] == ']') {
				b.WriteByte(p.text[p.at])
				p.at++
				if p.text[p.at-1] == ']' {
					break
				}
			}
			continue
		case expression && inBracket && c == '[' && p.at < len(p.text) && p.text[p.at] == ':':
			if end := strings.Index(p.text[p.at:], ":]"); end > 0 {
				b.WriteString("[" + p.text[p.at:p.at+end+2])
				p.at += end + 2
				continue
			}
		case c == ']':
			inBracket = false
		case c == d && !inBracket:
			return b.String()
		}
		b.WriteByte(c)
	}
	p.die(1, "a delimiter '%c' is missing", d)
	return ""
}

func (p *sedParser) substitution() *substitution {
	if p.at >= len(p.text) {
		p.die(1, "unterminated 's' command")
	}
	d := p.text[p.at]
	p.at++
	if d == '\n' || d == '\\' {
		p.die(1, "the delimiter of 's' is a newline or a backslash")
	}
	expression := p.delimited(d, true)
	sub := &substitution{nth: 1}
	sub.with = p.delimited(d, false)
	fold := false
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == 'g':
			sub.global = true
		case c == 'p':
			sub.print = true
		case c == 'i' || c == 'I':
			fold = true
		case c >= '1' && c <= '9':
			sub.nth, _ = strconv.Atoi(p.while("0123456789"))
			continue
		case c == 'w':
			p.at++
			p.skip(" \t")
			sub.file = p.until("\n")
			continue
		case c == 'e' || c == 'm' || c == 'M':
			p.die(1, "the flag %c of 's' is not supported", c)
		default:
			if expression != "" {
				sub.re = p.compile(expression, fold)
			}
			return sub
		}
		p.at++
	}
	if expression != "" {
		sub.re = p.compile(expression, fold)
	}
	return sub
}

func (p *sedParser) transliteration() map[rune]rune {
	if p.at >= len(p.text) {
		p.die(1, "unterminated 'y' command")
	}
	d := p.text[p.at]
	p.at++
	plain := strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t")
	from := []rune(plain.Replace(p.delimited(d, false)))
	to := []rune(plain.Replace(p.delimited(d, false)))
	if len(from) != len(to) {
		p.die(1, "the strings of 'y' have different lengths")
	}
	mapping := make(map[rune]rune, len(from))
	for k, r := range from {
		if _, ok := mapping[r]; !ok {
			mapping[r] = to[k]
		}
	}
	return mapping
}

// block reads the text of a, i and c: the rest of the line, or what follows a backslash and a newline.
func (p *sedParser) block() string {
	p.skip(" \t")
	if strings.HasPrefix(p.text[p.at:], "\\") {
		p.at++
		// Blanks before a text on the same line belong to it.
		if rest := strings.TrimLeft(p.text[p.at:], " \t"); strings.HasPrefix(rest, "\n") {
			p.skip(" \t")
			p.accept('\n')
		}
	}
	var b strings.Builder
	for p.at < len(p.text) {
		c := p.text[p.at]
		p.at++
		if c == '\n' {
			p.at--
			break
		}
		if c == '\\' && p.at < len(p.text) {
			c = p.text[p.at]
			p.at++
			if c == 't' {
				c = '\t'
			}
		}
		b.WriteByte(c)
	}
	return b.String()
}
