package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/benhoyt/goawk/interp"
	"github.com/benhoyt/goawk/lexer"
	"github.com/benhoyt/goawk/parser"
)

// awk is goawk: POSIX with its modes for CSV and the functions about time that most others have.
func awk(i *Invocation) int {
	given, operands := i.options("F:f:v:i:o:Hr", map[string]string{
		"field-separator": "F", "file": "f", "assign": "v", "csv": "csv", "re-interval": "r", "version": "version",
	}, true)
	config := &interp.Config{
		System: awkSystem{i}, Stdin: i.Stdin, Output: i.Out, Error: i.Err, Argv0: i.Name, Chars: true,
		NewlineOutput: interp.RawNewlineMode, Environ: []string{}, Funcs: awkFunctions(),
	}
	for _, name := range slices.Sorted(maps.Keys(i.Env)) {
		config.Environ = append(config.Environ, name, i.Env[name])
	}
	var source awkSource
	input, header := "", ""
	for _, o := range given {
		switch o.name {
		case "F":
			if o.value == "t" {
				o.value = `\t`
			}
			config.Vars = append(config.Vars, "FS", unescaped(o.value))
		case "f":
			text, err := i.open(o.value, os.O_RDONLY)
			if err != nil {
				return i.fail(2, "%s: %v", o.value, err)
			}
			all, _ := io.ReadAll(text)
			source.add(o.value, string(all))
		case "v":
			name, value, found := strings.Cut(o.value, "=")
			if !found {
				return i.fail(2, "-v %s: give name=value", o.value)
			}
			config.Vars = append(config.Vars, name, unescaped(value))
		case "csv":
			input = "csv"
		case "i":
			input = o.value
		case "o":
			config.Vars = append(config.Vars, "OUTPUTMODE", o.value)
		case "H":
			header = " header"
		case "version":
			i.printf("awk of the sandbox, goawk 1\n")
			return 0
		}
	}
	switch {
	case input != "":
		config.Vars = append(config.Vars, "INPUTMODE", input+header)
	case header != "":
		return i.fail(2, "-H goes with --csv or -i")
	}
	if len(source.parts) == 0 {
		if len(operands) == 0 {
			return i.fail(2, "give a program, or -f and a file")
		}
		source.add("", operands[0])
		operands = operands[1:]
	}
	config.Args = operands
	program, err := parser.ParseProgram([]byte(source.text.String()), &parser.ParserConfig{Funcs: config.Funcs})
	if p, ok := errors.AsType[*parser.ParseError](err); ok {
		return i.fail(2, "%s: %s", source.position(p.Position), p.Message)
	}
	if err != nil {
		return i.fail(2, "%v", err)
	}
	return i.runAwk(program, config)
}

func (i *Invocation) runAwk(program *parser.Program, config *interp.Config) int {
	in, err := interp.New(program)
	if err != nil {
		return i.fail(2, "%v", err)
	}
	status, err := in.ExecuteContext(i.Context, config)
	if i.Context.Err() != nil || errors.Is(err, io.ErrClosedPipe) {
		return int(brokenPipe)
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return i.fail(2, "%s: %v", p.Path, p.Err)
	}
	if err != nil && strings.HasSuffix(err.Error(), bufio.ErrTooLong.Error()) {
		return i.fail(2, "a record is longer than 10 MB")
	}
	if err != nil {
		return i.fail(2, "%v", err)
	}
	return status & 0xff
}

// unescaped reads the backslashes of an assignment.
func unescaped(value string) string {
	if text, err := lexer.Unescape(value); err == nil {
		return text
	}
	return value
}

// An awkSource is one program from one or more files.
type awkSource struct {
	text  strings.Builder
	parts []awkPart
}

type awkPart struct {
	name  string
	lines int
}

func (s *awkSource) add(name, text string) {
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	s.text.WriteString(text)
	s.parts = append(s.parts, awkPart{name, strings.Count(text, "\n")})
}

// position names a place in the file that it is in.
func (s *awkSource) position(p lexer.Position) string {
	line := p.Line
	for n, part := range s.parts {
		if line <= part.lines || n == len(s.parts)-1 {
			at := fmt.Sprintf("line %d, column %d", line, p.Column)
			if part.name != "" {
				at = part.name + ", " + at
			}
			return at
		}
		line -= part.lines
	}
	return ""
}

// An awkSystem opens the files of the script and runs commands in its shell.
type awkSystem struct{ i *Invocation }

func (s awkSystem) Open(name string, flag int) (io.ReadWriteCloser, error) {
	f, err := s.i.open(name, flag)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return f, nil
}

func (s awkSystem) Run(command string, stdin io.Reader, stdout io.Writer) int {
	if stdin == nil {
		stdin = s.i.Stdin
	}
	if stdout == nil {
		stdout = s.i.stdout
	}
	return s.i.Call(s.i.Context, Child{
		Args: []string{"sh", "-c", command}, Env: s.i.Env, Dir: s.i.Dir, Stdin: stdin, Stdout: stdout, Stderr: s.i.stderr,
	})
}

// awkFunctions are those that POSIX does not have. The only time zone is UTC.
func awkFunctions() map[string]any {
	return map[string]any{
		"systime": func() int64 { return time.Now().Unix() },
		"mktime": func(text string) int64 {
			var part [6]int
			words := strings.Fields(text)
			if len(words) != 6 && len(words) != 7 {
				return -1
			}
			for n := range part {
				value, err := strconv.Atoi(words[n])
				if err != nil {
					return -1
				}
				part[n] = value
			}
			return time.Date(part[0], time.Month(part[1]), part[2], part[3], part[4], part[5], 0, time.UTC).Unix()
		},
		"strftime": func(args ...string) string {
			layout, at := "%a %b %e %H:%M:%S UTC %Y", time.Now()
			if len(args) > 0 {
				layout = args[0]
			}
			if len(args) > 1 {
				seconds, _ := strconv.ParseFloat(args[1], 64)
				at = time.Unix(int64(seconds), 0)
			}
			return strftime(layout, at.UTC())
		},
	}
}
