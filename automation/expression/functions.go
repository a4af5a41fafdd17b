package expression

import (
	"math"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/env"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// Limits of values that functions make.
const (
	// MaxText bounds a text in bytes, and MaxList a list in elements.
	MaxText = 64 << 10
	MaxList = 10_000
	// maxPattern bounds a regular expression in bytes, and maxInstructions its compiled form. RE2 has no exponential ones, but
	// a{1000}{1000} is large.
	maxPattern      = 500
	maxInstructions = 1000
)

// replaced are the functions of the standard library that this package replaces.
func replaced() []*env.Function {
	var out []*env.Function
	for _, name := range []string{
		operators.Add, operators.Subtract, operators.Multiply, operators.Divide, operators.Modulo, "matches", "string", "type", "dyn", "bytes",
	} {
		out = append(out, env.NewFunction(name))
	}
	return out
}

// functions are those beside the standard library. Arithmetic takes the numbers of JSON: one with a fraction and one without fit.
func functions() []cel.EnvOption {
	text := func(s types.String) ref.Val { return s }
	return []cel.EnvOption{
		binary(operators.Add, add),
		binary(operators.Subtract, subtract),
		binary(operators.Multiply, multiply),
		binary(operators.Divide, divide),
		binary(operators.Modulo, modulo),
		unary("string", toText),
		unary("json", textOf),
		member2("matches", matches),
		member1("lowerAscii", func(s types.String) ref.Val { return text(types.String(strings.ToLower(string(s)))) }),
		member1("upperAscii", func(s types.String) ref.Val { return text(types.String(strings.ToUpper(string(s)))) }),
		member1("trim", func(s types.String) ref.Val { return text(types.String(strings.TrimSpace(string(s)))) }),
		member2("indexOf", func(a, b types.String) ref.Val {
			at := strings.Index(string(a), string(b))
			if at > 0 {
				at = utf8.RuneCountInString(string(a[:at]))
			}
			return types.Int(at)
		}),
		member2("split", split),
		cel.Function(
			"join",
			cel.MemberOverload(
				"join_list",
				[]*cel.Type{cel.DynType},
				cel.DynType,
				cel.UnaryBinding(func(l ref.Val) ref.Val { return join(l, types.String("")) }),
			),
			cel.MemberOverload("join_list_text", []*cel.Type{cel.DynType, cel.DynType}, cel.DynType, cel.BinaryBinding(join)),
		),
		cel.Function("replace", cel.MemberOverload("replace_text", []*cel.Type{cel.DynType, cel.DynType, cel.DynType}, cel.DynType,
			cel.FunctionBinding(replace))),
		cel.Function("substring",
			cel.MemberOverload("substring_from", []*cel.Type{cel.DynType, cel.DynType}, cel.DynType,
				cel.BinaryBinding(func(s, from ref.Val) ref.Val { return substring(s, from) })),
			cel.MemberOverload("substring_range", []*cel.Type{cel.DynType, cel.DynType, cel.DynType}, cel.DynType, cel.FunctionBinding(substring))),
		unary("math.abs", rounded(math.Abs)),
		unary("math.ceil", rounded(math.Ceil)),
		unary("math.floor", rounded(math.Floor)),
		unary("math.round", rounded(math.Round)),
		binary("math.least", func(a, b ref.Val) ref.Val { return pick(a, b, types.IntNegOne) }),
		binary("math.greatest", func(a, b ref.Val) ref.Val { return pick(a, b, types.IntOne) }),
	}
}

func unary(name string, f func(ref.Val) ref.Val) cel.EnvOption {
	return cel.Function(name, cel.Overload(name+"_1", []*cel.Type{cel.DynType}, cel.DynType, cel.UnaryBinding(f)))
}

func binary(name string, f func(a, b ref.Val) ref.Val) cel.EnvOption {
	return cel.Function(name, cel.Overload(name+"_2", []*cel.Type{cel.DynType, cel.DynType}, cel.DynType, cel.BinaryBinding(f)))
}

func member1(name string, f func(types.String) ref.Val) cel.EnvOption {
	return cel.Function(name, cel.MemberOverload(name+"_1", []*cel.Type{cel.DynType}, cel.DynType, cel.UnaryBinding(func(v ref.Val) ref.Val {
		s, ok := v.(types.String)
		if !ok {
			return types.MaybeNoSuchOverloadErr(v)
		}
		return f(s)
	})))
}

func member2(name string, f func(a, b types.String) ref.Val) cel.EnvOption {
	return cel.Function(name, cel.MemberOverload(name+"_2", []*cel.Type{cel.DynType, cel.DynType}, cel.DynType,
		cel.BinaryBinding(func(v, w ref.Val) ref.Val {
			a, ok := v.(types.String)
			if !ok {
				return types.MaybeNoSuchOverloadErr(v)
			}
			b, ok := w.(types.String)
			if !ok {
				return types.MaybeNoSuchOverloadErr(w)
			}
			return f(a, b)
		})))
}

// add also joins texts and lists, within their limits.
func add(a, b ref.Val) ref.Val {
	a, b = alike(a, b)
	switch v := a.(type) {
	case types.String:
		if w, ok := b.(types.String); ok && len(v)+len(w) > MaxText {
			return tooLong()
		}
	case traits.Lister:
		if w, ok := b.(traits.Lister); ok && count(v)+count(w) > MaxList {
			return types.NewErr("a list has at most %d elements", MaxList)
		}
	}
	if adder, ok := a.(traits.Adder); ok {
		return adder.Add(b)
	}
	return types.MaybeNoSuchOverloadErr(a)
}

func subtract(a, b ref.Val) ref.Val {
	a, b = alike(a, b)
	if v, ok := a.(traits.Subtractor); ok {
		return v.Subtract(b)
	}
	return types.MaybeNoSuchOverloadErr(a)
}

func multiply(a, b ref.Val) ref.Val {
	a, b = alike(a, b)
	if v, ok := a.(traits.Multiplier); ok {
		return v.Multiply(b)
	}
	return types.MaybeNoSuchOverloadErr(a)
}

// divide keeps the fraction: JSON has one kind of numbers, so 5 / 2 must be what 5.0 / 2 is.
func divide(a, b ref.Val) ref.Val {
	v, w, ok := floats(a, b)
	switch {
	case !ok:
		return types.MaybeNoSuchOverloadErr(a)
	case w == 0:
		return types.NewErr("division by zero")
	}
	if m, ok := a.(types.Int); ok {
		if n, ok := b.(types.Int); ok && n != -1 && m%n == 0 {
			return m / n
		}
	}
	return number(v / w)
}

func modulo(a, b ref.Val) ref.Val {
	v, w, ok := floats(a, b)
	switch {
	case !ok:
		return types.MaybeNoSuchOverloadErr(a)
	case w == 0:
		return types.NewErr("modulus by zero")
	}
	if m, ok := a.(types.Int); ok {
		if n, ok := b.(types.Int); ok && n != -1 {
			return m % n
		}
	}
	return number(math.Mod(v, w))
}

// alike makes two numbers of different kinds the same kind.
func alike(a, b ref.Val) (ref.Val, ref.Val) {
	if v, w, ok := floats(a, b); ok && a.Type() != b.Type() {
		return types.Double(v), types.Double(w)
	}
	return a, b
}

func floats(a, b ref.Val) (v, w float64, ok bool) {
	v, ok = float(a)
	if !ok {
		return 0, 0, false
	}
	w, ok = float(b)
	return v, w, ok
}

func float(v ref.Val) (float64, bool) {
	switch n := v.(type) {
	case types.Int:
		return float64(n), true
	case types.Uint:
		return float64(n), true
	case types.Double:
		return float64(n), true
	}
	return 0, false
}

// number is a whole number without a fraction where that is exact.
func number(f float64) ref.Val {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return types.Int(f)
	}
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return types.NewErr("a number is out of range")
	}
	return types.Double(f)
}

