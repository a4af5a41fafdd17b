package definition

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const byteOrderMark = "\ufeff"

// parse reads a YAML text into its tree. It answers nil with issues that say why.
func (r *reader) parse(text []byte) *yaml.Node {
	if len(text) > MaxBytes {
		r.issues = append(r.issues, Issue{Message: fmt.Sprintf("A definition has at most %d bytes; this one has %d.", MaxBytes, len(text))})
		return nil
	}
	plain, wrong := normalize(text)
	if wrong != nil {
		r.issues = append(r.issues, *wrong)
		return nil
	}
	if strings.HasPrefix(string(text), byteOrderMark) {
		r.issues = append(r.issues, Issue{
			Line: 1, Column: 1, Warning: true, Message: "The text begins with a byte order mark, which is ignored. Save it as UTF-8 without one.",
		})
	}
	r.lines = strings.Split(plain, "\n")
	if wrong := nesting(plain); wrong != nil {
		r.issues = append(r.issues, *wrong)
		return nil
	}
	root, wrong := tree(plain)
	if wrong != nil {
		r.issues = append(r.issues, *wrong)
		return nil
	}
	before := len(r.issues)
	r.refuse(root, 0)
	if len(r.issues) > before {
		return nil
	}
	return root
}

// normalize removes a byte order mark and makes line ends LF. It refuses other control characters.
func normalize(text []byte) (string, *Issue) {
	if !utf8.Valid(text) {
		return "", &Issue{Message: "The text is not valid UTF-8."}
	}
	plain := strings.TrimPrefix(string(text), byteOrderMark)
	plain = strings.ReplaceAll(plain, "\r\n", "\n")
	for i, c := range plain {
		if c < ' ' && c != '\n' && c != '\t' || c == 0x7f || c == 0x85 || c == 0x2028 || c == 0x2029 || c == 0xfeff {
			line, column := position(plain, i)
			message := fmt.Sprintf("The character U+%04X does not belong into the text: remove it.", c)
			if c == '\r' {
				message = "A line ends with CR alone: save the text with LF or CRLF line ends."
			}
			return "", &Issue{Line: line, Column: column, Message: message}
		}
	}
	return plain, nil
}

func position(text string, offset int) (line, column int) {
	before := text[:offset]
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
}

// nesting refuses a text that is nested so deep that reading it would take long. It counts brackets without regard for quotes, so its
// bound for these is higher than any real text needs.
func nesting(text string) *Issue {
	depth := 0
	for i, c := range text {
		switch c {
		case '[', '{':
			if depth++; depth > maxNesting {
				line, column := position(text, i)
				return &Issue{Line: line, Column: column, Message: fmt.Sprintf("The text is nested more than %d deep.", maxNesting)}
			}
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
	for i, line := range strings.Split(text, "\n") {
		indent := len(line) - len(strings.TrimLeft(line, " -?"))
		if indent > 4*maxNesting {
			return &Issue{Line: i + 1, Column: indent, Message: fmt.Sprintf("The text is nested more than %d deep.", maxNesting)}
		}
	}
	return nil
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// tree parses exactly one document.
func tree(text string) (root *yaml.Node, wrong *Issue) {
	defer func() {
		if recover() != nil {
			root, wrong = nil, &Issue{Message: "The text cannot be read as YAML."}
		}
	}()
	d := yaml.NewDecoder(bytes.NewReader([]byte(text)))
	var document, further yaml.Node
	err := d.Decode(&document)
	switch {
	case errors.Is(err, io.EOF) || err == nil && len(document.Content) == 0:
		return nil, &Issue{Line: 1, Column: 1, Message: "The definition is empty."}
	case err != nil:
		return nil, syntaxIssue(text, err)
	}
	if err := d.Decode(&further); !errors.Is(err, io.EOF) {
		if err != nil {
			return nil, syntaxIssue(text, err)
		}
		return nil, &Issue{
			Line:    further.Line,
			Column:  1,
			Message: "The text holds more than one document: remove the line --- and what follows it.",
		}
	}
	return document.Content[0], nil
}

// syntaxIssue words an error of the YAML parser, which knows the line at most.
func syntaxIssue(text string, err error) *Issue {
	m := yamlLine.FindStringSubmatch(strings.SplitN(err.Error(), "\n", 2)[0])
	if m == nil {
		return &Issue{Message: "The text cannot be read as YAML."}
	}
	line, _ := strconv.Atoi(m[1])
	lines := strings.Split(text, "\n")
	line = min(max(line, 1), len(lines))
	for _, i := range []int{line, line + 1, line - 1} { // The parser counts from where it began to read.
		if i < 1 || i > len(lines) {
			continue
		}
		l := lines[i-1]
		indent := len(l) - len(strings.TrimLeft(l, " \t"))
		switch value := strings.TrimSpace(l[strings.Index(l, ":")+1:]); {
		case strings.Contains(l[:indent], "\t"):
			return &Issue{Line: i, Column: strings.Index(l, "\t") + 1, Message: "A tab stands in the indentation: YAML takes spaces only."}
		case strings.Contains(l, ":") && strings.HasPrefix(value, "*"):
			return &Issue{Line: i, Column: strings.Index(l, "*") + 1, Message: `A text that begins with * needs quotes: write "` + value + `".`}
		case strings.Contains(l, ":") && (strings.HasPrefix(value, "@") || strings.HasPrefix(value, "`") || strings.HasPrefix(value, "%")):
			return &Issue{Line: i, Column: strings.Index(l, value) + 1, Message: "A text that begins with " + value[:1] + " needs quotes."}
		}
	}
	message := strings.TrimSuffix(m[2], ".")
	switch {
	case strings.Contains(message, "mapping values are not allowed"):
		message = "a colon stands where no member can begin: indent the line as the ones beside it, or put the text with the colon into quotes"
	case strings.Contains(message, "did not find expected key"), strings.Contains(message, "did not find expected '-' indicator"):
		message = "the indentation does not fit that of the lines before"
	case strings.Contains(message, "unexpected end of stream"):
		message = "a quote or a bracket is not closed"
	case strings.Contains(message, "unknown anchor"):
		message = "a text that begins with * needs quotes"
	}
	return &Issue{Line: line, Column: 1, Message: "The text cannot be read as YAML: " + message + "."}
}

// refuse finds what the text may not use: anchors and aliases, of which few bytes make a tree without end, tags, and deep nesting.
func (r *reader) refuse(n *yaml.Node, depth int) {
	switch {
	case depth > maxNesting:
		r.addAt(n, "", "The text is nested more than %d deep.", maxNesting)
		return
	case n.Kind == yaml.AliasNode:
		r.addAt(n, "", "Aliases (*%s) are not supported: repeat the value, or write quotes around a text that begins with *.", n.Value)
		return
	case n.Anchor != "":
		r.addAt(n, "", "Anchors (&%s) are not supported: repeat the value, or write quotes around a text that begins with &.", n.Anchor)
	case n.Style&yaml.TaggedStyle != 0:
		r.addAt(n, "", "Tags (%s) are not supported: remove it.", n.Tag)
	}
	for _, inner := range n.Content {
		r.refuse(inner, depth+1)
	}
}
