package transcript

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	markdown "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"countersign/internal/secret/scrub"
	"countersign/internal/text"
)

// Content of a chat was written by people, models and pages from the network, and the exported file is opened by
// programs that load images and HTML. The export therefore has neither outside of code, and no active links, no
// headings that imitate the export's own, and no unclosed code blocks.
//
// Code can only be recognized in the final text: a removed tag may have hidden a fence. So removals are first replaced
// by placeholder characters that mean nothing in Markdown; then the text is parsed, and placeholders in code are
// restored.

// veils are private-use characters, each with the text that it replaces and its form outside of code.
var veils = []struct{ veil, was, written string }{
	{"\uE000", "<", "&lt;"}, {"\uE001", "[", `\[`}, {"\uE002", "(", `\(`}, {"\uE003", ":", `\:`},
}

var (
	heading = regexp.MustCompile(`^( {0,3})(#{1,6})([ \t].*|)$`)
	equals  = regexp.MustCompile(`^([ >]*)(=+[ \t]*)$`)
	dashes  = regexp.MustCompile(`^([ >]*)(-+)[ \t]*$`)
	link    = regexp.MustCompile("^\\]\\((?:https?://|mailto:|#|/)[^\\s<>()`\"'\\\\]*(?:[ \t]+\"[^\"`<>\\\\]*\")?\\)")
	marks   = regexp.MustCompile("`+|~+")
	tidy    = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\uE000", "", "\uE001", "", "\uE002", "", "\uE003", "")
)

// blocks parses blocks and code spans alone: parsing emphasis takes quadratic time on hostile input.
var blocks = parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithInlineParsers(util.Prioritized(parser.NewCodeSpanParser(), 100)),
)

// harmless returns the lines of a Markdown text in a form that is safe in the export. Links into the app begin with
// base.
func harmless(source, base string) []string {
	lines := strings.Split(strings.TrimRight(tidy.Replace(scrub.Text(source)), "\n"), "\n")
	veiled := make([]string, len(lines))
	for i, line := range lines {
		veiled[i] = veil(structure(line), base)
	}
	code := codeOf(veiled)
	out := make([]string, len(lines))
	at := 0
	for i, line := range veiled {
		if code.lines[i] {
			out[i] = lines[i]
		} else {
			out[i] = code.reveal(line, at)
		}
		at += len(line) + 1
	}
	return closed(out)
}

// mostNested bounds nested quotations and lists on one line, which take a parser quadratic time.
const mostNested = 20

