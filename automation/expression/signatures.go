package expression

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"

	"countersign/internal/calendar"
	"countersign/internal/text/search"
)

// operatorNames are the operators as they are written.
var operatorNames = map[string]string{
	operators.LogicalNot: "!", operators.Negate: "-", operators.Add: "+", operators.Subtract: "-", operators.Multiply: "*",
	operators.Divide: "/", operators.Modulo: "%", operators.Equals: "==", operators.NotEquals: "!=", operators.Less: "<",
	operators.LessEquals: "<=", operators.Greater: ">", operators.GreaterEquals: ">=", operators.In: "in", operators.OldIn: "in",
}

func (c *checker) operator(e ast.Expr, name string, given []Type) Type {
	args := e.AsCall().Args()
	if len(given) == 1 {
		kind := KindBool
		if name == "-" {
			kind = KindNumber
		}
		if t := given[0]; !t.any() && t.Kind != kind && (name != "-" || t.Kind != KindDuration) {
			c.add(c.offset(args[0]), "%s needs %s, and this is %s.", name, Of(kind).words(), t.words())
		}
		return Type{Kind: kind}
	}
	a, b := given[0], given[1]
	unknown := a.any() || b.any()
	switch name {
	case "==", "!=":
		c.equality(e, a, b)
		return Of(KindBool)
	case "in":
		switch {
		case b.any():
		case b.Kind == KindText:
			c.add(c.offset(args[1]), "in looks into a list: write text.contains(part) to look into a text.")
		case b.Kind != KindList && b.Kind != KindObject:
			c.add(c.offset(args[1]), "in looks into a list or an object, and this is %s.", b.words())
		case b.Kind == KindList && b.Item != nil:
			c.equality(e, a, *b.Item)
		}
		return Of(KindBool)
	case "<", "<=", ">", ">=":
		ordered := []Kind{KindNumber, KindText, KindTime, KindDuration}
		if !unknown && (a.Kind != b.Kind || !slices.Contains(ordered, a.Kind)) {
			c.mismatch(e, name, a, b)
		}
		return Of(KindBool)
	}
	if unknown {
		if name == "+" || name == "-" {
			return Type{}
		}
		return Of(KindNumber)
	}
	result, ok := arithmetic(name, a.Kind, b.Kind)
	if !ok {
		c.mismatch(e, name, a, b)
		return Type{}
	}
	if result == KindList {
		return Union(a, b, "")
	}
	return Of(result)
}

func arithmetic(name string, a, b Kind) (Kind, bool) {
	switch {
	case a == KindNumber && b == KindNumber:
		return KindNumber, true
	case name == "+" && a == b && (a == KindText || a == KindList || a == KindDuration):
		return a, true
	case name == "+" && (a == KindTime && b == KindDuration || a == KindDuration && b == KindTime):
		return KindTime, true
	case name == "-" && a == KindTime && b == KindTime, name == "-" && a == KindDuration && b == KindDuration:
		return KindDuration, true
	case name == "-" && a == KindTime && b == KindDuration:
		return KindTime, true
	}
	return "", false
}

func (c *checker) mismatch(e ast.Expr, name string, a, b Type) {
	hint := ""
	kinds := []Kind{a.Kind, b.Kind}
	switch {
	case slices.Contains(kinds, KindTime) && slices.Contains(kinds, KindText):
		hint = " Write timestamp(text) for the text."
	case name == "+" && slices.Contains(kinds, KindText):
		hint = " Write string(value) for the other one."
	case slices.Contains(kinds, KindNumber) && slices.Contains(kinds, KindText):
		hint = " Write double(text) for the text."
	case slices.Contains(kinds, KindDuration) && slices.Contains(kinds, KindNumber):
		hint = ` Write a duration such as duration("5m").`
	}
	c.add(c.own(e), "%s does not go with %s and %s.%s", name, a.words(), b.words(), hint)
}

