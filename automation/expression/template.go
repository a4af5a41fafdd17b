package expression

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/common/types"

	"countersign/internal/problem"
	"countersign/internal/text/strictjson"
)

// MaxFilled bounds a config in bytes after its templates are filled in.
const MaxFilled = 256 << 10

// secretOpening begins a placeholder of a secret, ${{ secrets.NAME }}, which is no template and stays.
const secretOpening = "${{"

// part is a piece of a text with templates.
type part struct {
	text string
	// expression reports whether text is an expression, which begins at the byte offset of the whole.
	expression bool
	offset     int
}

// parts cuts a text at its templates.
func parts(text string) ([]part, *Problem) {
	var out []part
	literal, from := 0, 0
	for {
		i := strings.Index(text[from:], "{{")
		if i < 0 {
			break
		}
		start := from + i
		end := templateEnd(text, start+2)
		if end < 0 {
			p := at(text, start, "The template that begins with {{ has no }}.")
			return nil, &p
		}
		from = end + 2
		if start > 0 && text[start-1] == '$' && secret(text, start) {
			continue
		}
		if start > literal {
			out = append(out, part{text: text[literal:start], offset: literal})
		}
		out = append(out, part{text: text[start+2 : end], expression: true, offset: start + 2})
		literal = from
	}
	if literal < len(text) {
		out = append(out, part{text: text[literal:], offset: literal})
	}
	return out, nil
}

// secret reports whether the braces are those of a placeholder of a secret.
func secret(text string, start int) bool { return start > 0 && text[start-1] == '$' }

// templateEnd is the offset of the closing }}, and -1 without one. Strings and objects in the expression may hold braces.
func templateEnd(text string, from int) int {
	depth := 0
	for i := from; i < len(text); {
		_, end := token(text, i)
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth == 0 && strings.HasPrefix(text[i:], "}}") {
				return i
			}
			depth--
		}
		i = end
	}
	return -1
}

// HasTemplate reports whether a text has a template, or the beginning of one.
func HasTemplate(text string) bool {
	found, wrong := parts(text)
	return wrong != nil || slices.ContainsFunc(found, func(p part) bool { return p.expression })
}

// Fill evaluates the templates in the strings of a JSON value, at any depth. A string that is exactly one template becomes the value of
// the expression with its type; within a longer text, anything but a text is written as JSON. Names of members are no templates.
func Fill(ctx context.Context, config json.RawMessage, s Scope) (json.RawMessage, error) {
	if len(config) == 0 || !bytes.Contains(config, []byte("{{")) {
		return config, nil
	}
	var value any
	if err := strictjson.DecodeNumbers(config, &value); err != nil {
		return nil, fmt.Errorf("decode a config: %w", err)
	}
	f := filler{scope: Prepare(s)}
	filled, err := f.fill(ctx, value)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(filled); err != nil {
		return nil, fmt.Errorf("encode a config: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// filler counts the bytes that templates gave.
type filler struct {
	scope Scope
	size  int
}

func (f *filler) fill(ctx context.Context, value any) (any, error) {
	switch v := value.(type) {
	case string:
		return f.text(ctx, v)
	case map[string]any:
		for key, member := range v {
			filled, err := f.fill(ctx, member)
			if err != nil {
				return nil, err
			}
			v[key] = filled
		}
	case []any:
		for i, element := range v {
			filled, err := f.fill(ctx, element)
			if err != nil {
				return nil, err
			}
			v[i] = filled
		}
	}
	return value, nil
}

func (f *filler) text(ctx context.Context, text string) (any, error) {
	found, wrong := parts(text)
	if wrong != nil {
		return nil, problem.Errorf(problem.Invalid, "The text %s is wrong: %s", quote(text), wrong.Message)
	}
	if len(found) == 1 && found[0].expression {
		raw, err := Value(ctx, found[0].text, f.scope)
		if err != nil {
			return nil, err
		}
		if bytes.Contains(raw, []byte(secretOpening)) {
			return nil, placeholder(text)
		}
		return raw, f.add(len(raw))
	}
	var out strings.Builder
	literal := 0
	for _, p := range found {
		if !p.expression {
			literal += strings.Count(p.text, secretOpening)
			out.WriteString(p.text)
			continue
		}
		v, err := evaluate(ctx, p.text, f.scope)
		if err != nil {
			return nil, err
		}
		written, ok := toText(v).(types.String)
		if !ok {
			return nil, failed(p.text, "its value has no text")
		}
		if err := f.add(len(written)); err != nil {
			return nil, err
		}
		out.WriteString(string(written))
	}
	// Only the author may name a secret: a payload that spells a placeholder must not become one.
	if strings.Count(out.String(), secretOpening) != literal {
		return nil, placeholder(text)
	}
	return out.String(), nil
}

func (f *filler) add(n int) error {
	if f.size += n; f.size > MaxFilled {
		return problem.Errorf(problem.Invalid, "The values of the templates have more than %d bytes together.", MaxFilled)
	}
	return nil
}

func placeholder(text string) error {
	return problem.Errorf(problem.Invalid,
		"A value in %s holds %s, the beginning of a placeholder of a secret. Only the definition itself may name secrets.",
		quote(text), secretOpening)
}
