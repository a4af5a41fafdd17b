package definition

import (
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// offset is the byte offset of a line and a column, which count characters from 1.
func (p *patcher) offset(line, column int) int {
	if line < 1 || line > len(p.starts) {
		return len(p.text)
	}
	offset := p.starts[line-1]
	for range column - 1 {
		if offset >= len(p.text) || p.text[offset] == '\n' {
			break
		}
		_, size := utf8.DecodeRuneInString(p.text[offset:])
		offset += size
	}
	return offset
}

// span is the place of a node in the text. The parser knows where nodes begin; where they end is read from the text.
func (p *patcher) span(n *yaml.Node, flow bool) (start, end int) {
	start = p.offset(n.Line, n.Column)
	switch {
	case n.Kind != yaml.ScalarNode && n.Style&yaml.FlowStyle != 0:
		return start, p.bracketEnd(start)
	case n.Kind == yaml.MappingNode:
		last := len(n.Content)/2 - 1
		return start, p.valueEnd(n, last, frame{flow: flow})
	case n.Kind == yaml.SequenceNode:
		return start, p.elementEnd(n, len(n.Content)-1, false)
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		return start, p.quoteEnd(start)
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return start, p.blockEnd(start)
	default:
		return start, p.plainEnd(start, n.Value, flow)
	}
}

// quoteEnd is the offset behind a quoted text.
func (p *patcher) quoteEnd(start int) int {
	if start >= len(p.text) {
		return start
	}
	quote := p.text[start]
	for i := start + 1; i < len(p.text); i++ {
		switch {
		case quote == '"' && p.text[i] == '\\':
			i++
		case p.text[i] != quote:
		case quote == '\'' && strings.HasPrefix(p.text[i+1:], "'"):
			i++
		default:
			return i + 1
		}
	}
	return len(p.text)
}

// bracketEnd is the offset behind the bracket that closes one. Quotes begin a text only where a value can begin.
func (p *patcher) bracketEnd(start int) int {
	depth, fresh := 0, true
	for i := start; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == '[' || c == '{':
			depth++
			fresh = true
		case c == ']' || c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
			fresh = false
		case (c == '"' || c == '\'') && fresh:
			i = p.quoteEnd(i) - 1
			fresh = false
		case c == '#' && i > 0 && strings.ContainsRune(" \t\n", rune(p.text[i-1])):
			i = p.lineEnd(i)
		case c == ',' || c == ':' || c == '?':
			fresh = true
		case c != ' ' && c != '\t' && c != '\n':
			fresh = false
		}
	}
	return len(p.text)
}

// blockEnd is the end of the last line of a literal or folded text that is not empty.
func (p *patcher) blockEnd(start int) int {
	end := p.lineEnd(start)
	indent := -1
	for at := end + 1; at < len(p.text); {
		stop := p.lineEnd(at)
		line := p.text[at:stop]
		spaces := len(line) - len(strings.TrimLeft(line, " "))
		if strings.TrimSpace(line) != "" {
			if indent < 0 {
				indent = spaces
				if indent <= p.indentOf(start) {
					return end
				}
			}
			if spaces < indent {
				return end
			}
			end = stop
		}
		at = stop + 1
	}
	return end
}

// indentOf counts the spaces that a line begins with.
func (p *patcher) indentOf(offset int) int {
	line := p.text[p.lineStart(offset):p.lineEnd(offset)]
	return len(line) - len(strings.TrimLeft(line, " "))
}

// plainEnd is the offset behind a text without quotes, which may go on in further lines.
func (p *patcher) plainEnd(start int, value string, flow bool) int {
	folded, breaks := "", 0
	for at := start; at <= len(p.text); {
		stop := p.lineEnd(at)
		part := p.text[at:stop]
		if i := plainStop(part, flow); i >= 0 {
			part = part[:i]
		}
		trimmed := strings.Trim(part, " \t")
		switch {
		case trimmed == "":
			breaks++
		case folded == "":
			folded = trimmed
		case breaks > 0:
			folded += strings.Repeat("\n", breaks) + trimmed
			breaks = 0
		default:
			folded += " " + trimmed
		}
		if folded == value || len(folded) >= len(value) {
			return at + len(strings.TrimRight(part, " \t"))
		}
		at = stop + 1
	}
	return len(p.text)
}

// plainStop is where a line of a text without quotes ends before the line does; -1 where it does not.
func plainStop(line string, flow bool) int {
	for i := range len(line) {
		switch c := line[i]; {
		case c == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t'):
			return i
		case c == ':' && (i+1 == len(line) || line[i+1] == ' ' || flow && strings.ContainsRune(",[]{}", rune(line[i+1]))):
			return i
		case flow && strings.ContainsRune(",[]{}", rune(c)):
			return i
		}
	}
	return -1
}
