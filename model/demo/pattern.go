package demo

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// compile makes an expression of a prompt with any of the details behind it in any order. It expects a blank before the
// text. A group is named after its slot, with a number and the mark of a list behind it.
func (b *book) compile(text string, details []string) (pattern, error) {
	p := &prompt{book: b}
	head, err := p.all([]string{text})
	if err != nil {
		return pattern{}, err
	}
	tails, err := p.all(details)
	if err != nil {
		return pattern{}, err
	}
	expression := `(?is)^(?:` + head + `)`
	if len(details) > 0 {
		expression += `(?:[.,;]?(?: and also| and then| and)?(?:` + tails + `))*`
	}
	whole, err := regexp.Compile(expression + `[ .,;:!?]*$`)
	return pattern{whole, b.needs(text)}, err
}

// pattern is a compiled prompt. A matching text holds one word of each of its needs, which is a cheaper test.
type pattern struct {
	*regexp.Regexp
	needs [][]string
}

func (p pattern) find(text, lower string) []int {
	for _, words := range p.needs {
		if !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(lower, word) }) {
			return nil
		}
	}
	return p.FindStringSubmatchIndex(text)
}

// needs lists the mandatory words of a prompt: the possible beginnings of each part that is not optional.
func (b *book) needs(text string) [][]string {
	var all [][]string
	for text = strings.TrimLeft(text, " "); text != ""; text = strings.TrimLeft(text, " ") {
		var part string
		part, text = cutPart(text)
		if words := b.beginnings(part); words != nil {
			all = append(all, words)
		}
	}
	return all
}

// cutPart splits off a word, or a bracketed part.
func cutPart(text string) (part, rest string) {
	depth := 0
	for i, c := range text {
		opens, closes := strings.ContainsRune("([{<", c), strings.ContainsRune(")]}>", c)
		switch {
		case depth == 0 && i > 0 && (opens || c == ' '):
			return text[:i], text[i:]
		case opens:
			depth++
		case closes:
			if depth--; depth == 0 {
				return text[:i+1], text[i+1:]
			}
		}
	}
	return text, ""
}

// beginnings returns the words that can begin a part of a prompt; nil for any.
func (b *book) beginnings(part string) []string {
	switch part[0] {
	case '[', '{':
		return nil
	case '<':
		return b.beginnings(b.Words[strings.Trim(part, "<>")])
	case '(':
		var all []string
		for rest := part[1 : len(part)-1]; rest != ""; {
			var alternative string
			if alternative, rest = cutAlternative(rest); strings.TrimSpace(alternative) == "" {
				return nil
			}
			first, _ := cutPart(strings.TrimLeft(alternative, " "))
			words := b.beginnings(first)
			if words == nil {
				return nil
			}
			all = append(all, words...)
		}
		return all
	}
	return []string{strings.ToLower(part)}
}

// cutAlternative splits at the first bar that is in no brackets.
func cutAlternative(text string) (first, rest string) {
	depth := 0
	for i, c := range text {
		switch {
		case strings.ContainsRune("([", c):
			depth++
		case strings.ContainsRune(")]", c):
			depth--
		case c == '|' && depth == 0:
			return text[:i], text[i+1:]
		}
	}
	return text, ""
}

// prompt translates the language of prompts: words, (one|or another), [optional], {slot}, {list...} and <words>.
type prompt struct {
	book  *book
	rest  string
	count int
}

func (p *prompt) all(prompts []string) (string, error) {
	var all []string
	for _, text := range prompts {
		p.rest = text
		expression, err := p.choice(true)
		if err == nil && p.rest != "" {
			err = fmt.Errorf("%q is not expected", p.rest[:1])
		}
		if err != nil {
			return "", fmt.Errorf("prompt %q: %w", text, err)
		}
		all = append(all, expression)
	}
	return strings.Join(all, "|"), nil
}

// choice reads alternatives up to the bracket that ends them. gap says that a blank stands before each.
func (p *prompt) choice(gap bool) (string, error) {
	var all []string
	for {
		sequence, err := p.sequence(gap)
		all = append(all, sequence)
		if err != nil || !strings.HasPrefix(p.rest, "|") {
			return strings.Join(all, "|"), err
		}
		p.rest = p.rest[1:]
	}
}

func (p *prompt) sequence(gap bool) (string, error) {
	var b strings.Builder
	for {
		if trimmed := strings.TrimLeft(p.rest, " "); trimmed != p.rest {
			p.rest, gap = trimmed, true
		}
		if p.rest == "" || strings.ContainsAny(p.rest[:1], "|)]") {
			return b.String(), nil
		}
		item, err := p.item(gap)
		if err != nil {
			return "", err
		}
		b.WriteString(item)
		gap = false
	}
}

func (p *prompt) item(gap bool) (string, error) {
	blank := ""
	if gap {
		blank = " "
	}
	switch p.rest[0] {
	case '(', '[':
		return p.group(gap)
	case '{', '<':
		end := strings.IndexAny(p.rest, "}>")
		if end < 0 {
			return "", errors.New("a bracket is not closed")
		}
		opening, name := p.rest[0], p.rest[1:end]
		p.rest = p.rest[end+1:]
		if opening == '{' {
			return blank + p.slot(name), nil
		}
		words, known := p.book.Words[name]
		if !known {
			return "", fmt.Errorf("there are no words <%s>", name)
		}
		inner := prompt{book: p.book, rest: words}
		expression, err := inner.choice(gap)
		return "(?:" + expression + ")", err
	}
	end := strings.IndexAny(p.rest, "()[]{}<>| ")
	if end < 0 {
		end = len(p.rest)
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	if first, _ := utf8.DecodeRuneInString(word); !unicode.IsLetter(first) && !unicode.IsDigit(first) {
		blank = "" // punctuation
	}
	return blank + regexp.QuoteMeta(word), nil
}

func (p *prompt) group(gap bool) (string, error) {
	closing, after := ")", ""
	if p.rest[0] == '[' {
		closing, after = "]", "?"
	}
	p.rest = p.rest[1:]
	inner, err := p.choice(gap)
	if err == nil && !strings.HasPrefix(p.rest, closing) {
		err = errors.New("a bracket is not closed")
	}
	if err != nil {
		return "", err
	}
	p.rest = p.rest[1:]
	return "(?:" + inner + ")" + after, nil
}

func (p *prompt) slot(name string) string {
	name, list := strings.CutSuffix(name, "...")
	form := p.book.Slots[name]
	if form == "" {
		form = ".+?"
	}
	p.count++
	group := name + "_" + strconv.Itoa(p.count)
	if list {
		group += "_list"
	}
	return "(?P<" + group + ">" + form + ")"
}

// around compiles words into an expression around them.
func (b *book) around(form, words string) (*regexp.Regexp, error) {
	p := prompt{book: b}
	expression, err := p.all([]string{words})
	if err != nil {
		return nil, err
	}
	return regexp.Compile(`(?is)` + fmt.Sprintf(form, expression))
}
