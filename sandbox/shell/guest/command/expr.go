package command

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

type expression struct {
	*Invocation

	args []string
}

func expr(i *Invocation) int {
	e := &expression{i, i.Args}
	if len(e.args) > 0 && e.args[0] == "--" {
		e.args = e.args[1:]
	}
	v := e.or()
	if len(e.args) > 0 {
		return i.fail(2, "syntax error: unexpected argument '%s'", e.args[0])
	}
	i.printf("%s\n", v)
	if falsy(v) {
		return 1
	}
	return 0
}

func falsy(v string) bool { return v == "" || v == "0" || v == "-0" }

func (e *expression) next(words ...string) string {
	for _, w := range words {
		if len(e.args) > 0 && e.args[0] == w {
			e.args = e.args[1:]
			return w
		}
	}
	return ""
}

func (e *expression) or() string {
	v := e.and()
	for e.next("|") != "" {
		if w := e.and(); falsy(v) {
			if v = w; falsy(v) {
				v = "0"
			}
		}
	}
	return v
}

func (e *expression) and() string {
	v := e.comparison()
	for e.next("&") != "" {
		if w := e.comparison(); falsy(v) || falsy(w) {
			v = "0"
		}
	}
	return v
}

func (e *expression) comparison() string {
	v := e.sum()
	for {
		op := e.next("<", "<=", "=", "==", "!=", ">=", ">")
		if op == "" {
			return v
		}
		w := e.sum()
		c := strings.Compare(v, w)
		x, xOK := integer(v)
		y, yOK := integer(w)
		if xOK && yOK {
			c = x.Cmp(y)
		}
		v = "0"
		if op == "<" && c < 0 || op == "<=" && c <= 0 || strings.HasPrefix(op, "=") && c == 0 || op == "!=" && c != 0 || op == ">=" && c >= 0 ||
			op == ">" && c > 0 {
			v = "1"
		}
	}
}

func integer(text string) (*big.Int, bool) {
	if len(text) > 1000 || strings.HasPrefix(text, "+") {
		return nil, false
	}
	return new(big.Int).SetString(text, 10)
}

func (e *expression) numbers(v, w string) (*big.Int, *big.Int) {
	x, xOK := integer(v)
	y, yOK := integer(w)
	if !xOK || !yOK {
		e.die(2, "non-integer argument")
	}
	return x, y
}

func (e *expression) sum() string {
	v := e.product()
	for {
		op := e.next("+", "-")
		if op == "" {
			return v
		}
		x, y := e.numbers(v, e.product())
		if op == "+" {
			v = x.Add(x, y).String()
		} else {
			v = x.Sub(x, y).String()
		}
	}
}

func (e *expression) product() string {
	v := e.match()
	for {
		op := e.next("*", "/", "%")
		if op == "" {
			return v
		}
		x, y := e.numbers(v, e.match())
		switch {
		case op == "*":
			v = x.Mul(x, y).String()
		case y.Sign() == 0:
			e.die(2, "division by zero")
		case op == "/":
			v = x.Quo(x, y).String()
		default:
			v = x.Rem(x, y).String()
		}
	}
}

func (e *expression) match() string {
	v := e.primary()
	for e.next(":") != "" {
		v = e.matched(v, e.primary())
	}
	return v
}

func (e *expression) matched(text, pattern string) string {
	re, err := compile("^"+strings.TrimPrefix(pattern, "^"), false, false)
	if err != nil {
		e.die(2, "%v", err)
	}
	m := re.FindStringSubmatch(text)
	switch {
	case re.NumSubexp() > 0 && m == nil:
		return ""
	case re.NumSubexp() > 0:
		return m[1]
	case m == nil:
		return "0"
	}
	return strconv.Itoa(utf8.RuneCountInString(m[0]))
}

func (e *expression) primary() string {
	if len(e.args) == 0 {
		e.die(2, "syntax error: missing argument")
	}
	a := e.args[0]
	e.args = e.args[1:]
	if len(e.args) == 0 {
		return a
	}
	switch a {
	case "(":
		v := e.or()
		if e.next(")") == "" {
			e.die(2, "syntax error: expecting ')'")
		}
		return v
	case "length":
		return strconv.Itoa(utf8.RuneCountInString(e.primary()))
	case "match":
		text := e.primary()
		return e.matched(text, e.primary())
	case "index":
		text := e.primary()
		return strconv.Itoa(strings.IndexAny(text, e.primary()) + 1)
	case "substr":
		text := []rune(e.primary())
		at, _ := strconv.Atoi(e.primary())
		n, _ := strconv.Atoi(e.primary())
		if at < 1 || n < 1 || at > len(text) {
			return ""
		}
		return string(text[at-1 : min(at-1+min(n, len(text)), len(text))])
	case "+":
		return e.primary()
	}
	return a
}
