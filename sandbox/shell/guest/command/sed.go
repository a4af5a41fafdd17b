package command

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strings"
)

func sed(i *Invocation) int {
	given, operands := i.options("nrEe:f:i::sz", map[string]string{
		"quiet": "n", "silent": "n", "regexp-extended": "E", "expression": "e", "file": "f", "in-place": "i", "separate": "s",
		"null-data": "z",
	}, false)
	s := &editor{Invocation: i, labels: map[string]int{}, end: '\n'}
	var script []string
	inPlace, suffix, separate, has := false, "", false, false
	for _, o := range given {
		switch o.name {
		case "n":
			s.quiet = true
		case "r", "E":
			s.extended = true
		case "e":
			script, has = append(script, o.value), true
		case "f":
			script, has = append(script, strings.TrimSuffix(string(i.input(o.value)), "\n")), true
		case "i":
			inPlace, suffix, separate = true, o.value, true
		case "s":
			separate = true
		case "z":
			s.end = 0
		}
	}
	if !has {
		if len(operands) == 0 {
			return i.fail(1, "a script is missing")
		}
		script, operands = operands[:1], operands[1:]
	}
	s.parse(strings.Join(script, "\n"))
	if !inPlace {
		s.out = i.Out
		if !separate || len(operands) < 2 {
			text, status := i.all(operands)
			return max(s.run(text), status)
		}
	}
	status := 0
	for _, name := range operands {
		if s.done {
			break
		}
		text := i.input(name)
		if inPlace && suffix != "" {
			if err := i.Files.WriteFile(i.path(name+suffix), text); err != nil {
				return i.fail(4, "%v", why(err))
			}
		}
		var edited bytes.Buffer
		if inPlace {
			s.out = &edited
		}
		s.line = 0
		status = max(status, s.run(text))
		if inPlace {
			w, err := i.open(name, os.O_WRONLY|os.O_TRUNC)
			if err != nil {
				return i.fail(4, "%s: %v", name, err)
			}
			_, _ = w.Write(edited.Bytes())
			_ = w.Close()
		}
	}
	return status
}

type editor struct {
	*Invocation

	quiet, extended bool
	end             byte
	commands        []sedCommand
	labels          map[string]int
	last            *regexp.Regexp

	out     io.Writer
	rows    []string
	next    int // the row that is read next
	unended bool
	line    int
	pattern string
	hold    string
	after   []string
	changed bool
	done    bool
	status  int
}

// An address is a line number, the last line, or an expression.
type address struct {
	line, step int
	last       bool
	re         *regexp.Regexp
	empty      bool
	plus       int
}

type sedCommand struct {
	from, to *address
	negated  bool
	name     byte
	text     string
	target   int
	sub      *substitution
	mapping  map[rune]rune
	active   bool
	until    int
}

type substitution struct {
	re            *regexp.Regexp
	with          string
	global, print bool
	nth           int
	file          string
}

func (s *editor) matches(a *address) bool {
	switch {
	case a.last:
		return s.next >= len(s.rows)
	case a.step > 0:
		return s.line >= a.line && (s.line-a.line)%a.step == 0
	case a.re != nil || a.empty:
		re := a.re
		if a.empty {
			re = s.previous()
		}
		s.last = re
		return re.MatchString(s.pattern)
	}
	return s.line == a.line
}

func (s *editor) previous() *regexp.Regexp {
	if s.last == nil {
		s.die(1, "there is no previous regular expression")
	}
	return s.last
}

func (s *editor) selected(c *sedCommand) bool {
	if c.from == nil {
		return true
	}
	if c.to == nil {
		return s.matches(c.from)
	}
	if c.active {
		switch {
		case c.until > 0:
			c.active = s.line < c.until
			return s.line <= c.until
		case s.matches(c.to):
			c.active = false
		}
		return true
	}
	start := s.matches(c.from) || c.from.line == 0 && !c.from.last && c.from.re == nil && !c.from.empty && c.from.step == 0 && s.line == 1
	if !start {
		return false
	}
	c.active, c.until = true, 0
	switch {
	case c.to.plus > 0:
		c.until = s.line + c.to.plus
	case c.to.re == nil && !c.to.last && !c.to.empty:
		c.until = c.to.line
		c.active = s.line < c.until
	case c.to.last:
		c.active = s.next < len(s.rows)
	case c.from.line == 0 && c.from.re == nil && !c.from.empty && s.matches(c.to):
		c.active = false
	}
	return true
}