// equality finds comparisons that can never be true.
func (c *checker) equality(e ast.Expr, a, b Type) {
	if a.any() || b.any() || a.Kind == KindNull || b.Kind == KindNull {
		return
	}
	if a.Kind != b.Kind {
		c.mismatch(e, operatorNames[e.AsCall().FunctionName()], a, b)
		return
	}
	if a.Kind != KindText || a.Enum == nil || b.Enum == nil {
		return
	}
	left := slices.DeleteFunc(slices.Clone(a.Enum), func(s string) bool { return !slices.Contains(b.Enum, s) })
	if len(left) > 0 {
		return
	}
	values, constant := a.Enum, b.Enum[0]
	if len(a.Enum) == 1 {
		values, constant = b.Enum, a.Enum[0]
	}
	p := at(c.text, c.own(e), fmt.Sprintf("This value is never %s: it is one of %s.", quote(constant), listed(values)))
	if p.Nearest = search.Nearest(constant, values); p.Nearest != "" {
		p.Message += " Did you mean " + p.Nearest + "?"
	}
	p.Warning = true
	c.problems = append(c.problems, p)
}

// signature is that of a function. The target of a member function is its first parameter.
type signature struct {
	member bool
	// params are the accepted kinds of each parameter; nil takes all. The last ones may be left out down to least.
	params [][]Kind
	least  int
	result Kind
}

var (
	text      = []Kind{KindText}
	numbers   = []Kind{KindNumber}
	countable = []Kind{KindText, KindList, KindObject}

	instants = []Kind{KindTime, KindDuration}
)

// Functions are those that expressions may call, by name, as people write them.
func Functions() map[string]string {
	return map[string]string{
		"size": "size(value)", "contains": "text.contains(part)", "startsWith": "text.startsWith(part)", "endsWith": "text.endsWith(part)",
		"matches": "text.matches(pattern)", "string": "string(value)", "int": "int(value)", "double": "double(value)", "bool": "bool(text)",
		"timestamp": "timestamp(text)", "duration": "duration(text)", "json": "json(value)", "lowerAscii": "text.lowerAscii()",
		"upperAscii": "text.upperAscii()", "trim": "text.trim()", "indexOf": "text.indexOf(part)", "split": "text.split(separator)",
		"join": "list.join(separator)", "replace": "text.replace(old, new)", "substring": "text.substring(from, to)",
		"math.abs": "math.abs(number)", "math.ceil": "math.ceil(number)", "math.floor": "math.floor(number)", "math.round": "math.round(number)",
		"math.least": "math.least(a, b)", "math.greatest": "math.greatest(a, b)",
		"getFullYear": "time.getFullYear(zone)", "getMonth": "time.getMonth(zone)", "getDate": "time.getDate(zone)",
		"getDayOfMonth": "time.getDayOfMonth(zone)", "getDayOfWeek": "time.getDayOfWeek(zone)", "getDayOfYear": "time.getDayOfYear(zone)",
		"getHours": "time.getHours(zone)", "getMinutes": "time.getMinutes(zone)", "getSeconds": "time.getSeconds(zone)",
		"getMilliseconds": "time.getMilliseconds(zone)",
	}
}

var signatures = map[string]signature{
	"size": {params: [][]Kind{countable}, least: 1, result: KindNumber},
	"contains": {
		member: true,
		params: [][]Kind{text, text},
		least:  2,
		result: KindBool,
	},
	"startsWith": {true, [][]Kind{text, text}, 2, KindBool},
	"endsWith":   {true, [][]Kind{text, text}, 2, KindBool},
	"matches":    {true, [][]Kind{text, text}, 2, KindBool},
	"string":     {false, [][]Kind{nil}, 1, KindText},
	"json":       {false, [][]Kind{nil}, 1, KindText},
	"int":        {false, [][]Kind{{KindNumber, KindText, KindTime}}, 1, KindNumber},
	"double":     {false, [][]Kind{{KindNumber, KindText}}, 1, KindNumber},
	"bool":       {false, [][]Kind{{KindBool, KindText}}, 1, KindBool},
	"timestamp":  {false, [][]Kind{{KindText, KindTime, KindNumber}}, 1, KindTime},
	"duration":   {false, [][]Kind{{KindText, KindDuration}}, 1, KindDuration},
	"lowerAscii": {
		true,
		[][]Kind{text},
		1,
		KindText,
	},
	"upperAscii":               {true, [][]Kind{text}, 1, KindText},
	"trim":                     {true, [][]Kind{text}, 1, KindText},
	"indexOf":                  {true, [][]Kind{text, text}, 2, KindNumber},
	"split":                    {true, [][]Kind{text, text}, 2, KindList},
	"join":                     {true, [][]Kind{{KindList}, text}, 1, KindText},
	"replace":                  {true, [][]Kind{text, text, text}, 3, KindText},
	"substring":                {true, [][]Kind{text, numbers, numbers}, 2, KindText},
	"math.abs":                 {false, [][]Kind{numbers}, 1, KindNumber},
	"math.ceil":                {false, [][]Kind{numbers}, 1, KindNumber},
	"math.floor":               {false, [][]Kind{numbers}, 1, KindNumber},
	"math.round":               {false, [][]Kind{numbers}, 1, KindNumber},
	"math.least":               {false, [][]Kind{numbers, numbers}, 2, KindNumber},
	"math.greatest":            {false, [][]Kind{numbers, numbers}, 2, KindNumber},
	"getFullYear":              clock(KindTime),
	"getMonth":                 clock(KindTime),
	"getDate":                  clock(KindTime),
	"getDayOfMonth":            clock(KindTime),
	"getDayOfWeek":             clock(KindTime),
	"getDayOfYear":             clock(KindTime),
	"getHours":                 clock(instants...),
	"getMinutes":               clock(instants...),
	"getSeconds":               clock(instants...),
	"getMilliseconds":          clock(instants...),
	operators.NotStrictlyFalse: {false, [][]Kind{nil}, 1, KindBool},
}

