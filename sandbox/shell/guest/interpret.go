package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"

	"countersign/sandbox/shell/guest/command"
	"countersign/sandbox/shell/guest/memfs"
)

// A shell is one script's world.
type shell struct{ files *memfs.FS }

func interpret(j job) ending {
	s := shell{files: memfs.New()}
	command.Furnish(s.files)
	interp.Files = &system{files: s.files, began: time.Now()}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(j.Source), j.Name)
	if err != nil {
		return broken(err)
	}
	env := []string{"HOME=/home/user", "PATH=/bin", "TMPDIR=/tmp", "USER=user", "LANG=C.UTF-8", "UID=1000", "EUID=1000", "GID=1000"}
	for _, name := range slices.Sorted(maps.Keys(j.Env)) {
		env = append(env, name+"="+j.Env[name])
	}
	code, err := s.run(context.Background(), file, env, "/home/user", nil, bytes.NewReader(j.Stdin), stream(1), stream(2))
	if err != nil {
		return ending{ExitCode: -1, Failure: err.Error()}
	}
	return ending{ExitCode: code}
}

func broken(err error) ending {
	e := ending{ExitCode: 2, Failure: err.Error()}
	if p, ok := errors.AsType[syntax.ParseError](err); ok {
		e.Failure, e.Line, e.Column = p.Text, p.Pos.Line(), p.Pos.Col()
	}
	if p, ok := errors.AsType[syntax.LangError](err); ok {
		e.Failure, e.Line, e.Column = p.Error(), p.Pos.Line(), p.Pos.Col()
	}
	e.Line, e.Column = max(e.Line, 1), max(e.Column, 1)
	return e
}

// run runs a parsed script in a new interpreter over the same files and returns its exit status.
func (s shell) run(
	ctx context.Context, file *syntax.File, env []string, dir string, params []string, stdin io.Reader, stdout, stderr io.Writer,
) (code int, err error) {
	defer func() {
		if v := recover(); v != nil {
			code, err = -1, fmt.Errorf("the shell does not support this script: %v", v)
		}
	}()
	r, err := interp.New(
		interp.Params(params...),
		interp.Env(expand.ListEnviron(env...)),
		interp.StdIO(stdin, stdout, stderr),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return s.execute }),
		interp.OpenHandler(s.open),
		interp.CallHandler(s.replace),
		interp.ReadDirHandler2(func(_ context.Context, p string) ([]fs.DirEntry, error) { return s.files.ReadDir(p) }),
		interp.StatHandler(func(_ context.Context, p string, _ bool) (fs.FileInfo, error) { return s.files.Stat(p) }),
	)
	if err != nil {
		return -1, err
	}
	r.Dir = dir
	err = r.Run(ctx, file)
	if status, ok := errors.AsType[interp.ExitStatus](err); ok {
		return int(status), nil
	}
	return 0, err
}

