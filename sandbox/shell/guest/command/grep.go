package command

import (
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

type grepping struct {
	*Invocation

	match                                                  *regexp.Regexp
	invert, number, count, only, quiet, names, noNames     bool
	listWith, listWithout, whole, word, recursive, silence bool
	before, after, most                                    int
	include, exclude, excludeDir                           []string
	found                                                  bool
	status                                                 int
	first                                                  bool
}

func grep(i *Invocation) int {
	given, operands := i.options("EFGPivncoqsrRlLwxhHA:B:C:m:e:f:a0123456789", map[string]string{
		"extended-regexp": "E", "fixed-strings": "F", "ignore-case": "i", "invert-match": "v", "line-number": "n", "count": "c",
		"only-matching": "o", "quiet": "q", "silent": "q", "recursive": "r", "files-with-matches": "l", "files-without-match": "L",
		"word-regexp": "w", "line-regexp": "x", "no-filename": "h", "with-filename": "H", "after-context": "A", "before-context": "B",
		"context": "C", "max-count": "m", "regexp": "e", "file": "f", "no-messages": "s", "include=": "include", "exclude=": "exclude",
		"exclude-dir=": "exclude-dir", "perl-regexp": "P", "text": "a", "color": "color", "basic-regexp": "G",
	}, false)
	g := &grepping{Invocation: i, most: -1, first: true}
	extended, fixed, fold, perl := false, false, false, false
	var patterns []string
	has := false
	var context strings.Builder
	for _, o := range given {
		switch o.name {
		case "E", "P":
			extended, fixed, perl = true, false, o.name == "P"
		case "F":
			fixed, perl = true, false
		case "G":
			extended, fixed, perl = false, false, false
		case "i":
			fold = true
		case "v":
			g.invert = true
		case "n":
			g.number = true
		case "c":
			g.count = true
		case "o":
			g.only = true
		case "q":
			g.quiet = true
		case "s":
			g.silence = true
		case "r", "R":
			g.recursive = true
		case "l":
			g.listWith = true
		case "L":
			g.listWithout = true
		case "w":
			g.word = true
		case "x":
			g.whole = true
		case "h":
			g.noNames = true
		case "H":
			g.names = true
		case "A":
			g.after = i.count(o.value)
		case "B":
			g.before = i.count(o.value)
		case "C":
			g.before = i.count(o.value)
			g.after = g.before
		case "m":
			g.most = i.count(o.value)
		case "e":
			patterns, has = append(patterns, strings.Split(o.value, "\n")...), true
		case "f":
			patterns, has = append(patterns, splitLines(i.input(o.value))...), true
		case "include":
			g.include = append(g.include, o.value)
		case "exclude":
			g.exclude = append(g.exclude, o.value)
		case "exclude-dir":
			g.excludeDir = append(g.excludeDir, o.value)
		case "a", "color":
		default:
			context.WriteString(o.name)
		}
	}
	if context.Len() > 0 {
		g.before = i.count(context.String())
		g.after = g.before
	}
	if !has {
		if len(operands) == 0 {
			return i.fail(2, "a pattern is missing")
		}
		patterns, operands = strings.Split(operands[0], "\n"), operands[1:]
	}
	alternatives := make([]string, 0, len(patterns))
	for _, p := range patterns {
		text := regexp.QuoteMeta(p)
		switch {
		case perl:
			text = perlish(p)
		case !fixed:
			var err error
			if text, err = translate(p, extended); err != nil {
				return i.fail(2, "%v", err)
			}
		}
		alternatives = append(alternatives, "(?:"+text+")")
	}
	text := strings.Join(alternatives, "|")
	switch {
	case g.whole:
		text = "^(?:" + text + ")$"
	case g.word:
		text = `\b(?:` + text + `)\b`
	}
	if fold {
		text = "(?i)" + text
	}
	re, err := regexp.Compile(text)
	if err != nil || len(patterns) == 0 {
		return i.fail(2, "invalid regular expression '%s'", strings.Join(patterns, "' or '"))
	}
	if !perl {
		re.Longest()
	}
	g.match = re
	return g.run(operands)
}

func (g *grepping) run(files []string) int {
	here := g.recursive && len(files) == 0
	if here {
		files = []string{"."}
	}
	var all []string
	for _, f := range files {
		info, err := g.Files.Stat(g.path(f))
		switch {
		case g.recursive && err == nil && info.IsDir():
			for _, p := range g.below(f) {
				if f == "." && !here {
					p = "./" + p
				}
				all = append(all, p)
			}
			g.names = g.names || !g.noNames
		case err == nil && info.IsDir():
			if !g.silence {
				g.complain("%s: Is a directory", f)
			}
		default:
			all = append(all, f)
		}
	}
	if len(all) > 1 {
		g.names = true
	}
	g.names = g.names && !g.noNames
	if len(files) == 0 || len(all) > 0 {
		errs := g.Err
		if g.silence {
			g.Err = io.Discard
		}
		if g.inputs(all, g.file) != 0 {
			g.status = 2
		}
		g.Err = errs
	}
	switch {
	case g.quiet && g.found:
		return 0
	case g.status != 0:
		return g.status
	case g.found:
		return 0
	}
	return 1
}

func (g *grepping) below(folder string) []string {
	var out []string
	entries, _ := g.Files.ReadDir(g.path(folder))
	for _, e := range entries {
		p := path.Join(folder, e.Name())
		if strings.HasPrefix(folder, "./") || folder == "." {
			p = "./" + strings.TrimPrefix(p, "./")
		}
		if folder == "." {
			p = e.Name()
		}
		listed := func(patterns []string) bool {
			for _, pattern := range patterns {
				if ok, _ := path.Match(pattern, e.Name()); ok {
					return true
				}
			}
			return false
		}
		switch {
		case e.IsDir():
			if !listed(g.excludeDir) {
				out = append(out, g.below(p)...)
			}
		case e.Type()&fs.ModeType == 0 && (len(g.include) == 0 || listed(g.include)) && !listed(g.exclude):
			out = append(out, p)
		}
	}
	return out
}

func (g *grepping) file(name string, r io.Reader) {
	if name == "-" {
		name = "(standard input)"
	}
	n, matches, pending := 0, 0, 0
	var held []string
	lastShown := 0
	context := g.before > 0 || g.after > 0
	show := func(line string, n int, sign byte) {
		if context && !g.first && n != lastShown+1 {
			g.printf("--\n")
		}
		g.first, lastShown = false, n
		g.prefix(name, n, sign)
		g.printf("%s\n", line)
	}
	silent := g.quiet || g.count || g.listWith || g.listWithout
	lines(r, func(line string) bool {
		n++
		if g.match.MatchString(line) == g.invert {
			switch {
			case silent || g.only:
			case pending > 0:
				pending--
				show(line, n, '-')
			case g.before > 0:
				if held = append(held, line); len(held) > g.before {
					held = held[1:]
				}
			}
			return g.most < 0 || matches < g.most || pending > 0
		}
		if g.most >= 0 && matches >= g.most {
			return false
		}
		matches++
		switch {
		case g.quiet || g.listWith || g.listWithout:
			return false
		case g.count:
		case g.only:
			if !g.invert {
				g.parts(name, n, line)
			}
		default:
			for k, l := range held {
				show(l, n-len(held)+k, '-')
			}
			held, pending = nil, g.after
			show(line, n, ':')
		}
		return g.most < 0 || matches < g.most || pending > 0
	})
	g.found = g.found || matches > 0
	switch {
	case g.quiet:
	case g.listWith && matches > 0, g.listWithout && matches == 0:
		g.printf("%s\n", name)
	case g.count:
		if g.names {
			g.printf("%s:", name)
		}
		g.printf("%d\n", matches)
	}
}

func (g *grepping) prefix(name string, n int, sign byte) {
	if g.names {
		g.printf("%s%c", name, sign)
	}
	if g.number {
		g.printf("%d%c", n, sign)
	}
}

// parts shows what matches, from left to right.
func (g *grepping) parts(name string, n int, line string) {
	shown := g.match.SubexpIndex(kept)
	for _, m := range g.match.FindAllStringSubmatchIndex(line, -1) {
		at := m[:2]
		if shown > 0 && m[2*shown] >= 0 {
			at = m[2*shown:][:2]
		}
		if at[1] > at[0] {
			g.prefix(name, n, ':')
			g.printf("%s\n", line[at[0]:at[1]])
		}
	}
}
