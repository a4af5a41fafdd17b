package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/itchyny/gojq"
)

func jq(i *Invocation) int {
	var raw, joined, compact, slurp, null, exitStatus, text, sorted, tab bool
	indent := 2
	var names []string
	var values []any
	named := map[string]any{}
	var operands []string
	filter, has, positional, asJSON := "", false, false, false
	var positionals []any
	args := i.Args
	take := func(n int) []string {
		if len(args) < n {
			i.die(2, "an option needs %d more arguments", n)
		}
		taken := args[:n]
		args = args[n:]
		return taken
	}
	define := func(name string, v any) {
		names, values = append(names, "$"+name), append(values, v)
		named[name] = v
	}
	for len(args) > 0 {
		a := take(1)[0]
		switch {
		case positional && !strings.HasPrefix(a, "-") && has:
			var v any = a
			if asJSON {
				v = i.decoded(a)
			}
			positionals = append(positionals, v)
		case !strings.HasPrefix(a, "-") || a == "-":
			if has {
				operands = append(operands, a)
			} else {
				filter, has = a, true
			}
		case a == "--arg":
			t := take(2)
			define(t[0], t[1])
		case a == "--argjson":
			t := take(2)
			define(t[0], i.decoded(t[1]))
		case a == "--slurpfile" || a == "--rawfile":
			t := take(2)
			content := i.input(t[1])
			if a == "--rawfile" {
				define(t[0], string(content))
			} else {
				define(t[0], i.documents(content))
			}
		case a == "--args" || a == "--jsonargs":
			positional, asJSON = true, a == "--jsonargs"
		case a == "--indent":
			indent = i.count(take(1)[0])
		case a == "-f" || a == "--from-file":
			if has {
				operands = append([]string{filter}, operands...)
			}
			filter, has = string(i.input(take(1)[0])), true
		case strings.HasPrefix(a, "--"):
			letter := map[string]string{
				"--raw-output": "r", "--join-output": "j", "--compact-output": "c", "--slurp": "s", "--null-input": "n",
				"--exit-status": "e", "--raw-input": "R", "--sort-keys": "S", "--tab": "T", "--monochrome-output": "M", "--ascii-output": "a",
			}[a]
			if letter == "" || letter == "a" {
				return i.fail(2, "the option %s is not supported", a)
			}
			args = append([]string{"-" + letter}, args...)
		default:
			for _, letter := range a[1:] {
				switch letter {
				case 'r':
					raw = true
				case 'j':
					raw, joined = true, true
				case 'c':
					compact = true
				case 's':
					slurp = true
				case 'n':
					null = true
				case 'e':
					exitStatus = true
				case 'R':
					text = true
				case 'S':
					sorted = true
				case 'T':
					tab = true
				case 'M', 'C':
				default:
					return i.fail(2, "the option -%c is not supported", letter)
				}
			}
		}
	}
	_ = sorted // keys are always sorted
	if !has {
		return i.fail(2, "a filter is missing")
	}
	query, err := gojq.Parse(filter)
	if err != nil {
		return i.fail(3, "the filter does not parse: %v", err)
	}
	define("ARGS", map[string]any{"named": named, "positional": positionals})
	inputs := &jqInputs{i: i, null: null}
	content, status := []byte(nil), 0
	if !null || strings.Contains(filter, "input") {
		content, status = i.all(operands)
	}
	inputs.load(content, text, slurp)
	code, err := gojq.Compile(query, gojq.WithVariables(names), gojq.WithInputIter(inputs), gojq.WithEnvironLoader(func() []string {
		var list []string
		for k, v := range i.Env {
			list = append(list, k+"="+v)
		}
		return list
	}))
	if err != nil {
		return i.fail(3, "the filter does not compile: %v", err)
	}
	var last any
	produced := false
	show := func(v any) {
		last, produced = v, true
		if s, ok := v.(string); ok && raw {
			i.printf("%s", s)
		} else {
			encoded, err := gojq.Marshal(v)
			if err != nil {
				i.die(5, "%v", err)
			}
			if !compact && (indent > 0 || tab) {
				var b bytes.Buffer
				step := strings.Repeat(" ", min(indent, 8))
				if tab {
					step = "\t"
				}
				_ = json.Indent(&b, encoded, "", step)
				encoded = b.Bytes()
			}
			_, _ = i.Out.Write(encoded)
		}
		if !joined {
			i.printf("\n")
		}
	}
	run := func(v any) {
		results := code.RunWithContext(i.Context, v, values...)
		for {
			r, ok := results.Next()
			if !ok {
				return
			}
			if err, isErr := r.(error); isErr {
				if halt, ok := errors.AsType[*gojq.HaltError](err); ok {
					if s, ok := halt.Value().(string); ok {
						_, _ = io.WriteString(i.Err, s)
					} else if halt.Value() != nil {
						encoded, _ := gojq.Marshal(halt.Value())
						_, _ = i.Err.Write(append(encoded, '\n'))
					}
					panic(exit(halt.ExitCode()))
				}
				i.complain("error: %v", err)
				status = 5
				return
			}
			show(r)
		}
	}
	if null {
		run(nil)
	} else {
		for {
			v, ok := inputs.Next()
			if !ok {
				break
			}
			if err, isErr := v.(error); isErr {
				return i.fail(2, "error: the input is no JSON: %v", err)
			}
			run(v)
		}
	}
	if exitStatus && status == 0 {
		switch {
		case !produced:
			return 4
		case last == nil || last == false:
			return 1
		}
	}
	return status
}

func (i *Invocation) decoded(text string) any {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		i.die(2, "invalid JSON text '%s'", text)
	}
	return v
}

func (i *Invocation) documents(content []byte) []any {
	d := json.NewDecoder(bytes.NewReader(content))
	d.UseNumber()
	out := []any{}
	for {
		var v any
		err := d.Decode(&v)
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			i.die(2, "error: the input is no JSON: %v", err)
		}
		out = append(out, v)
	}
}

// jqInputs are the values that jq reads, also through input and inputs.
type jqInputs struct {
	i       *Invocation
	null    bool
	ready   []any
	decoder *json.Decoder
}

func (in *jqInputs) load(content []byte, text, slurp bool) {
	switch {
	case text && slurp:
		in.ready = []any{string(content)}
	case text:
		for _, line := range splitLines(content) {
			in.ready = append(in.ready, line)
		}
	case slurp:
		in.ready = []any{in.i.documents(content)}
	default:
		in.decoder = json.NewDecoder(bytes.NewReader(content))
		in.decoder.UseNumber()
	}
}

// Next is what gojq asks for.
func (in *jqInputs) Next() (any, bool) {
	if len(in.ready) > 0 {
		v := in.ready[0]
		in.ready = in.ready[1:]
		return v, true
	}
	if in.decoder == nil {
		return nil, false
	}
	var v any
	err := in.decoder.Decode(&v)
	if errors.Is(err, io.EOF) {
		return nil, false
	}
	if err != nil {
		in.decoder = nil
		return err, true
	}
	return v, true
}
