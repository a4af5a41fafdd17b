package command

import (
	"errors"
	"io/fs"
	"path"
	"strconv"
	"time"
)

func touch(i *Invocation) int {
	given, names := i.options("acmd:r:t:", map[string]string{"no-create": "c", "date": "d", "reference": "r"}, false)
	create, at := true, time.Now()
	for _, o := range given {
		switch o.name {
		case "c":
			create = false
		case "d":
			t, err := moment(o.value, at.UTC())
			if err != nil {
				return i.fail(1, "invalid date '%s'", o.value)
			}
			at = t
		case "r":
			info, err := i.Files.Stat(i.path(o.value))
			if err != nil {
				return i.fail(1, "%s: %v", o.value, why(err))
			}
			at = info.ModTime()
		case "t":
			return i.fail(2, "the option -t is not supported, use -d")
		}
	}
	status := 0
	for _, name := range names {
		p := i.path(name)
		if _, err := i.Files.Stat(p); errors.Is(err, fs.ErrNotExist) {
			if !create {
				continue
			}
			if err := i.Files.WriteFile(p, nil); err != nil {
				status = i.fail(1, "cannot touch '%s': %v", name, why(err))
				continue
			}
		}
		if err := i.Files.Touch(p, at); err != nil {
			status = i.fail(1, "cannot touch '%s': %v", name, why(err))
		}
	}
	return status
}

func mkdir(i *Invocation) int {
	given, names := i.options("pm:v", map[string]string{"parents": "p", "mode": "m", "verbose": "v"}, false)
	parents := false
	for _, o := range given {
		parents = parents || o.name == "p"
	}
	if len(names) == 0 {
		return i.fail(1, "missing operand")
	}
	status := 0
	for _, name := range names {
		create := i.Files.Mkdir
		if parents {
			create = i.Files.MkdirAll
		}
		if err := create(i.path(name)); err != nil {
			status = i.fail(1, "cannot create directory '%s': %v", name, why(err))
		}
	}
	return status
}

func rm(i *Invocation) int {
	given, names := i.options("rRfvid", map[string]string{"recursive": "r", "force": "f", "verbose": "v", "dir": "d"}, false)
	recursive, force, folders := false, false, false
	for _, o := range given {
		switch o.name {
		case "r", "R":
			recursive = true
		case "f":
			force = true
		case "d":
			folders = true
		}
	}
	if len(names) == 0 && !force {
		return i.fail(1, "missing operand")
	}
	status := 0
	for _, name := range names {
		p := i.path(name)
		info, err := i.Files.Stat(p)
		switch {
		case force && err != nil:
			continue
		case err != nil:
		case p == "/" || path.Base(name) == "." || path.Base(name) == "..":
			err = errors.New("refusing to remove it")
		case recursive:
			err = i.Files.RemoveAll(p)
		case info.IsDir() && !folders:
			err = errors.New("is a directory")
		default:
			err = i.Files.Remove(p)
		}
		if err != nil {
			status = i.fail(1, "cannot remove '%s': %v", name, why(err))
		}
	}
	return status
}

// targets reads the operands of cp and mv: what to take and where each goes.
func (i *Invocation) targets(names []string, into string) (from, to []string) {
	if into == "" {
		if len(names) < 2 {
			i.die(1, "missing file operand")
		}
		into, names = names[len(names)-1], names[:len(names)-1]
		info, err := i.Files.Stat(i.path(into))
		if err != nil || !info.IsDir() {
			if len(names) > 1 {
				i.die(1, "target '%s' is not a directory", into)
			}
			return names, []string{i.path(into)}
		}
	}
	for _, n := range names {
		to = append(to, path.Join(i.path(into), path.Base(i.path(n))))
	}
	return names, to
}

func mv(i *Invocation) int {
	given, names := i.options("fnvt:iT", map[string]string{"force": "f", "no-clobber": "n", "verbose": "v", "target-directory": "t"}, false)
	keep, into := false, ""
	for _, o := range given {
		switch o.name {
		case "n":
			keep = true
		case "t":
			into = o.value
		}
	}
	status := 0
	from, to := i.targets(names, into)
	for k := range from {
		if _, err := i.Files.Stat(to[k]); err == nil && keep {
			continue
		}
		if err := i.Files.Rename(i.path(from[k]), to[k]); err != nil {
			status = i.fail(1, "cannot move '%s' to '%s': %v", from[k], to[k], why(err))
		}
	}
	return status
}