var assignable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\[[A-Za-z0-9_]+\])?$`)

// replace makes printf a command, as that of the interpreter knows few conversions. With -v it becomes an assignment.
func (s shell) replace(ctx context.Context, args []string) ([]string, error) {
	if args[0] != "printf" {
		return args, nil
	}
	if len(args) < 4 || args[1] != "-v" || !assignable.MatchString(args[2]) {
		return append([]string{"/bin/printf"}, args[1:]...), nil
	}
	var text bytes.Buffer
	h := interp.HandlerCtx(ctx)
	if code := s.call(ctx, append([]string{"printf"}, args[3:]...), nil, h.Dir, nil, &text, h.Stderr); code != 0 {
		return []string{"/bin/false"}, nil
	}
	quoted, err := syntax.Quote(text.String(), syntax.LangBash)
	if err != nil {
		return nil, err
	}
	return []string{"eval", args[2] + "=" + quoted}, nil
}

func (s shell) open(ctx context.Context, p string, flag int, _ os.FileMode) (io.ReadWriteCloser, error) {
	h := interp.HandlerCtx(ctx)
	return command.Open(s.files, absolute(h.Dir, p), flag, h.Stdin, h.Stdout, h.Stderr)
}

// execute runs a command that is no builtin.
func (s shell) execute(ctx context.Context, args []string) error {
	h := interp.HandlerCtx(ctx)
	env := map[string]string{}
	for name, v := range h.Env.Each {
		if v.Exported && v.Kind == expand.String && v.IsSet() {
			env[name] = v.String()
		} else {
			delete(env, name)
		}
	}
	if code := s.call(ctx, args, env, h.Dir, h.Stdin, h.Stdout, h.Stderr); code != 0 {
		return interp.ExitStatus(uint8(code))
	}
	return nil
}

// call runs a command by its name or its path.
func (s shell) call(
	ctx context.Context, args []string, env map[string]string, dir string, stdin io.Reader, stdout, stderr io.Writer,
) int {
	if stdin == nil {
		stdin = strings.NewReader("")
	}
	name := args[0]
	if strings.Contains(name, "/") {
		full := absolute(dir, name)
		info, err := s.files.Stat(full)
		switch {
		case err != nil:
			fmt.Fprintf(stderr, "%s: no such file or directory\n", name)
			return 127
		case info.IsDir():
			fmt.Fprintf(stderr, "%s: is a directory\n", name)
			return 126
		case info.Mode()&0o111 == 0:
			fmt.Fprintf(stderr, "%s: permission denied\n", name)
			return 126
		case path.Dir(full) != "/bin" || command.Lookup(path.Base(full)) == nil &&
			!isShell(path.Base(full)) && !interp.IsBuiltin(path.Base(full)):
			return s.script(ctx, full, args[1:], env, dir, stdin, stdout, stderr)
		}
		name = path.Base(full)
	}
	if isShell(name) {
		return s.shell(ctx, args, env, dir, stdin, stdout, stderr)
	}
	f := command.Lookup(name)
	switch {
	case f != nil:
	case interp.IsBuiltin(name):
		return s.shell(ctx, append([]string{"sh", "-c", `"$@"`, "sh", name}, args[1:]...), env, dir, stdin, stdout, stderr)
	default:
		fmt.Fprintf(stderr, "%s: command not found\n", name)
		return 127
	}
	i := &command.Invocation{
		Context: ctx, Name: name, Args: args[1:], Env: env, Dir: dir, Files: s.files, Stdin: stdin, Fetch: fetch,
		Call: func(ctx context.Context, c command.Child) int {
			return s.call(ctx, c.Args, c.Env, c.Dir, c.Stdin, c.Stdout, c.Stderr)
		},
	}
	return i.Run(f, stdout, stderr)
}

func isShell(name string) bool { return name == "sh" || name == "bash" }

// shell is the command sh: -c text, a file, or standard input.
func (s shell) shell(
	ctx context.Context, args []string, env map[string]string, dir string, stdin io.Reader, stdout, stderr io.Writer,
) int {
	var set []string
	inline := false
	rest := args[1:]
	for len(rest) > 0 && len(rest[0]) > 1 && rest[0][0] == '-' {
		flags := rest[0]
		rest = rest[1:]
		if flags == "--" {
			break
		}
		if flags == "-o" && len(rest) > 0 {
			set, rest = append(set, "-o", rest[0]), rest[1:]
			continue
		}
		for _, c := range flags[1:] {
			switch {
			case c == 'c':
				inline = true
			case strings.ContainsRune("aefnux", c):
				set = append(set, "-"+string(c))
			case c != 's' && c != 'l':
				fmt.Fprintf(stderr, "%s: -%c: invalid option\n", args[0], c)
				return 2
			}
		}
	}
	var text []byte
	var err error
	name := args[0]
	switch {
	case inline && len(rest) == 0:
		fmt.Fprintf(stderr, "%s: -c: option requires an argument\n", args[0])
		return 2
	case inline:
		text, rest = []byte(rest[0]), rest[1:]
		if len(rest) > 0 {
			name, rest = rest[0], rest[1:]
		}
	case len(rest) > 0:
		name = rest[0]
		text, err = s.files.ReadFile(absolute(dir, name))
		rest = rest[1:]
	default:
		text, err = io.ReadAll(stdin)
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", args[0], err)
		return 127
	}
	return s.text(ctx, text, name, append(append(set, "--"), rest...), env, dir, stdin, stdout, stderr)
}

// script runs a file that is executable.
func (s shell) script(
	ctx context.Context, full string, params []string, env map[string]string, dir string, stdin io.Reader, stdout, stderr io.Writer,
) int {
	text, err := s.files.ReadFile(full)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 126
	}
	if first, _, _ := bytes.Cut(text, []byte("\n")); bytes.HasPrefix(first, []byte("#!")) {
		line := strings.Fields(string(first[2:]))
		if len(line) == 0 || !isShell(path.Base(line[0])) && (path.Base(line[0]) != "env" || len(line) < 2 || !isShell(line[1])) {
			fmt.Fprintf(stderr, "%s: bad interpreter: %s\n", full, first)
			return 126
		}
	} else if bytes.IndexByte(first, 0) >= 0 {
		fmt.Fprintf(stderr, "%s: cannot execute binary file\n", full)
		return 126
	}
	return s.text(ctx, text, full, append([]string{"--"}, params...), env, dir, stdin, stdout, stderr)
}

func (s shell) text(
	ctx context.Context,
	text []byte,
	name string,
	params []string,
	env map[string]string,
	dir string,
	stdin io.Reader,
	stdout, stderr io.Writer,
) int {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(bytes.NewReader(text), name)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 2
	}
	list := make([]string, 0, len(env))
	for k, v := range env {
		list = append(list, k+"="+v)
	}
	code, err := s.run(ctx, file, list, dir, params, stdin, stdout, stderr)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return code
}

func absolute(dir, p string) string {
	if !path.IsAbs(p) {
		p = dir + "/" + p
	}
	return path.Clean(p)
}

// A system gives the interpreter what it would ask an operating system for.
type system struct {
	files  *memfs.FS
	began  time.Time
	steps  int
	random *rand.Rand
}

func (s *system) Stat(p string) (fs.FileInfo, error)                  { return s.files.Stat(p) }
func (s *system) Open(p string, flag int) (io.ReadWriteCloser, error) { return s.files.Open(p, flag) }
func (s *system) Mkfifo(p string) error                               { return s.files.Mkfifo(p) }

// IntN makes random numbers that differ from one script to the next.
func (s *system) IntN(n int) int {
	if s.random == nil {
		s.random = command.Generator()
	}
	return s.random.IntN(n)
}

// Seconds are those since the script began.
func (s *system) Seconds() int { return int(time.Since(s.began).Seconds()) }

// Yield lets other goroutines run from time to time: there is one thread and nothing interrupts it.
func (s *system) Yield() {
	if s.steps++; s.steps%256 == 0 {
		runtime.Gosched()
	}
}
