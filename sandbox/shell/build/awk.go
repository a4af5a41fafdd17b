package main

// awkPatch makes goawk open files and run commands through its Config, and fixes its deviations from POSIX awk.
func awkPatch() patch {
	return patch{
		module:  "github.com/benhoyt/goawk",
		folders: []string{"interp", "lexer", "parser", "internal/ast", "internal/compiler", "internal/resolver"},
		added:   map[string]string{"interp/system.go": awkSystem, "internal/compiler/regex.go": awkRegex},
		edits:   append(awkSystemEdits(), awkLanguageEdits()...),
	}
}

func awkSystemEdits() []edit {
	return []edit{
		{"interp/interp.go", "type Config struct {\n", "type Config struct {\n	System System\n\n"}, //nolint:dupword // a field
		{"interp/interp.go", "	shellCommand  []string\n", "	shellCommand  []string\n	system System\n"},
		{"interp/interp.go", "	p.noExec = config.NoExec\n", "	p.noExec = config.NoExec\n	p.system = config.System\n"},
		{"interp/io.go", "f, err := os.OpenFile(name, flags, 0644)", "f, err := p.system.Open(name, flags)"},
		{"interp/io.go", "f, err := os.Open(name)", "f, err := p.system.Open(name, os.O_RDONLY)"},
		{"interp/io.go", "input, err := os.Open(filename)", "input, err := p.system.Open(filename, os.O_RDONLY)"},
		{
			"interp/io.go", `		cmd := p.execShell(name)
		cmd.Stdout = p.output
		cmd.Stderr = p.errorOutput
		p.flushOutputAndError() // ensure synchronization
		out, err := newOutCmdStream(cmd)
		if err != nil {
			p.printErrorf("%s\n", err)
			out = newOutNullStream()
		}
`, `		p.flushOutputAndError() // ensure synchronization
		out := p.startReader(name)
`,
		},
		{
			"interp/io.go", `	cmd := p.execShell(name)
	cmd.Stdin = p.stdin
	cmd.Stderr = p.errorOutput
	p.flushOutputAndError() // ensure synchronization
	in, err := newInCmdStream(cmd)
	if err != nil {
		p.printErrorf("%s\n", err)
		return bufio.NewScanner(strings.NewReader("")), nil
	}
`, `	p.flushOutputAndError() // ensure synchronization
	in := p.startWriter(name)
`,
		},
		{
			"interp/vm.go", `		cmd := p.execShell(cmdline)
		cmd.Stdin = p.stdin
		cmd.Stdout = p.output
		cmd.Stderr = p.errorOutput
		_ = p.flushAll() // ensure synchronization
		err := cmd.Start()
		if err != nil {
			// Could not start the shell so skip waiting on it.
			p.printErrorf("%v\n", err)
			p.replaceTop(num(-1.0))
			return nil
		}
		exitCode, err := waitExitCode(cmd)
		if err != nil {
			if p.checkCtx && p.ctx.Err() != nil {
				return p.ctx.Err()
			}
			p.printErrorf("%v\n", err)
		}
`, `		_ = p.flushAll() // ensure synchronization
		exitCode := p.system.Run(cmdline, nil, nil)
`,
		},
		// There is one thread and nothing interrupts it: others run, and a canceled program ends, when it looks.
		{"interp/newexecute.go", "checkCtx = ctx != context.Background() && ctx != context.TODO()", "checkCtx = true"},
		{
			"interp/newexecute.go",
			"func (p *interp) checkContextNow() error {\n",
			"func (p *interp) checkContextNow() error {\n	runtime.Gosched()\n",
		},
		{"interp/newexecute.go", "	\"math\"\n", "	\"math\"\n	\"runtime\"\n"},
	}
}

func awkLanguageEdits() []edit {
	return []edit{
		// Loops over arrays have an order.
		{"interp/vm.go", "for index := range array {", "for _, index := range ordered(array) {"},
		// substr counts from the place that was given, even before the text, and rounds.
		{
			"interp/vm.go", "		length := int(lengthValue.num())\n		pos := int(posValue.num())\n",
			"		pos, length := within(posValue.num(), lengthValue.num())\n",
		},
		{
			"interp/vm.go",
			"		pos := int(posValue.num())\n		s := p.toString(sValue)\n",
			"		pos, _ := within(posValue.num(), 0)\n		s := p.toString(sValue)\n",
		},
		{"interp/vm.go", "num(float64(int64(p.peekTop().num())))", "num(math.Trunc(p.peekTop().num()))"},
		// A line of a command counts.
		{
			"interp/vm.go", "			return 0, \"\", nil\n		}\n		return 1, scanner.Text(), nil\n\n	case lexer.LESS:",
			"			return 0, \"\", nil\n		}\n		p.lineNum++\n		return 1, scanner.Text(), nil\n\n	case lexer.LESS:",
		},
		// The words info and nancy are no numbers.
		{
			"interp/value.go",
			"	n, err := strconv.ParseFloat(s, 64)\n",
			"	if wordy(s) {\n		return 0, strconv.ErrSyntax\n	}\n	n, err := strconv.ParseFloat(s, 64)\n",
		},
		{"interp/value.go", "	if i+3 <= len(s) {\n", "	if i > start && i+3 == len(strings.TrimRight(s, \" \\t\\n\")) {\n"},
		// The %g of C has six digits.
		{"interp/functions.go", "	out := []byte(s)\n", "	s = precise(s)\n	out := []byte(s)\n"},
		// Go writes about a width that it finds too large into the text.
		{
			"interp/functions.go", "	return fmt.Sprintf(format, converted...), nil\n",
			"	if wide(format, converted) {\n		return \"\", newError(\"format error: the width or the precision is too large\")\n	}\n" +
				"	return fmt.Sprintf(format, converted...), nil\n",
		},
		{"internal/compiler/compiler.go", `return "(?s:" + regex + ")"`, `return "(?s:" + boundaries(regex) + ")"`},
	}
}

