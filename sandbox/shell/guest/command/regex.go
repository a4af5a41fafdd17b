package command

import (
	"fmt"
	"regexp"
	"strings"
)

// compile compiles a POSIX regular expression, basic or extended, with the usual GNU additions. There are no back
// references in an expression: matching takes linear time, whatever the expression.
func compile(expression string, extended, ignoreCase bool) (*regexp.Regexp, error) {
	text, err := translate(expression, extended)
	if err != nil {
		return nil, err
	}
	flags := "(?s)"
	if ignoreCase {
		flags = "(?si)"
	}
	re, err := regexp.Compile(flags + text)
	if err != nil {
		return nil, fmt.Errorf("invalid regular expression '%s': %s", expression, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	re.Longest()
	return re, nil
}

func translate(e string, extended bool) (string, error) {
	var b strings.Builder
	start := true // at the start of an expression or a group, where * is a character and ^ an anchor
	for k := 0; k < len(e); k++ {
		c := e[k]
		was := start
		start = false
		switch {
		case c == '\\':
			if k++; k == len(e) {
				return "", fmt.Errorf("trailing backslash in '%s'", e)
			}
			c = e[k]
			switch {
			case !extended && strings.IndexByte("(){}|+?", c) >= 0:
				if c == '*' || (was && strings.IndexByte("+?", c) >= 0) {
					b.WriteByte('\\')
				}
				b.WriteByte(c)
				start = c == '(' || c == '|'
			case c == '<' || c == '>':
				b.WriteString(`\b`)
			case c == '`':
				b.WriteString(`\A`)
			case c == '\'':
				b.WriteString(`\z`)
			case strings.IndexByte("wWsSbBdDntrfv", c) >= 0:
				b.WriteByte('\\')
				b.WriteByte(c)
			case c >= '1' && c <= '9':
				return "", fmt.Errorf("back references such as \\%c are not supported in a regular expression", c)
			default:
				b.WriteString(regexp.QuoteMeta(string(rune(c))))
				if c >= 0x80 {
					return "", fmt.Errorf("a backslash before %q in '%s'", c, e)
				}
			}
		case c == '[':
			end, text, err := bracket(e[k:])
			if err != nil {
				return "", err
			}
			b.WriteString(text)
			k += end - 1
		case c == '*' && was:
			b.WriteString(`\*`)
			start = !extended
		case c == '^' && !extended && !was:
			b.WriteString(`\^`)
		case c == '^':
			b.WriteByte(c)
			start = true
		case c == '$' && !extended && k+1 < len(e) && !strings.HasPrefix(e[k+1:], `\)`) && !strings.HasPrefix(e[k+1:], `\|`):
			b.WriteString(`\$`)
		case !extended && strings.IndexByte("(){}|+?", c) >= 0:
			b.WriteByte('\\')
			b.WriteByte(c)
		case extended && (c == '(' || c == '|'):
			b.WriteByte(c)
			start = true
			if c == '(' && strings.HasPrefix(e[k+1:], "?") {
				return "", fmt.Errorf("invalid regular expression '%s': nothing to repeat after (", e)
			}
		case extended && c == '{' && !interval(e[k:]):
			b.WriteString(`\{`)
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}

func interval(e string) bool {
	end := strings.IndexByte(e, '}')
	return end > 1 && strings.Trim(e[1:end], "0123456789,") == ""
}

// bracket translates a bracket expression and returns how long it is.
func bracket(e string) (int, string, error) {
	var b strings.Builder
	b.WriteByte('[')
	k := 1
	if k < len(e) && e[k] == '^' {
		b.WriteByte('^')
		k++
	}
	for first := true; k < len(e); first = false {
		switch {
		case e[k] == ']' && !first:
			b.WriteByte(']')
			return k + 1, b.String(), nil
		case strings.HasPrefix(e[k:], "[:"):
			end := strings.Index(e[k:], ":]")
			if end < 0 {
				return 0, "", fmt.Errorf("unmatched [ in '%s'", e)
			}
			b.WriteString(e[k : k+end+2])
			k += end + 2
			continue
		case strings.HasPrefix(e[k:], "[.") || strings.HasPrefix(e[k:], "[="):
			return 0, "", fmt.Errorf("collating symbols are not supported in '%s'", e)
		case e[k] == '\\' && k+1 < len(e) && strings.IndexByte(`nt\]`, e[k+1]) >= 0 && e[k+1] != ']':
			b.WriteByte('\\')
			b.WriteByte(e[k+1])
			k += 2
			continue
		case strings.IndexByte(`\[]^`, e[k]) >= 0:
			b.WriteByte('\\')
		}
		b.WriteByte(e[k])
		k++
	}
	return 0, "", fmt.Errorf("unmatched [ in '%s'", e)
}
