package docsindex

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

type frontMatter struct{ title, description string }

// cutFrontMatter splits a page into its front matter and its body. Front matter is a block of "key: value" lines
// between two lines of three dashes; a value may stand in quotes. Other forms of YAML are refused rather than guessed.
func cutFrontMatter(source string) (frontMatter, string, error) {
	source = strings.ReplaceAll(strings.TrimPrefix(source, "\ufeff"), "\r\n", "\n")
	rest, ok := strings.CutPrefix(source, "---\n")
	if !ok {
		return frontMatter{}, "", errors.New("front matter is missing")
	}
	var front frontMatter
	seen := map[string]bool{}
	for {
		line, after, found := strings.Cut(rest, "\n")
		rest = after
		if strings.TrimRight(line, " ") == "---" {
			return front, strings.TrimLeft(rest, "\n"), nil
		}
		if !found {
			return frontMatter{}, "", errors.New("front matter has no end")
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		if !ok || key == "" || strings.TrimSpace(key) != key || seen[key] {
			return frontMatter{}, "", fmt.Errorf("front matter line %q is not one more \"key: value\"", line)
		}
		seen[key] = true
		value, err := scalar(strings.TrimSpace(value))
		if err != nil {
			return frontMatter{}, "", fmt.Errorf("front matter %s: %w", key, err)
		}
		switch key {
		case "title":
			front.title = value
		case "description":
			front.description = value
		}
	}
}

func scalar(value string) (string, error) {
	if value == "" {
		return "", nil
	}
	switch quote := value[0]; quote {
	case '"', '\'':
		inner := strings.TrimSuffix(value[1:], string(quote))
		if len(inner) != len(value)-2 || strings.ContainsAny(inner, `"\`) || (quote == '\'' && strings.Contains(inner, "'")) {
			return "", errors.New("the quoted value is not simple")
		}
		return strings.TrimSpace(inner), nil
	case '|', '>', '[', '{', '&', '*', '!', '%', '@', '`':
		return "", errors.New("only plain values are allowed")
	}
	return value, nil
}

// span is a part of a source, from inclusive to exclusive.
type span struct{ from, to int }

// codeSpans are the parts of a page whose text is literal: fenced and indented code, and code in a line.
func codeSpans(source []byte) []span {
	var spans []span
	_ = ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n.Kind() {
		case ast.KindCodeBlock, ast.KindFencedCodeBlock:
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				spans = append(spans, span{line.Start, line.Stop})
			}
		case ast.KindCodeSpan:
			for child := n.FirstChild(); child != nil; child = child.NextSibling() {
				if t, ok := child.(*ast.Text); ok {
					spans = append(spans, span{t.Segment.Start, t.Segment.Stop})
				}
			}
		}
		return ast.WalkContinue, nil
	})
	slices.SortFunc(spans, func(a, b span) int { return a.from - b.from })
	return spans
}

// outsideCode applies edit to the parts of a page that are prose.
func outsideCode(source string, edit func(prose string) string) string {
	var out strings.Builder
	at := 0
	for _, code := range codeSpans([]byte(source)) {
		if code.from < at {
			continue
		}
		out.WriteString(edit(source[at:code.from]))
		out.WriteString(source[code.from:code.to])
		at = code.to
	}
	out.WriteString(edit(source[at:]))
	return out.String()
}

var (
	componentTag = regexp.MustCompile(`(?s)<!--.*?-->|</?[A-Za-z][A-Za-z0-9.]*(?:\s[^<>]*)?/?>`)
	moduleLine   = regexp.MustCompile(`(?m)^(?:import\s[^\n]*['"][^'"\n]+['"]|export\s+(?:const|let|default|function)\b[^\n]*);?[ \t]*\n?`)
	pageLink     = regexp.MustCompile(`\]\(([A-Za-z0-9_./-]+)\.md(#[^)\s]*)?\)`)
	recordLink   = regexp.MustCompile(`\[([^\[\]]+)\]\((?:\.\./)*decisions/[^)\s]*\)`)
	sectionLink  = regexp.MustCompile(`\]\(#([^)\s]+)\)`)
	blankLines   = regexp.MustCompile(`\n{3,}`)
)

// stripTags removes HTML and MDX component tags, comments, and import and export lines, and keeps what they enclose.
func stripTags(body string) string {
	body = outsideCode(body, func(prose string) string {
		return componentTag.ReplaceAllString(moduleLine.ReplaceAllString(prose, ""), "")
	})
	body = outsideCode(body, func(prose string) string { return blankLines.ReplaceAllString(prose, "\n\n") })
	return strings.TrimSpace(body) + "\n"
}

// linkSlugs turns links to pages and their sections into links to where the app shows them, whose slugs a reader of the index can
// get. Decision records are not shown: what led to one is text.
func linkSlugs(body, name string) string {
	return outsideCode(body, func(prose string) string {
		prose = recordLink.ReplaceAllString(prose, "$1")
		prose = sectionLink.ReplaceAllString(prose, "](/docs/"+slugOf(name)+"#$1)")
		return pageLink.ReplaceAllStringFunc(prose, func(link string) string {
			found := pageLink.FindStringSubmatch(link)
			return "](" + Link(slugOf(path.Join(path.Dir(name), found[1])+".md"), strings.TrimPrefix(found[2], "#")) + ")"
		})
	})
}

// Headings lists the headings of level 2 and 3 of a page in order.
func Headings(content string) []Heading {
	source := []byte(content)
	headings := []Heading{}
	_ = ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		heading, ok := n.(*ast.Heading)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		words := strings.Join(strings.Fields(plainText(heading, source)), " ")
		if (heading.Level == 2 || heading.Level == 3) && heading.Lines().Len() > 0 && words != "" {
			start := heading.Lines().At(0).Start
			start = strings.LastIndexByte(content[:start], '\n') + 1
			headings = append(headings, Heading{Level: heading.Level, Text: words, Offset: start})
		}
		return ast.WalkSkipChildren, nil
	})
	return headings
}

func plainText(n ast.Node, source []byte) string {
	var out strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch t := n.(type) {
		case *ast.Text:
			out.Write(t.Segment.Value(source))
			if t.SoftLineBreak() || t.HardLineBreak() {
				out.WriteByte(' ')
			}
		case *ast.String:
			out.Write(t.Value)
		case *ast.AutoLink:
			out.Write(t.Label(source))
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}
