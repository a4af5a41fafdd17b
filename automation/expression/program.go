package expression

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/env"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"

	"countersign/internal/problem"
	"countersign/internal/text/search"
)

// Limits of an expression and of its evaluation.
const (
	// MaxLength bounds the text of an expression in characters.
	MaxLength = 4000
	// maxNesting bounds the parser, and maxNodes the tree with its expanded macros.
	maxNesting = 64
	maxNodes   = 10_000
	// maxCost bounds the work of one evaluation, in units of CEL: a step of a loop or a comparison is about one.
	maxCost = 1_000_000
	// interruptEvery is the number of loop steps between two looks at the context.
	interruptEvery = 100
	// maxPrograms bounds the cache of compiled expressions.
	maxPrograms = 2000
)

// Roots are the names that an expression can start with.
func Roots() []string {
	return []string{"trigger", "event", "artifacts", "var", "repeat", "health", "state", "automation", "now"}
}

// hiddenVar stands for the root var, which CEL reserves, in the parsed text. It has as many bytes, so that positions stay.
const hiddenVar = "_v_"

// program is a compiled expression.
type program struct {
	plan cel.Program
	// tree is the parsed expression as written, for paths and messages.
	tree *ast.AST
}

// Problem is an error in an expression, at its place in the text.
type Problem struct {
	// Offset counts bytes from 0, Line and Column characters from 1.
	Offset, Line, Column int
	Message              string
	// Nearest is the existing name that is most like an unknown one.
	Nearest string
	// Warning does not prevent saving.
	Warning bool
}

// environment is shared: it declares no variables, since expressions are planned unchecked and Check knows their types.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	options := []cel.EnvOption{
		cel.StdLib(cel.StdLibSubset(&env.LibrarySubset{ExcludeFunctions: replaced()})),
		cel.ParserRecursionLimit(maxNesting),
		cel.ParserErrorRecoveryLimit(4),
		cel.ParserExpressionSizeLimit(MaxLength),
		cel.ExpressionNodeLimit(maxNodes),
		cel.DefaultUTCTimeZone(true),
	}
	return cel.NewCustomEnv(append(options, functions()...)...)
})

// programs is a cache by text. A full one is emptied: an expression takes a fraction of a millisecond to compile.
var programs = struct {
	sync.RWMutex
	byText map[string]*program
}{byText: map[string]*program{}}

// compiled returns the program of a text. The error is a *problem.Error.
func compiled(text string) (*program, error) {
	programs.RLock()
	p := programs.byText[text]
	programs.RUnlock()
	if p != nil {
		return p, nil
	}
	tree, problems := parse(text)
	if len(problems) > 0 {
		return nil, problem.Errorf(problem.Invalid, "The expression %s is wrong: %s", quote(text), problems[0].Message)
	}
	e, err := environment()
	if err != nil {
		return nil, fmt.Errorf("make the environment of expressions: %w", err)
	}
	strict := ast.Copy(tree)
	rewrite(strict)
	plan, err := e.PlanProgram(strict, cel.CostLimit(maxCost), cel.CostTracking(costs{}), cel.InterruptCheckFrequency(interruptEvery))
	if err != nil {
		return nil, problem.Errorf(problem.Invalid, "The expression %s cannot be evaluated: %s.", quote(text), plainWords(err.Error()))
	}
	p = &program{plan: plan, tree: tree}
	programs.Lock()
	defer programs.Unlock()
	if len(programs.byText) >= maxPrograms {
		clear(programs.byText)
	}
	programs.byText[text] = p
	return p, nil
}

// parse reads an expression. It refuses templates, which belong into texts of a config.
func parse(text string) (*ast.AST, []Problem) {
	if n := utf8.RuneCountInString(text); n > MaxLength {
		return nil, []Problem{at(text, 0, fmt.Sprintf("An expression has at most %d characters; this one has %d.", MaxLength, n))}
	}
	if strings.TrimSpace(text) == "" {
		return nil, []Problem{at(text, 0, "The expression is empty.")}
	}
	if !utf8.ValidString(text) {
		return nil, []Problem{at(text, 0, "The expression is not valid UTF-8.")}
	}
	hidden, problems := hideReserved(text)
	if len(problems) > 0 {
		return nil, problems
	}
	e, err := environment()
	if err != nil {
		return nil, []Problem{at(text, 0, "Expressions cannot be read.")}
	}
	parsed, issues := e.Parse(hidden)
	if issues.Err() != nil {
		for _, found := range issues.Errors() {
			problems = append(problems, syntaxProblem(text, found))
		}
		return nil, problems[:1] // The others follow from the first.
	}
	return parsed.NativeRep(), nil
}

// hideReserved replaces the root var, and finds templates and names that the replacement would be mistaken for.
func hideReserved(text string) (string, []Problem) {
	var out strings.Builder
	member := false
	for i := 0; i < len(text); {
		kind, end := token(text, i)
		word := text[i:end]
		switch {
		case kind == tokenWord && word == hiddenVar:
			return "", []Problem{unknownName(text, i, word, Roots())}
		case kind == tokenWord && word == "var" && !member:
			word = hiddenVar
		case strings.HasPrefix(text[i:], "{{"), kind == tokenString && strings.Contains(word, "{{") && strings.Contains(word, "}}"):
			return "", []Problem{at(text, i, "This is an expression, not a text with templates: write it without {{ and }}.")}
		}
		if kind != tokenSpace {
			member = word == "."
		}
		out.WriteString(word)
		i = end
	}
	return out.String(), nil
}