func cp(i *Invocation) int {
	given, names := i.options("rRafnvpt:TLP", map[string]string{
		"recursive": "r", "force": "f", "no-clobber": "n", "verbose": "v", "archive": "a", "target-directory": "t",
	}, false)
	recursive, keep, into := false, false, ""
	for _, o := range given {
		switch o.name {
		case "r", "R", "a":
			recursive = true
		case "n":
			keep = true
		case "t":
			into = o.value
		}
	}
	status := 0
	from, to := i.targets(names, into)
	for k := range from {
		if _, err := i.Files.Stat(to[k]); err == nil && keep {
			continue
		}
		if err := i.copyTree(i.path(from[k]), to[k], recursive); err != nil {
			status = i.fail(1, "cannot copy '%s': %v", from[k], why(err))
		}
	}
	return status
}

func (i *Invocation) copyTree(from, to string, recursive bool) error {
	info, err := i.Files.Stat(from)
	switch {
	case err != nil:
		return err
	case from == to || info.IsDir() && len(to) > len(from) && to[:len(from)+1] == from+"/":
		return errors.New("it is copied onto itself")
	case info.IsDir() && !recursive:
		return errors.New("it is a directory (-r is not given)")
	case info.IsDir():
		if err := i.Files.MkdirAll(to); err != nil {
			return err
		}
		entries, err := i.Files.ReadDir(from)
		for _, e := range entries {
			if err := i.copyTree(path.Join(from, e.Name()), path.Join(to, e.Name()), true); err != nil {
				return err
			}
		}
		return err
	case !info.Mode().IsRegular():
		return errors.New("it is no regular file")
	}
	text, err := i.Files.ReadFile(from)
	if err != nil {
		return err
	}
	if err := i.Files.WriteFile(to, text); err != nil {
		return err
	}
	return i.Files.Chmod(to, info.Mode())
}

func chmod(i *Invocation) int {
	given, operands := i.options("RvfxwrXst", nil, true)
	names := operands
	mode := ""
	if len(given) > 0 && given[0].name != "R" && given[0].name != "v" && given[0].name != "f" {
		mode = "-" + given[0].name
	} else if len(operands) > 0 {
		mode, names = operands[0], operands[1:]
	}
	status := 0
	for _, name := range names {
		info, err := i.Files.Stat(i.path(name))
		if err == nil {
			bits, ok := i.bits(mode, info.Mode().Perm())
			if !ok {
				return i.fail(1, "invalid mode: '%s'", mode)
			}
			err = i.Files.Chmod(i.path(name), bits)
		}
		if err != nil {
			status = i.fail(1, "cannot access '%s': %v", name, why(err))
		}
	}
	return status
}

// bits applies a mode, octal or such as u+x,go-w.
func (i *Invocation) bits(mode string, now fs.FileMode) (fs.FileMode, bool) {
	if n, err := strconv.ParseUint(mode, 8, 12); err == nil {
		return fs.FileMode(n) & fs.ModePerm, true
	}
	who, op, what := fs.FileMode(0), byte(0), fs.FileMode(0)
	done := false
	apply := func() {
		if who == 0 {
			who = 0o777
		}
		switch op {
		case '+':
			now |= who & what
		case '-':
			now &^= who & what
		case '=':
			now = now&^who | who&what
		}
		who, op, what = 0, 0, 0
	}
	for k := range len(mode) {
		switch c := mode[k]; {
		case c == ',':
			apply()
		case op == 0 && c == 'u':
			who |= 0o700
		case op == 0 && c == 'g':
			who |= 0o070
		case op == 0 && c == 'o':
			who |= 0o007
		case op == 0 && c == 'a':
			who |= 0o777
		case op == 0 && (c == '+' || c == '-' || c == '='):
			op, done = c, true
		case op != 0 && c == 'r':
			what |= 0o444
		case op != 0 && c == 'w':
			what |= 0o222
		case op != 0 && (c == 'x' || c == 'X'):
			what |= 0o111
		default:
			return 0, false
		}
	}
	apply()
	return now, done
}
