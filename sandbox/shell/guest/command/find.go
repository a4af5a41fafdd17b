package command

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"
)

// A finding is one file that find looks at.
type finding struct {
	shown string
	info  fs.FileInfo
}

type predicate func(f finding) bool

type finder struct {
	*Invocation

	args     []string
	min, max int
	acts     bool
	pruned   bool
	depth    bool
	batches  []*batch
	status   int
}

// A batch is one -exec that ends with +.
type batch struct {
	args  []string
	found []string
}

func find(i *Invocation) int {
	f := &finder{Invocation: i, args: i.Args, max: -1}
	var starts []string
	for len(f.args) > 0 && !strings.HasPrefix(f.args[0], "-") && f.args[0] != "(" && f.args[0] != "!" {
		starts = append(starts, f.args[0])
		f.args = f.args[1:]
	}
	if len(starts) == 0 {
		starts = []string{"."}
	}
	test := predicate(func(finding) bool { return true })
	if len(f.args) > 0 {
		test = f.either()
	}
	if len(f.args) > 0 {
		return i.fail(1, "unexpected '%s'", f.args[0])
	}
	if !f.acts {
		inner := test
		test = func(x finding) bool {
			if inner(x) {
				f.printf("%s\n", x.shown)
			}
			return true
		}
	}
	for _, start := range starts {
		info, err := i.Files.Stat(i.path(start))
		if err != nil {
			f.status = i.fail(1, "'%s': %v", start, why(err))
			continue
		}
		f.walk(finding{start, info}, 0, test)
	}
	for _, b := range f.batches {
		if len(b.found) > 0 && f.exec(append(b.args, b.found...)) != 0 {
			f.status = 1
		}
	}
	return f.status
}

func (f *finder) walk(x finding, depth int, test predicate) {
	look := func() {
		if depth >= f.min {
			test(x)
		}
	}
	f.pruned = false
	if !f.depth {
		look()
	}
	if x.info.IsDir() && !f.pruned && (f.max < 0 || depth < f.max) {
		entries, _ := f.Files.ReadDir(f.path(x.shown))
		for _, e := range entries {
			if info, err := e.Info(); err == nil {
				f.walk(finding{strings.TrimSuffix(x.shown, "/") + "/" + e.Name(), info}, depth+1, test)
			}
		}
	}
	f.pruned = false
	if f.depth {
		look()
	}
}

func (f *finder) take(what string) string {
	if len(f.args) == 0 {
		f.die(1, "missing argument to '%s'", what)
	}
	a := f.args[0]
	f.args = f.args[1:]
	return a
}

func (f *finder) next(words ...string) bool {
	for _, w := range words {
		if len(f.args) > 0 && f.args[0] == w {
			f.args = f.args[1:]
			return true
		}
	}
	return false
}

func (f *finder) either() predicate {
	p := f.both()
	for f.next("-o", "-or") {
		a, b := p, f.both()
		p = func(x finding) bool { return a(x) || b(x) }
	}
	return p
}

func (f *finder) both() predicate {
	p := f.one()
	for len(f.args) > 0 && f.args[0] != ")" && f.args[0] != "-o" && f.args[0] != "-or" {
		f.next("-a", "-and")
		a, b := p, f.one()
		p = func(x finding) bool { return a(x) && b(x) }
	}
	return p
}

func always(finding) bool { return true }