// rewrite changes the meaning of operators where that of CEL hides errors. `||` and `&&` skip their right side and nothing else, so
// that an error stays one whatever the other side says, and has() is false where a part of the path before is missing.
func rewrite(tree *ast.AST) {
	made := ast.NewExprFactory()
	next := ast.MaxID(tree)
	id := func() int64 { next++; return next }
	ast.PostOrderVisit(tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		switch {
		case e.Kind() == ast.CallKind && len(e.AsCall().Args()) == 2:
			call := e.AsCall()
			left, right := call.Args()[0], call.Args()[1]
			switch call.FunctionName() {
			case operators.LogicalOr:
				e.SetKindCase(made.NewCall(e.ID(), operators.Conditional, left, made.NewLiteral(id(), types.True), boolean(made, id, right)))
			case operators.LogicalAnd:
				e.SetKindCase(made.NewCall(e.ID(), operators.Conditional, left, boolean(made, id, right), made.NewLiteral(id(), types.False)))
			}
		case e.Kind() == ast.SelectKind && e.AsSelect().IsTestOnly():
			guardHas(made, id, e)
		}
	}))
}

// boolean makes an error of a right side that is no truth value.
func boolean(made ast.ExprFactory, id func() int64, e ast.Expr) ast.Expr {
	return made.NewCall(id(), operators.Conditional, e, made.NewLiteral(id(), types.True), made.NewLiteral(id(), types.False))
}

// guardHas makes has(a.b.c) has(a.b) && has(a.b.c).
func guardHas(made ast.ExprFactory, id func() int64, e ast.Expr) {
	operand := e.AsSelect().Operand()
	whole := made.NewPresenceTest(id(), operand, e.AsSelect().FieldName())
	var test ast.Expr
	switch operand.Kind() {
	case ast.SelectKind:
		test = made.NewPresenceTest(id(), copyOf(made, operand.AsSelect().Operand()), operand.AsSelect().FieldName())
		guardHas(made, id, test)
	case ast.CallKind:
		call := operand.AsCall()
		if call.FunctionName() != operators.Index || len(call.Args()) != 2 || call.Args()[1].Kind() != ast.LiteralKind {
			return
		}
		key, ok := call.Args()[1].AsLiteral().(types.String)
		if !ok {
			return
		}
		test = made.NewPresenceTest(id(), copyOf(made, call.Args()[0]), string(key))
		guardHas(made, id, test)
	default:
		return
	}
	e.SetKindCase(made.NewCall(e.ID(), operators.Conditional, test, whole, made.NewLiteral(id(), types.False)))
}

func copyOf(made ast.ExprFactory, e ast.Expr) ast.Expr { return made.CopyExpr(e) }

var (
	expecting  = regexp.MustCompile(` expecting .*`)
	atInput    = regexp.MustCompile(`^(?:no viable alternative at|mismatched|extraneous) input '(.*)'$`)
	recognized = regexp.MustCompile(`^token recognition error at: '(.*)'$`)
)

// syntaxProblem words an error of the parser.
func syntaxProblem(text string, found *common.Error) Problem {
	message := strings.TrimPrefix(strings.SplitN(found.Message, "\n", 2)[0], "Syntax error: ")
	message = strings.ReplaceAll(expecting.ReplaceAllString(message, ""), hiddenVar, "var")
	offset := offsetOf(text, found.Location.Line(), found.Location.Column())
	switch m := atInput.FindStringSubmatch(message); {
	case m != nil && strings.HasSuffix(m[1], "<EOF>"):
		message = "The expression is not complete: something is missing at its end."
	case m != nil && strings.HasPrefix(text[offset:], "="):
		message = "A single = is no operator: write == to compare."
	case m != nil:
		message = fmt.Sprintf("%s does not belong here.", quote(m[1]))
	default:
		if m := recognized.FindStringSubmatch(message); m != nil {
			message = fmt.Sprintf("%s does not belong here.", quote(m[1]))
			if strings.HasPrefix(text[offset:], "=") {
				message = "A single = is no operator: write == to compare."
			}
			break
		}
		message = "The expression cannot be read: " + strings.TrimSuffix(message, ".") + "."
	}
	return at(text, offset, message)
}

// at is a problem at a byte offset.
func at(text string, offset int, message string) Problem {
	offset = min(max(offset, 0), len(text))
	before := text[:offset]
	line := strings.Count(before, "\n")
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	return Problem{Offset: offset, Line: line + 1, Column: column + 1, Message: message}
}

// offsetOf is the byte offset of a line from 1 and a column of characters from 0.
func offsetOf(text string, line, column int) int {
	offset := 0
	for range line - 1 {
		next := strings.IndexByte(text[offset:], '\n')
		if next < 0 {
			return len(text)
		}
		offset += next + 1
	}
	for range column {
		if offset >= len(text) {
			break
		}
		_, size := utf8.DecodeRuneInString(text[offset:])
		offset += size
	}
	return offset
}

// quote shows a part of an expression in a sentence.
func quote(text string) string {
	const shown = 120
	if runes := []rune(text); len(runes) > shown {
		text = string(runes[:shown]) + "…"
	}
	return "`" + text + "`"
}

// unknownName is the problem of a name at a byte offset, with the known one that is most like it.
func unknownName(text string, offset int, name string, known []string) Problem {
	p := at(text, offset, quote(name)+" is not known here.")
	if p.Nearest = search.Nearest(name, known); p.Nearest != "" {
		p.Message += " Did you mean " + p.Nearest + "?"
	}
	return p
}
