package command

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

type listing struct {
	*Invocation

	all, almost, long, folders, recursive, byTime, bySize, reverse, classify, human, unsorted bool
}

func ls(i *Invocation) int {
	given, names := i.options("1aAldRtSrFhpUCxign", map[string]string{
		"all": "a", "almost-all": "A", "directory": "d", "recursive": "R", "reverse": "r", "human-readable": "h", "color": "color",
		"classify": "F",
	}, false)
	l := &listing{Invocation: i}
	for _, o := range given {
		switch o.name {
		case "a":
			l.all, l.almost = true, true
		case "A":
			l.almost = true
		case "l", "n", "g":
			l.long = true
		case "d":
			l.folders = true
		case "R":
			l.recursive = true
		case "t":
			l.byTime = true
		case "S":
			l.bySize = true
		case "r":
			l.reverse = true
		case "F", "p":
			l.classify = true
		case "h":
			l.human = true
		case "U":
			l.unsorted = true
		case "1", "C", "x", "color":
		default:
			return i.fail(2, "the option -%s is not supported", o.name)
		}
	}
	if len(names) == 0 {
		names = []string{"."}
	}
	status := 0
	var files []finding
	var folders []string
	for _, name := range names {
		info, err := i.Files.Stat(i.path(name))
		switch {
		case err != nil:
			status = i.fail(2, "cannot access '%s': %v", name, why(err))
		case info.IsDir() && !l.folders:
			folders = append(folders, name)
		default:
			files = append(files, finding{name, info})
		}
	}
	l.show(files)
	slices.Sort(folders)
	for n, name := range folders {
		if len(names) > 1 || l.recursive {
			if n > 0 || len(files) > 0 {
				i.printf("\n")
			}
			i.printf("%s:\n", name)
		}
		l.folder(name)
	}
	return status
}

func (l *listing) folder(name string) {
	entries, err := l.Files.ReadDir(l.path(name))
	if err != nil {
		l.complain("cannot open directory '%s': %v", name, why(err))
		return
	}
	var found []finding
	if l.all {
		for _, dots := range []string{".", ".."} {
			if info, err := l.Files.Stat(path.Join(l.path(name), dots)); err == nil {
				found = append(found, finding{dots, info})
			}
		}
	}
	var below []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") && !l.almost {
			continue
		}
		if info, err := e.Info(); err == nil {
			found = append(found, finding{e.Name(), info})
			if info.IsDir() {
				below = append(below, strings.TrimSuffix(name, "/")+"/"+e.Name())
			}
		}
	}
	if l.long {
		l.printf("total %d\n", len(found))
	}
	l.show(found)
	if l.recursive {
		for _, b := range below {
			l.printf("\n%s:\n", b)
			l.folder(b)
		}
	}
}

func (l *listing) show(found []finding) {
	slices.SortStableFunc(found, func(a, b finding) int {
		c := 0
		switch {
		case l.unsorted:
			return 0
		case l.byTime:
			c = b.info.ModTime().Compare(a.info.ModTime())
		case l.bySize:
			c = cmp.Compare(b.info.Size(), a.info.Size())
		}
		if c = cmp.Or(c, strings.Compare(a.shown, b.shown)); l.reverse {
			return -c
		}
		return c
	})
	width := 1
	for _, f := range found {
		width = max(width, len(l.size(f.info)))
	}
	for _, f := range found {
		name := f.shown
		if l.classify && f.info.IsDir() {
			name += "/"
		}
		if !l.long {
			l.printf("%s\n", name)
			continue
		}
		l.printf(
			"%s 1 user user %*s %s %s\n", //nolint:dupword // owner and group
			permissions(f.info),
			width,
			l.size(f.info),
			f.info.ModTime().UTC().Format("Jan _2 15:04"),
			name,
		)
	}
}

func (l *listing) size(info fs.FileInfo) string {
	n := float64(info.Size())
	if !l.human || n < 1024 {
		return fmt.Sprint(info.Size())
	}
	units := "KMGT"
	for n /= 1024; n >= 1024 && len(units) > 1; n /= 1024 {
		units = units[1:]
	}
	if n < 10 {
		return fmt.Sprintf("%.1f%c", n, units[0])
	}
	return fmt.Sprintf("%.0f%c", n, units[0])
}

func permissions(info fs.FileInfo) string {
	kind := "-"
	switch {
	case info.IsDir():
		kind = "d"
	case info.Mode()&fs.ModeNamedPipe != 0:
		kind = "p"
	case info.Mode()&fs.ModeCharDevice != 0:
		kind = "c"
	}
	return kind + info.Mode().Perm().String()[1:]
}