// structure escapes what would make a line a heading of the export.
func structure(line string) string {
	nested := 0
	for i, r := range line {
		if !strings.ContainsRune(" \t>-+*.)0123456789", r) {
			break
		}
		if strings.ContainsRune(">-+*.)", r) {
			if nested++; nested > mostNested {
				return line[:i] + `\` + line[i:]
			}
		}
	}
	if h := heading.FindStringSubmatch(line); h != nil {
		return h[1] + strings.Repeat("#", min(len(h[2])+2, 6)) + h[3]
	}
	if h := equals.FindStringSubmatch(line); h != nil {
		return h[1] + `\` + h[2]
	}
	if h := dashes.FindStringSubmatch(line); h != nil {
		if len(h[2]) >= 3 {
			return h[1] + "***"
		}
		return h[1] + `\` + h[2]
	}
	return line
}

func veil(line, base string) string {
	var out strings.Builder
	for i := 0; i < len(line); {
		rest := line[i:]
		found := link.FindString(rest)
		switch {
		case found != "":
			out.WriteString(absolute(found, base))
			i += len(found)
			continue
		case rest[0] == '<':
			out.WriteString(veils[0].veil)
		case rest[0] == '[' && i > 0 && line[i-1] == '!':
			out.WriteString(veils[1].veil)
		case rest[0] == '(' && i > 0 && line[i-1] == ']':
			out.WriteString(veils[2].veil)
		case rest[0] == ':' && i > 0 && line[i-1] == ']':
			out.WriteString(veils[3].veil)
		default:
			out.WriteByte(rest[0])
		}
		i++
	}
	return out.String()
}

// absolute is the address of a link, with the text around it, made absolute for use in a file.
func absolute(link, base string) string {
	const local = "](/"
	if !strings.HasPrefix(link, local) || strings.HasPrefix(link, local+"/") {
		return link
	}
	return "](" + base + link[len("]("):]
}

// span is a half-open byte range of a text.
type span struct{ from, to int }

// codes are the code parts of a text: whole lines, and spans within a line.
type codes struct {
	lines []bool
	spans []span
}

func codeOf(lines []string) codes {
	source := []byte(strings.Join(lines, "\n"))
	code := codes{lines: make([]bool, len(lines))}
	starts := make([]int, len(lines))
	for i, at := 1, 0; i < len(lines); i++ {
		at += len(lines[i-1]) + 1
		starts[i] = at
	}
	lineAt := func(offset int) int {
		i, exact := slices.BinarySearch(starts, offset)
		if exact {
			return i
		}
		return i - 1
	}
	_ = ast.Walk(blocks.Parse(markdown.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			for i := range n.Lines().Len() {
				code.lines[lineAt(n.Lines().At(i).Start)] = true
			}
		case *ast.CodeSpan:
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				// In a table a span ends at every bar, and some readers do not support tables.
				if t, ok := c.(*ast.Text); ok && !strings.Contains(lines[lineAt(t.Segment.Start)], "|") {
					code.spans = append(code.spans, span{t.Segment.Start, t.Segment.Stop})
				}
			}
		}
		return ast.WalkContinue, nil
	})
	return code
}

// reveal restores the placeholders of a line that begins at this offset of the text.
func (c codes) reveal(line string, at int) string {
	var out strings.Builder
	for i, r := range line {
		written := string(r)
		for _, v := range veils {
			if written != v.veil {
				continue
			}
			written = v.written
			if c.inSpan(at + i) {
				written = v.was
			}
			break
		}
		out.WriteString(written)
	}
	return out.String()
}

// inSpan reports whether an offset of the text is in a span. Offsets come in order.
func (c codes) inSpan(at int) bool {
	i, exact := slices.BinarySearchFunc(c.spans, at, func(s span, at int) int { return cmp.Compare(s.from, at) })
	return exact || i > 0 && at < c.spans[i-1].to
}

// closed closes open blocks at the end of lines: an unclosed code block would swallow the rest of the file.
func closed(lines []string) []string {
	if ends(lines) {
		return lines
	}
	longest := 3
	for _, run := range marks.FindAllString(strings.Join(lines, "\n"), -1) {
		longest = max(longest, len(run))
	}
	for _, mark := range []string{"`", "~"} {
		if with := append(slices.Clone(lines), strings.Repeat(mark, longest)); ends(with) {
			return with
		}
	}
	fence := strings.Repeat("`", longest+1)
	return append(append([]string{fence}, lines...), fence)
}

// ends reports whether a heading after these lines is parsed as one.
func ends(lines []string) bool {
	const last = "\n\n## End\n"
	source := append([]byte(strings.Join(lines, "\n")), last...)
	h, ok := blocks.Parse(markdown.NewReader(source)).LastChild().(*ast.Heading)
	return ok && h.Level == 2 && h.Lines().Len() == 1 && bytes.Equal(bytes.TrimSpace(source[h.Lines().At(0).Start:]), []byte("End"))
}

// inline escapes a text as one plain line.
func inline(plain string) string {
	var out strings.Builder
	for _, r := range strings.Join(strings.Fields(scrub.Text(plain)), " ") {
		if text.Disguises(r) || unicode.IsControl(r) {
			continue
		}
		if strings.ContainsRune("\\`*_[]<>#!|~&$", r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}
