package expression

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"countersign/internal/problem"
)

// Bool evaluates a condition. Anything but true and false is an error.
func Bool(ctx context.Context, text string, s Scope) (bool, error) {
	v, err := evaluate(ctx, text, s)
	if err != nil {
		return false, err
	}
	b, ok := v.(types.Bool)
	if !ok {
		return false, failed(text, "it has to give true or false, and gives "+kindOfVal(v))
	}
	return bool(b), nil
}

// Value evaluates an expression to JSON.
func Value(ctx context.Context, text string, s Scope) (json.RawMessage, error) {
	v, err := evaluate(ctx, text, s)
	if err != nil {
		return nil, err
	}
	raw, err := encode(v)
	if err != nil {
		return nil, failed(text, err.Error())
	}
	return raw, nil
}

// List evaluates an expression to a list of at most MaxList elements.
func List(ctx context.Context, text string, s Scope) ([]json.RawMessage, error) {
	v, err := evaluate(ctx, text, s)
	if err != nil {
		return nil, err
	}
	list, ok := v.(traits.Lister)
	switch {
	case !ok:
		return nil, failed(text, "it has to give a list, and gives "+kindOfVal(v))
	case count(list) > MaxList:
		return nil, failed(text, fmt.Sprintf("a list has at most %d elements", MaxList))
	}
	raw, err := encode(v)
	if err != nil {
		return nil, failed(text, err.Error())
	}
	elements := []json.RawMessage{}
	if err := json.Unmarshal(raw, &elements); err != nil {
		return nil, fmt.Errorf("decode a list: %w", err)
	}
	return elements, nil
}

// Number evaluates an expression to a number, and a duration to its seconds. It answers false for null and for values that are no
// numbers: unknown is no number.
func Number(ctx context.Context, text string, s Scope) (float64, bool, error) {
	v, err := evaluate(ctx, text, s)
	if err != nil {
		return 0, false, err
	}
	if d, ok := v.(types.Duration); ok {
		return d.Seconds(), true, nil
	}
	f, ok := float(v)
	return f, ok, nil
}

// Explain gives the values of the paths that an expression names, for people who ask why it was false. Paths that do not exist are
// left out, and long values are shortened.
func Explain(_ context.Context, text string, s Scope) map[string]json.RawMessage {
	p, err := compiled(text)
	if err != nil {
		return nil
	}
	out := map[string]json.RawMessage{}
	for _, at := range places(p.tree, bind(s)) {
		if at.found {
			out[at.text] = shown(at.value)
		}
	}
	return out
}

// evaluate runs an expression. The error is a *problem.Error, but for a context that ended and for a scope that is no JSON.
func evaluate(ctx context.Context, text string, s Scope) (ref.Val, error) {
	p, err := compiled(text)
	if err != nil {
		return nil, err
	}
	b := bind(s)
	v, _, err := p.plan.ContextEval(ctx, b)
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("evaluate an expression: %w", context.Cause(ctx))
	case b.broken != nil:
		return nil, b.broken
	case err != nil:
		return nil, failed(text, reason(p, b, err))
	case types.IsUnknown(v):
		return nil, failed(text, "its value is unknown")
	}
	return v, nil
}

// failed is the error of an evaluation.
func failed(text, why string) error {
	return problem.Errorf(problem.Invalid, "The expression %s has no result: %s.", quote(text), why)
}

var (
	noKey      = regexp.MustCompile(`^no such key: (.*)$`)
	noName     = regexp.MustCompile(`^no such attribute\(s\): ([A-Za-z0-9_]+)`)
	outOfRange = regexp.MustCompile(`index '?(-?\d+)'? out of range|index out of bounds: (-?\d+)`)
	numbered   = regexp.MustCompile(` \d+$`)
)

// reason words the error of an evaluation.
func reason(p *program, b *bindings, err error) string {
	message := err.Error()
	if strings.Contains(message, "cost limit exceeded") {
		return "it takes too many steps"
	}
	key := ""
	if m := noKey.FindStringSubmatch(message); m != nil {
		key = m[1]
	} else if m := outOfRange.FindStringSubmatch(message); m != nil {
		key = m[1] + m[2]
	} else if m := noName.FindStringSubmatch(message); m != nil {
		return "the name " + strings.ReplaceAll(m[1], hiddenVar, "var") + " does not exist"
	}
	found := places(p.tree, b)
	for _, at := range found {
		if at.found || key != "" && at.missing != key {
			continue
		}
		switch at.in.(type) {
		case map[string]any, []any:
			return at.text + " does not exist"
		default:
			return fmt.Sprintf("%s is %s, so it has no %s", at.before, kindOf(at.in), at.missing)
		}
	}
	switch {
	case key != "":
		return "there is no " + key
	case strings.Contains(message, "no such overload"):
		var seen []string
		for _, at := range found {
			if at.found {
				seen = append(seen, at.text+" is "+kindOf(at.value))
			}
		}
		if len(seen) == 0 {
			return "its values do not fit together"
		}
		return "its values do not fit together (" + strings.Join(seen, ", ") + ")"
	}
	return plainWords(message)
}

// plainWords is a message of CEL without its numbers of nodes.
func plainWords(message string) string {
	message = numbered.ReplaceAllString(strings.SplitN(message, "\n", 2)[0], "")
	return strings.TrimSuffix(strings.ReplaceAll(message, hiddenVar, "var"), ".")
}

func kindOfVal(v ref.Val) string {
	switch v := v.(type) {
	case types.Null:
		return "null"
	case types.String:
		return "a text"
	case types.Int, types.Uint, types.Double:
		return "a number"
	case types.Bool:
		return "true or false"
	case types.Timestamp:
		return "the time " + v.UTC().Format(time.RFC3339)
	case types.Duration:
		return "a duration"
	case traits.Lister:
		return "a list"
	default:
		return "an object"
	}
}