const awkSystem = `package interp

import (
	"bufio"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// System is what the interpreter would ask the operating system for.
type System interface {
	// Open takes the flags of package os. Its error is an *fs.PathError.
	Open(name string, flag int) (io.ReadWriteCloser, error)
	// Run runs a command of the shell and returns its exit status. Without stdin or stdout it has those of the program.
	Run(command string, stdin io.Reader, stdout io.Writer) int
}

// A child is a command that runs at the same time.
type child struct {
	done   chan int
	code   int
	closed bool
}

func (c *child) ExitCode() int { return c.code }

func (c *child) wait() { c.code = <-c.done }

// A reader is a command that reads what the program prints.
type reader struct {
	child
	*bufio.Writer
	pipe *io.PipeWriter
}

func (p *interp) startReader(command string) outputStream {
	r, w := io.Pipe()
	s := &reader{child{make(chan int, 1), notClosedExitCode, false}, bufio.NewWriterSize(w, outputBufSize), w}
	go func() {
		code := p.system.Run(command, r, nil)
		_ = r.Close()
		s.done <- code
	}()
	return s
}

func (s *reader) Close() error {
	if s.closed {
		return errDoubleClose
	}
	s.closed = true
	_ = s.Flush()
	_ = s.pipe.Close()
	s.wait()
	return nil
}

// A writer is a command that prints what the program reads.
type writer struct {
	child
	*io.PipeReader
}

func (p *interp) startWriter(command string) inputStream {
	r, w := io.Pipe()
	s := &writer{child{make(chan int, 1), notClosedExitCode, false}, r}
	go func() {
		code := p.system.Run(command, nil, w)
		_ = w.Close()
		s.done <- code
	}()
	return s
}

func (s *writer) Close() error {
	if s.closed {
		return errDoubleClose
	}
	s.closed = true
	_ = s.PipeReader.Close()
	s.wait()
	return nil
}

// ordered returns the indexes of an array: numbers by their values, then the others.
func ordered(array map[string]value) []string {
	type index struct {
		text   string
		number float64
		isText bool
	}
	list := make([]index, 0, len(array))
	for text := range array {
		n, err := strconv.ParseFloat(text, 64)
		list = append(list, index{text, n, err != nil || n != n})
	}
	slices.SortFunc(list, func(a, b index) int {
		switch {
		case a.isText != b.isText && b.isText:
			return -1
		case a.isText != b.isText:
			return 1
		case !a.isText && a.number < b.number:
			return -1
		case !a.isText && a.number > b.number:
			return 1
		}
		return strings.Compare(a.text, b.text)
	})
	texts := make([]string, len(list))
	for n, i := range list {
		texts[n] = i.text
	}
	return texts
}

// within returns the first character and the number of characters that substr takes.
func within(position, length float64) (int, int) {
	const most = 1 << 30
	first := math.RoundToEven(math.Min(math.Max(position, -most), most))
	end := first + math.RoundToEven(math.Min(math.Max(length, -most), 2*most))
	if !(first >= 1) {
		first = 1
	}
	if !(end > first) {
		end = first
	}
	return int(first), int(end - first)
}

// wordy says whether a text without blanks around it would be the name of a number.
func wordy(s string) bool {
	return s != "" && (s[0]|0x20 == 'i' || s[0]|0x20 == 'n')
}

// wide says whether a format has a width or a precision that is too large.
func wide(format string, args []any) bool {
	const digits, most = 5, 100000
	next := 0
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		run := 0
		for i++; i < len(format) && strings.IndexByte(" .-+*#0123456789", format[i]) >= 0; i++ {
			switch {
			case format[i] == '*':
				if n, ok := args[next].(int64); ok && (n > most || n < -most) {
					return true
				}
				next++
				run = 0
			case format[i] >= '0' && format[i] <= '9':
				run++
			default:
				run = 0
			}
			if run > digits {
				return true
			}
		}
		if i < len(format) && format[i] != '%' {
			next++
		}
	}
	return false
}

// precise gives each %g and %G of a format a precision.
func precise(format string) string {
	if !strings.ContainsAny(format, "gG") {
		return format
	}
	var b strings.Builder
	for {
		at := strings.IndexByte(format, '%')
		if at < 0 {
			return b.String() + format
		}
		end := at + 1
		for end < len(format) && strings.IndexByte(" -+*#0123456789", format[end]) >= 0 {
			end++
		}
		b.WriteString(format[:end])
		if end < len(format) {
			if format[end] == 'g' || format[end] == 'G' {
				b.WriteString(".6")
			}
			b.WriteByte(format[end])
			end++
		}
		format = format[end:]
	}
}
`

const awkRegex = `package compiler

import "strings"

// boundaries spells the ends of words as package regexp does.
func boundaries(regex string) string {
	if !strings.Contains(regex, "\\") {
		return regex
	}
	out := []byte(regex)
	in := false
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '[' && !in:
			in = true
			if i+1 < len(out) && out[i+1] == '^' {
				i++
			}
			if i+1 < len(out) && out[i+1] == ']' {
				i++
			}
		case c == ']':
			in = false
		case c == '\\' && i+1 < len(out):
			i++
			if !in && strings.IndexByte("<>y", out[i]) >= 0 {
				out[i] = 'b'
			}
		}
	}
	return string(out)
}
`
