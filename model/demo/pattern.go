package demo

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// compile makes one expression of the prompts of a scene, each with any of the details behind it in any order. It expects
// a blank before the text. A group is named after its slot, with a number and the mark of a list behind it.
func (b *book) compile(prompts, details []string) (*regexp.Regexp, error) {
	p := &prompt{book: b}
	heads, err := p.all(prompts)
	if err != nil {
		return nil, err
	}
	tails, err := p.all(details)
	if err != nil {
		return nil, err
	}
	expression := `(?is)^(?:` + heads + `)`
	if len(details) > 0 {
		expression += `(?:[.,;]?(?: and)?(?:` + tails + `))*`
	}
	return regexp.Compile(expression + `[ .,;:!?]*$`)
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

// courtesy compiles the words of that name into an expression around them.
func (b *book) courtesy(form, words string) (*regexp.Regexp, error) {
	p := prompt{book: b}
	expression, err := p.all([]string{b.Words[words]})
	if err != nil {
		return nil, err
	}
	return regexp.Compile(`(?is)` + fmt.Sprintf(form, expression))
}