func rounded(f func(float64) float64) func(ref.Val) ref.Val {
	return func(v ref.Val) ref.Val {
		n, ok := float(v)
		if !ok {
			return types.MaybeNoSuchOverloadErr(v)
		}
		return number(f(n))
	}
}

func pick(a, b ref.Val, want types.Int) ref.Val {
	comparer, ok := a.(traits.Comparer)
	if _, _, numbers := floats(a, b); !ok || !numbers {
		return types.MaybeNoSuchOverloadErr(a)
	}
	if comparer.Compare(b) == want {
		return a
	}
	return b
}

func toText(v ref.Val) ref.Val {
	if types.IsUnknownOrError(v) {
		return v
	}
	if s, ok := v.(types.String); ok {
		return s
	}
	return textOf(v)
}

func split(a, b types.String) ref.Val {
	if strings.Count(string(a), string(b)) >= MaxList {
		return types.NewErr("a list has at most %d elements", MaxList)
	}
	return types.NewStringList(types.DefaultTypeAdapter, strings.Split(string(a), string(b)))
}

func join(list, separator ref.Val) ref.Val {
	l, ok := list.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(list)
	}
	between, ok := separator.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(separator)
	}
	var out strings.Builder
	for i := range count(l) {
		part, ok := toText(l.Get(types.Int(i))).(types.String)
		if !ok {
			return types.NewErr("an element has no text")
		}
		if out.Len()+len(between)+len(part) > MaxText {
			return tooLong()
		}
		if i > 0 {
			out.WriteString(string(between))
		}
		out.WriteString(string(part))
	}
	return types.String(out.String())
}