func (f *finder) one() predicate {
	name := f.take("an expression")
	switch name {
	case "!", "-not":
		p := f.one()
		return func(x finding) bool { return !p(x) }
	case "(":
		p := f.either()
		if !f.next(")") {
			f.die(1, "a ')' is missing")
		}
		return p
	case "-name", "-iname":
		pattern := f.take(name)
		fold := name == "-iname"
		if fold {
			pattern = strings.ToLower(pattern)
		}
		return func(x finding) bool {
			base := path.Base(x.shown)
			if fold {
				base = strings.ToLower(base)
			}
			ok, _ := path.Match(pattern, base)
			return ok
		}
	case "-path", "-wholename":
		pattern := f.take(name)
		return func(x finding) bool {
			// A star matches slashes as well here.
			ok, _ := path.Match(strings.ReplaceAll(pattern, "/", "\x01"), strings.ReplaceAll(x.shown, "/", "\x01"))
			return ok
		}
	case "-type":
		kinds := f.take(name)
		return func(x finding) bool {
			kind := "f"
			switch {
			case x.info.IsDir():
				kind = "d"
			case x.info.Mode()&fs.ModeNamedPipe != 0:
				kind = "p"
			case x.info.Mode()&fs.ModeCharDevice != 0:
				kind = "c"
			}
			return strings.Contains(kinds, kind)
		}
	case "-empty":
		return func(x finding) bool {
			if x.info.IsDir() {
				entries, _ := f.Files.ReadDir(f.path(x.shown))
				return len(entries) == 0
			}
			return x.info.Size() == 0
		}
	case "-size", "-mtime", "-mmin":
		return f.compared(name)
	case "-newer":
		info, err := f.Files.Stat(f.path(f.take(name)))
		if err != nil {
			f.die(1, "%v", err)
		}
		return func(x finding) bool { return x.info.ModTime().After(info.ModTime()) }
	case "-maxdepth", "-mindepth":
		n := f.count(f.take(name))
		if name == "-maxdepth" {
			f.max = n
		} else {
			f.min = n
		}
		return always
	case "-depth":
		f.depth = true
		return always
	case "-true":
		return always
	case "-false":
		return func(finding) bool { return false }
	}
	return f.action(name)
}

// compared reads +n, -n or n.
func (f *finder) compared(name string) predicate {
	text := f.take(name)
	sign := byte(0)
	if text != "" && (text[0] == '+' || text[0] == '-') {
		sign, text = text[0], text[1:]
	}
	unit := int64(512)
	if name == "-size" && text != "" {
		if u, ok := map[byte]int64{'c': 1, 'w': 2, 'b': 512, 'k': 1 << 10, 'M': 1 << 20, 'G': 1 << 30}[text[len(text)-1]]; ok {
			unit, text = u, text[:len(text)-1]
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		f.die(1, "invalid argument '%s' to '%s'", text, name)
	}
	return func(x finding) bool {
		var v int64
		switch name {
		case "-size":
			v = (x.info.Size() + unit - 1) / unit
		case "-mtime":
			v = int64(time.Since(x.info.ModTime()) / (24 * time.Hour))
		default:
			v = int64(time.Since(x.info.ModTime()) / time.Minute)
		}
		switch sign {
		case '+':
			return v > n
		case '-':
			return v < n
		}
		return v == n
	}
}

func (f *finder) action(name string) predicate {
	switch name {
	case "-prune":
		return func(finding) bool {
			f.pruned = true
			return true
		}
	case "-print", "-print0":
		f.acts = true
		end := "\n"
		if name == "-print0" {
			end = "\x00"
		}
		return func(x finding) bool {
			f.printf("%s%s", x.shown, end)
			return true
		}
	case "-quit":
		f.acts = true
		return func(finding) bool { panic(exit(f.status)) }
	case "-delete":
		f.acts, f.depth = true, true
		return func(x finding) bool {
			if err := f.Files.Remove(f.path(x.shown)); err != nil {
				f.complain("cannot delete '%s': %v", x.shown, why(err))
				f.status = 1
				return false
			}
			return true
		}
	case "-exec":
		f.acts = true
		var args []string
		for {
			a := f.take("-exec")
			if a == ";" {
				break
			}
			if a == "+" && len(args) > 0 && args[len(args)-1] == "{}" {
				b := &batch{args: args[:len(args)-1]}
				f.batches = append(f.batches, b)
				return func(x finding) bool {
					b.found = append(b.found, x.shown)
					return true
				}
			}
			args = append(args, a)
		}
		if len(args) == 0 {
			f.die(1, "missing command of '-exec'")
		}
		return func(x finding) bool {
			filled := make([]string, len(args))
			for k, a := range args {
				filled[k] = strings.ReplaceAll(a, "{}", x.shown)
			}
			return f.exec(filled) == 0
		}
	}
	f.die(1, "unknown predicate '%s'", name)
	return nil
}

func (f *finder) exec(args []string) int { return f.child(args, f.Stdin) }