// read takes the next row into the pattern space.
func (s *editor) read() (string, bool) {
	if s.next >= len(s.rows) {
		return "", false
	}
	s.next++
	s.line++
	return s.rows[s.next-1], true
}

func (s *editor) print(text string) {
	_, _ = io.WriteString(s.out, text)
	if s.next < len(s.rows) || !s.unended {
		_, _ = s.out.Write([]byte{s.end})
	}
}

func (s *editor) finish() {
	if !s.quiet {
		s.print(s.pattern)
	}
	s.flush()
}

func (s *editor) flush() {
	for _, text := range s.after {
		_, _ = io.WriteString(s.out, text)
	}
	s.after = nil
}

func (s *editor) run(text []byte) int {
	s.rows, s.next, s.unended = nil, 0, false
	if len(text) > 0 {
		s.unended = text[len(text)-1] != s.end
		s.rows = strings.Split(strings.TrimSuffix(string(text), string(s.end)), string(s.end))
	}
	restart := false
	for !s.done {
		if !restart {
			var ok bool
			if s.pattern, ok = s.read(); !ok {
				break
			}
		}
		s.changed = false
		restart = s.cycle()
	}
	return s.status
}

// cycle runs the script once and says whether the next cycle goes on with what is in the pattern space.
func (s *editor) cycle() bool {
	for at := 0; at < len(s.commands); at++ {
		c := &s.commands[at]
		if s.selected(c) == c.negated {
			if c.name == '{' {
				at = c.target
			}
			continue
		}
		switch c.name {
		case '{', '}', ':', '#':
		case '=':
			s.print2(s.line)
		case 'a':
			s.after = append(s.after, c.text+"\n")
		case 'i':
			_, _ = io.WriteString(s.out, c.text+"\n")
		case 'c':
			if c.to == nil || !c.active || c.negated {
				_, _ = io.WriteString(s.out, c.text+"\n")
			}
			s.flush()
			return false
		case 'd':
			s.flush()
			return false
		case 'D':
			_, rest, more := strings.Cut(s.pattern, "\n")
			s.flush()
			s.pattern = rest
			return more
		case 'g':
			s.pattern = s.hold
		case 'G':
			s.pattern += "\n" + s.hold
		case 'h':
			s.hold = s.pattern
		case 'H':
			s.hold += "\n" + s.pattern
		case 'x':
			s.pattern, s.hold = s.hold, s.pattern
		case 'l':
			_, _ = io.WriteString(s.out, unambiguous(s.pattern))
		case 'n':
			if s.next >= len(s.rows) {
				s.finish()
				s.done = true
				return false
			}
			s.finish()
			s.pattern, _ = s.read()
		case 'N':
			next, ok := s.read()
			if !ok {
				s.finish()
				s.done = true
				return false
			}
			s.pattern += "\n" + next
		case 'p':
			s.print(s.pattern)
		case 'P':
			first, _, _ := strings.Cut(s.pattern, "\n")
			_, _ = io.WriteString(s.out, first+"\n")
		case 'q', 'Q':
			s.done, s.status = true, c.target
			if c.name == 'q' {
				s.finish()
			}
			return false
		case 'r':
			if text, err := s.Files.ReadFile(s.path(c.text)); err == nil {
				s.after = append(s.after, string(text))
			}
		case 'w':
			s.appendTo(c.text, s.pattern)
		case 's':
			s.substitute(c.sub)
		case 'y':
			s.pattern = strings.Map(func(r rune) rune {
				if to, ok := c.mapping[r]; ok {
					return to
				}
				return r
			}, s.pattern)
		case 'b', 't', 'T':
			taken := c.name == 'b' || s.changed == (c.name == 't')
			if c.name != 'b' {
				s.changed = false
			}
			if taken {
				at = c.target
			}
		}
	}
	s.finish()
	return false
}