func replace(args ...ref.Val) ref.Val {
	s, ok1 := args[0].(types.String)
	old, ok2 := args[1].(types.String)
	other, ok3 := args[2].(types.String)
	if !ok1 || !ok2 || !ok3 {
		return types.MaybeNoSuchOverloadErr(args[0])
	}
	if len(s)+strings.Count(string(s), string(old))*max(0, len(other)-len(old)) > MaxText {
		return tooLong()
	}
	return types.String(strings.ReplaceAll(string(s), string(old), string(other)))
}

// substring counts characters. Positions outside of the text are its ends: a text from outside may be shorter than expected.
func substring(args ...ref.Val) ref.Val {
	s, ok := args[0].(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(args[0])
	}
	runes := []rune(string(s))
	bounds := []int{0, len(runes)}
	for i, arg := range args[1:] {
		f, ok := float(arg)
		if !ok {
			return types.MaybeNoSuchOverloadErr(arg)
		}
		bounds[i] = int(min(max(f, 0), float64(len(runes))))
	}
	return types.String(runes[bounds[0]:max(bounds[0], bounds[1])])
}

func tooLong() ref.Val { return types.NewErr("a text has at most %d bytes", MaxText) }

func count(l traits.Lister) int {
	n, _ := l.Size().(types.Int)
	return int(n)
}

// patterns is a bounded cache of regular expressions.
var patterns = struct {
	sync.Mutex
	byText map[string]*regexp.Regexp
}{byText: map[string]*regexp.Regexp{}}

func matches(a, b types.String) ref.Val {
	pattern, message := compilePattern(string(b))
	if message != "" {
		return types.NewErr("%s", message)
	}
	return types.Bool(pattern.MatchString(string(a)))
}

// compilePattern compiles a regular expression within its limits. The message says what is wrong.
func compilePattern(text string) (*regexp.Regexp, string) {
	if len(text) > maxPattern {
		return nil, "a regular expression has at most " + strconv.Itoa(maxPattern) + " characters"
	}
	patterns.Lock()
	defer patterns.Unlock()
	if p := patterns.byText[text]; p != nil {
		return p, ""
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, "the regular expression is wrong: " + strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	}
	code, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(code.Inst) > maxInstructions {
		return nil, "the regular expression is too large: repeat less in it"
	}
	p, err := regexp.Compile(text)
	if err != nil {
		return nil, "the regular expression is wrong"
	}
	if len(patterns.byText) >= maxPrograms {
		clear(patterns.byText)
	}
	patterns.byText[text] = p
	return p, ""
}

// costs counts the work of the functions of this package by the size of what they read and make.
type costs struct{}

// CallCost is the cost of a call; nil leaves it to CEL.
func (costs) CallCost(function, _ string, args []ref.Val, result ref.Val) *uint64 {
	const bytesPerUnit = 10
	cost := uint64(1)
	for _, arg := range append(args, result) {
		if s, ok := arg.(types.String); ok {
			cost += uint64(len(s) / bytesPerUnit)
		}
	}
	switch function {
	case "matches":
		cost *= 10
	case "split", "join", "string", "json":
		cost *= 2
	case operators.Add:
	default:
		if strings.Contains(function, "_") {
			return nil
		}
	}
	return &cost
}
