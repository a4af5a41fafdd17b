// Package command has the commands that a script finds besides the builtins of the shell. They work on the files of the
// script and reach nothing else, but for curl, which asks the host.
//
// They do what POSIX and the usual GNU options say, as far as docs/reference/shell-commands.md lists them. An option that
// is not known ends a command with status 2; none is ignored silently unless it cannot make a difference.
package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"

	"countersign/sandbox/shell/guest/memfs"
)

// Func is a command. It returns its exit status.
type Func func(i *Invocation) int

// Invocation is one call of a command.
type Invocation struct {
	Context context.Context
	Name    string
	Args    []string
	Env     map[string]string
	Dir     string
	Files   *memfs.FS
	Stdin   io.Reader
	// Out is buffered; what is written to Err comes after what is already in Out.
	Out *bufio.Writer
	Err io.Writer
	// stdout and stderr are behind Out and Err, for commands that run at the same time as this one.
	stdout, stderr io.Writer
	// Call runs another command, Fetch makes an HTTP request.
	Call  func(ctx context.Context, c Child) int
	Fetch func(ctx context.Context, r Request) (Response, error)
}

// Child is a command that a command runs.
type Child struct {
	Args           []string
	Env            map[string]string
	Dir            string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Request and Response are those of the host.
type (
	// Request is what curl asks for.
	Request struct {
		Method  string            `json:"method"`
		URL     string            `json:"url"`
		Headers map[string]string `json:"headers"`
		Body    []byte            `json:"body"`
	}
	// Response is what it gets.
	Response struct {
		Status     int               `json:"status"`
		StatusText string            `json:"statusText"`
		Headers    map[string]string `json:"headers"`
		Body       []byte            `json:"body"`
	}
)

func commands() map[string]Func {
	return map[string]Func{
		"awk":     awk,
		"base64":  encodeBase64,
		"cat":     cat,
		"chmod":   chmod,
		"cp":      cp,
		"curl":    curl,
		"cut":     cut,
		"date":    date,
		"diff":    diff,
		"env":     env,
		"find":    find,
		"grep":    grep,
		"gunzip":  gzipped,
		"gzip":    gzipped,
		"head":    head,
		"jq":      jq,
		"ls":      ls,
		"mkdir":   mkdir,
		"mktemp":  mktemp,
		"mv":      mv,
		"od":      od,
		"printf":  printf,
		"rm":      rm,
		"sed":     sed,
		"seq":     seq,
		"shuf":    shuf,
		"sleep":   sleep,
		"sort":    sortLines,
		"split":   split,
		"tac":     tac,
		"tail":    tail,
		"tee":     tee,
		"timeout": timeout,
		"touch":   touch,
		"tr":      tr,
		"uniq":    uniq,
		"wc":      wc,
		"xargs":   xargs,
		"xxd":     xxd,
		"yes":     yes,
	}
}

var table map[string]Func

// Lookup returns a command, nil when there is none of this name.
func Lookup(name string) Func {
	if table == nil {
		table = commands()
	}
	return table[name]
}

// Furnish puts the commands into /bin and the devices into /dev.
func Furnish(files *memfs.FS) {
	names := slices.Concat([]string{"sh", "bash", "true", "false", "[", "test", "echo", "pwd"}, slices.Collect(maps.Keys(commands())))
	for _, name := range names {
		_ = files.WriteFile("/bin/"+name, nil)
		_ = files.Chmod("/bin/"+name, 0o755)
	}
	for name, open := range devices() {
		files.Device("/dev/"+name, open)
	}
}

// Run runs a command. A command whose output pipe is closed ends with status 141, as by SIGPIPE.
func (i *Invocation) Run(f Func, stdout, stderr io.Writer) (status int) {
	i.Stdin, i.stdout, i.stderr = reader{i.Context, i.Stdin}, stdout, stderr
	i.Out = bufio.NewWriter(writer{i.Context, stdout})
	i.Err = after{i.Out, writer{i.Context, stderr}}
	defer func() {
		switch v := recover().(type) {
		case nil:
		case exit:
			status = int(v)
		default:
			panic(v)
		}
	}()
	defer func() {
		if v := recover(); v != nil {
			if e, ok := v.(exit); !ok || e != brokenPipe {
				_ = i.Out.Flush()
			}
			panic(v)
		}
		_ = i.Out.Flush()
	}()
	return f(i)
}

// An exit is the value of a panic that ends a command.
type exit int

const brokenPipe exit = 141

type reader struct {
	ctx context.Context
	r   io.Reader
}

func (r reader) Read(b []byte) (int, error) {
	runtime.Gosched()
	if r.ctx.Err() != nil {
		panic(brokenPipe)
	}
	n, err := r.r.Read(b)
	if errors.Is(err, io.ErrClosedPipe) {
		err = io.EOF
	}
	return n, err
}

type writer struct {
	ctx context.Context
	w   io.Writer
}

func (w writer) Write(b []byte) (int, error) {
	runtime.Gosched()
	if w.ctx.Err() != nil {
		panic(brokenPipe)
	}
	n, err := w.w.Write(b)
	if err != nil {
		panic(brokenPipe)
	}
	return n, nil
}

type after struct {
	first *bufio.Writer
	w     io.Writer
}

func (a after) Write(b []byte) (int, error) {
	_ = a.first.Flush()
	return a.w.Write(b)
}

func (i *Invocation) printf(format string, a ...any) { _, _ = fmt.Fprintf(i.Out, format, a...) }

// complain writes a message of the command.
func (i *Invocation) complain(format string, a ...any) {
	_, _ = fmt.Fprintf(i.Err, i.Name+": "+format+"\n", a...)
}

// fail complains and returns a status.
func (i *Invocation) fail(status int, format string, a ...any) int {
	i.complain(format, a...)
	return status
}

// die complains and ends the command.
func (i *Invocation) die(status int, format string, a ...any) {
	i.complain(format, a...)
	panic(exit(status))
}

// path makes the path of an operand absolute.
func (i *Invocation) path(p string) string {
	if !path.IsAbs(p) {
		p = i.Dir + "/" + p
	}
	return path.Clean(p)
}

// why returns the cause of a file error, without the operation.
func why(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// Open opens a file with the flags of package os; the standard streams are those of the calling command.
func Open(files *memfs.FS, p string, flag int, stdin io.Reader, stdout, stderr io.Writer) (io.ReadWriteCloser, error) {
	switch p {
	case "/dev/stdin", "/dev/fd/0":
		return standard{r: stdin}, nil
	case "/dev/stdout", "/dev/fd/1":
		return standard{w: stdout}, nil
	case "/dev/stderr", "/dev/fd/2":
		return standard{w: stderr}, nil
	}
	return files.Open(p, flag)
}

type standard struct {
	r io.Reader
	w io.Writer
}

func (s standard) Read(b []byte) (int, error) {
	if s.r == nil {
		return 0, io.EOF
	}
	return s.r.Read(b)
}

func (s standard) Write(b []byte) (int, error) {
	if s.w == nil {
		return len(b), nil
	}
	return s.w.Write(b)
}

func (standard) Close() error { return nil }

func (i *Invocation) open(p string, flag int) (io.ReadWriteCloser, error) {
	if p == "-" && flag == os.O_RDONLY {
		return standard{r: i.Stdin}, nil
	}
	if p == "" {
		return nil, fs.ErrNotExist
	}
	f, err := Open(i.Files, i.path(p), flag, i.Stdin, i.Out, i.Err)
	if err != nil {
		return nil, why(err)
	}
	if s, ok := f.(standard); ok {
		return s, nil
	}
	return opened{reader{i.Context, f}, writer{i.Context, f}, f}, nil
}

type opened struct {
	io.Reader
	io.Writer
	io.Closer
}

// inputs calls f for each file, or for the standard input without one, and returns 1 when one does not open.
func (i *Invocation) inputs(names []string, f func(name string, r io.Reader)) int {
	if len(names) == 0 {
		names = []string{"-"}
	}
	status := 0
	for _, name := range names {
		r, err := i.open(name, os.O_RDONLY)
		if err != nil {
			status = i.fail(1, "%s: %v", name, err)
			continue
		}
		f(name, r)
		_ = r.Close()
	}
	return status
}

// input reads one file, or the standard input for "-".
func (i *Invocation) input(name string) []byte {
	r, err := i.open(name, os.O_RDONLY)
	if err != nil {
		i.die(1, "%s: %v", name, err)
	}
	b, err := io.ReadAll(r)
	_ = r.Close()
	if err != nil {
		i.die(1, "%s: %v", name, err)
	}
	return b
}

// all reads all files together.
func (i *Invocation) all(names []string) ([]byte, int) {
	var b []byte
	status := i.inputs(names, func(_ string, r io.Reader) {
		more, _ := io.ReadAll(r)
		b = append(b, more...)
	})
	return b, status
}

// lines calls f for each line without its end; f returns false to stop. The last line needs no end.
func lines(r io.Reader, f func(line string) bool) { records(r, '\n', f) }

func records(r io.Reader, end byte, f func(line string) bool) {
	b := bufio.NewReaderSize(r, 32<<10)
	for {
		line, err := b.ReadString(end)
		if line != "" || err == nil {
			if !f(strings.TrimSuffix(line, string(end))) {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func splitLines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}