func clock(of ...Kind) signature { return signature{true, [][]Kind{of, text}, 1, KindNumber} }

func (c *checker) function(e ast.Expr, given []Type, in around) Type {
	call := e.AsCall()
	name, exprs, member := call.FunctionName(), call.Args(), call.IsMemberFunction()
	if member {
		if target := call.Target(); target.Kind() == ast.IdentKind && target.AsIdent() == "math" {
			name, member = "math."+name, false
		} else {
			given = slices.Concat([]Type{c.expr(target, in)}, given)
			exprs = slices.Concat([]ast.Expr{target}, exprs)
		}
	}
	s, ok := signatures[name]
	if !ok || strings.HasPrefix(name, "@") && name != operators.NotStrictlyFalse {
		names := slices.Sorted(maps.Keys(Functions()))
		p := at(c.text, c.own(e), fmt.Sprintf("There is no function %s.", quote(name)))
		if p.Nearest = search.Nearest(name, names); p.Nearest != "" {
			p.Message += " Did you mean " + Functions()[p.Nearest] + "?"
		}
		c.problems = append(c.problems, p)
		return Type{}
	}
	if len(given) < s.least || len(given) > len(s.params) || member != s.member && name != "size" {
		c.add(c.own(e), "The function is called as %s.", Functions()[name])
		return Of(s.result)
	}
	for i, t := range given {
		if accepted := s.params[i]; accepted != nil && !t.any() && t.Kind != KindNull && !slices.Contains(accepted, t.Kind) {
			c.add(c.offset(exprs[i]), "%s needs %s, and this is %s.", Functions()[name], Of(accepted[0]).words(), t.words())
		}
	}
	c.constants(name, exprs)
	if name == "split" {
		return ListOf(Of(KindText))
	}
	return Of(s.result)
}

// constants checks constant arguments that would fail at every evaluation.
func (c *checker) constants(name string, args []ast.Expr) {
	value, ok := literalText(args[len(args)-1])
	if !ok {
		return
	}
	offset := c.offset(args[len(args)-1])
	switch {
	case name == "matches":
		if _, message := compilePattern(value); message != "" {
			c.add(offset, "%s.", strings.ToUpper(message[:1])+message[1:])
		}
	case name == "timestamp":
		if _, err := time.Parse(time.RFC3339, value); err != nil {
			c.add(offset, "%s is no time: write one such as 2026-03-01T09:00:00Z.", quote(value))
		}
	case name == "duration":
		if _, err := time.ParseDuration(value); err != nil {
			c.add(offset, "%s is no duration: write one such as 90s, 5m or 1h30m.", quote(value))
		}
	case strings.HasPrefix(name, "get") && len(args) == 2 && !strings.ContainsAny(value, ":"):
		if _, err := calendar.Zone(value); err != nil {
			c.add(offset, "%s is no time zone: write one such as Europe/Berlin.", quote(value))
		}
	}
}
