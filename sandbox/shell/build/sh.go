package main

// shellPatch adapts mvdan.cc/sh to wasip1, which has no pipes, no named pipes, no system files and no signals: pipes
// are the module's own for js, and the rest goes through the functions of added.
func shellPatch() patch {
	return patch{
		module:  "mvdan.cc/sh/v3",
		folders: []string{"expand", "fileutil", "internal", "interp", "pattern", "syntax"},
		// The ending _js of a file's name limits it to that system, whatever its build constraint says.
		renamed: map[string]string{"interp/stdin_js.go": "interp/stdin_nopipe.go"},
		added:   map[string]string{"interp/system.go": shellSystem, "expand/anchored.go": shellAnchored},
		edits:   shellEdits(),
	}
}

func shellEdits() []edit {
	return []edit{
		{"interp/stdin_nopipe.go", "//go:build js\n", "//go:build js || wasip1\n"},
		{"interp/stdin_os.go", "//go:build !js\n", "//go:build !js && !wasip1\n"},
		{"interp/api.go", `if runtime.GOOS == "js" {`, `if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {`},
		// The search for a command in PATH uses the guest's file system.
		{"interp/handler.go", "	info, err := os.Stat(file)\n", "	info, err := Files.Stat(file)\n"},
		// Process substitution.
		{"interp/os_notunix.go", "	return fmt.Errorf(\"unsupported\")\n", "	return Files.Mkfifo(path)\n"},
		{
			"interp/runner.go", "f, err := os.OpenFile(path, os.O_WRONLY, 0)\n					if",
			"f, err := Files.Open(path, os.O_WRONLY)\n					if",
		},
		{
			"interp/runner.go", "f, err := os.OpenFile(path, os.O_RDONLY, 0)\n					if",
			"f, err := Files.Open(path, os.O_RDONLY)\n					if",
		},
		{"interp/runner.go", "r2.stdin = f\n", "r2.stdin = jsReader{f}\n"},
		{"interp/runner.go", "return os.OpenFile(path, flags, mode)", "return Files.Open(path, flags)"},
		// A builtin that writes into a closed pipe ends its shell, as SIGPIPE would, and a loop yields to other
		// goroutines.
		{
			"interp/runner.go", "	io.WriteString(r.stdout, s)\n",
			"	_, err := io.WriteString(r.stdout, s)\n	r.piped(err)\n",
		},
		{
			"interp/runner.go", "	fmt.Fprintf(r.stdout, format, a...)\n",
			"	_, err := fmt.Fprintf(r.stdout, format, a...)\n	r.piped(err)\n",
		},
		{
			"interp/runner.go", "func (r *Runner) stop(ctx context.Context) bool {\n",
			"func (r *Runner) stop(ctx context.Context) bool {\n	Files.Yield()\n	if r.brokenPipe {\n" +
				"		r.exit.code, r.exit.exiting = 141, true\n		return true\n	}\n",
		},
		{
			"interp/api.go",
			"	stdin  stdinFile // e.g. the read end of a pipe\n",
			"	stdin  stdinFile // e.g. the read end of a pipe\n	brokenPipe bool\n",
		},
		// A generator that Go seeds itself would continue identically in each copy of the prepared guest.
		{"interp/vars.go", "n = mathrand.IntN(randomMax)", "n = Files.IntN(randomMax)"},
		// An array that has got an element is set.
		{"interp/builtin.go", "		vr.Kind = expand.Indexed\n		scanner", "		vr.Set, vr.Kind = true, expand.Indexed\n		scanner"},
		{
			"interp/vars.go",
			"		prev.Map[k] = valStr\n		r.setVar(name, prev)\n",
			"		prev.Map[k], prev.Set = valStr, true\n		r.setVar(name, prev)\n",
		},
		{
			"interp/vars.go",
			"	prev.Indexes = indexes\n	r.setVar(name, prev)\n",
			"	prev.Indexes, prev.Set = indexes, true\n	r.setVar(name, prev)\n",
		},
		// ${name/#start/other} and ${name/%end/other}.
		{
			"expand/param.go", "	with, err := Literal(cfg, repl.With)\n	if err != nil {\n		return nil, err\n	}\n",
			"	with, err := Literal(cfg, repl.With)\n	if err != nil {\n		return nil, err\n	}\n" +
				"	if !repl.All && (orig[0] == '#' || orig[0] == '%') {\n		return anchored(orig, with, elems), nil\n	}\n",
		},
		{
			"interp/vars.go",
			"	case \"SRANDOM\":",
			"	case \"SECONDS\":\n		vr.Kind, vr.Str = expand.String, strconv.Itoa(Files.Seconds())\n	case \"SRANDOM\":",
		},
		// The keyword time writes to the standard error.
		{
			"interp/runner.go", `			r.outf("\n")
		}
		real := time.Since(start)
		r.outf(format, "real", elapsedString(real, cm.PosixFormat))
		// TODO: can we do these?
		r.outf(format, "user", elapsedString(0, cm.PosixFormat))
		r.outf(format, "sys", elapsedString(0, cm.PosixFormat))
`, `			r.errf("\n")
		}
		real := time.Since(start)
		r.errf(format, "real", elapsedString(real, cm.PosixFormat))
		r.errf(format, "user", elapsedString(0, cm.PosixFormat))
		r.errf(format, "sys", elapsedString(0, cm.PosixFormat))
`,
		},
		{"interp/vars.go", `vr.Str = "gosh"`, `vr.Str = "sh"`},
	}
}

const shellSystem = `package interp

import (
	"errors"
	"io"
	"io/fs"
)

// System is what the interpreter would ask the operating system for outside of its handlers.
type System interface {
	Stat(path string) (fs.FileInfo, error)
	Open(path string, flag int) (io.ReadWriteCloser, error)
	Mkfifo(path string) error
	Yield()
	IntN(n int) int
	// Seconds are those since the script began.
	Seconds() int
}

// Files is the System of the whole process.
var Files System

func (r *Runner) piped(err error) {
	if errors.Is(err, io.ErrClosedPipe) {
		r.brokenPipe = true
	}
}
`

const shellAnchored = `package expand

// anchored replaces what matches at the start, for a pattern after #, or at the end, for one after %.
func anchored(pattern, with string, elems []string) []string {
	out := make([]string, len(elems))
	for i, elem := range elems {
		end := pattern[0] == '%'
		rest := removePattern(elem, pattern[1:], end, false)
		switch {
		case rest == elem && len(pattern) > 1:
			out[i] = elem
		case end:
			out[i] = rest + with
		default:
			out[i] = with + rest
		}
	}
	return out
}
`
