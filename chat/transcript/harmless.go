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

	"countersign/secret/scrub"
	"countersign/text"
)

// What stands in a chat was written by people, a model and pages from the network. A file leaves the app, and is opened
// by programs that draw images and HTML, so neither is left in it outside of code, nor a link that does more than lead
// somewhere, nor a heading that could be taken for one of the export, nor a block of code that does not end.
//
// What is code can only be known of the text as it will be: a tag that is taken away may have hidden a fence. So what
// has to go is veiled first, by characters that mean nothing in Markdown; then the text is parsed, and what is veiled
// in code comes back as it was.

// veils are characters of private use, each with what it veils, and how that is written outside of code.
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

// blocks knows blocks and code spans, and nothing else: that is all that is asked of it, and emphasis takes it a time
// that grows with the square of what somebody has written.
var blocks = parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithInlineParsers(util.Prioritized(parser.NewCodeSpanParser(), 100)),
)

// harmless are the lines of a text in Markdown as they can stand in the export. Links into the app begin with base.
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

// mostNested is how many quotations and lists stand in one another on one line. More take a parser a time that grows with their square.
const mostNested = 20

// structure takes from a line what would make it a heading of the export.
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

// absolute is the address of a link, with what is before and behind it, as it can be followed from a file.
func absolute(link, base string) string {
	const local = "](/"
	if !strings.HasPrefix(link, local) || strings.HasPrefix(link, local+"/") {
		return link
	}
	return "](" + base + link[len("]("):]
}

// span is a piece of a text by its first byte and the one behind its last.
type span struct{ from, to int }

// codes are what is code in a text: whole lines, and spans within a line.
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
				// In a table a span ends at every bar, and not every reader knows tables.
				if t, ok := c.(*ast.Text); ok && !strings.Contains(lines[lineAt(t.Segment.Start)], "|") {
					code.spans = append(code.spans, span{t.Segment.Start, t.Segment.Stop})
				}
			}
		}
		return ast.WalkContinue, nil
	})
	return code
}

// reveal is a line that begins at a place of the text, as it is written.
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

// inSpan reports whether a place of the text is in a span. They come in order.
func (c codes) inSpan(at int) bool {
	i, exact := slices.BinarySearchFunc(c.spans, at, func(s span, at int) int { return cmp.Compare(s.from, at) })
	return exact || i > 0 && at < c.spans[i-1].to
}

// closed are lines after which nothing goes on: a block of code that a text has left open would swallow what follows.
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

// ends reports whether a heading behind these lines is one.
func ends(lines []string) bool {
	const last = "\n\n## End\n"
	source := append([]byte(strings.Join(lines, "\n")), last...)
	h, ok := blocks.Parse(markdown.NewReader(source)).LastChild().(*ast.Heading)
	return ok && h.Level == 2 && h.Lines().Len() == 1 && bytes.Equal(bytes.TrimSpace(source[h.Lines().At(0).Start:]), []byte("End"))
}

// inline is a text as one line that is nothing but text.
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
