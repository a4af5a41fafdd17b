package command

import (
	"path"
	"strings"
)

func baseName(i *Invocation) int {
	given, names := i.options("as:", map[string]string{"multiple": "a", "suffix": "s"}, true)
	suffix, many := "", false
	for _, o := range given {
		many = true
		if o.name == "s" {
			suffix = o.value
		}
	}
	if len(names) == 0 {
		return i.fail(1, "missing operand")
	}
	if !many {
		if len(names) > 2 {
			return i.fail(1, "extra operand '%s'", names[2])
		}
		if len(names) == 2 {
			suffix, names = names[1], names[:1]
		}
	}
	for _, n := range names {
		base := path.Base(n)
		if n == "" {
			base = ""
		}
		if base != suffix {
			base = strings.TrimSuffix(base, suffix)
		}
		i.printf("%s\n", base)
	}
	return 0
}

func dirName(i *Invocation) int {
	_, names := i.options("", nil, true)
	if len(names) == 0 {
		return i.fail(1, "missing operand")
	}
	for _, n := range names {
		n = strings.TrimRight(n, "/")
		at := strings.LastIndex(n, "/")
		switch {
		case n == "":
			n = "/"
		case at < 0:
			n = "."
		default:
			if n = strings.TrimRight(n[:at], "/"); n == "" {
				n = "/"
			}
		}
		i.printf("%s\n", n)
	}
	return 0
}

func realpath(i *Invocation) int {
	given, names := i.options("emqsf", map[string]string{"canonicalize": "f"}, false)
	must := false
	if i.Name == "readlink" && len(given) == 0 {
		// There are no links, so nothing can be read.
		return 1
	}
	for _, o := range given {
		must = must || o.name == "e"
	}
	status := 0
	for _, n := range names {
		p := i.path(n)
		if _, err := i.Files.Stat(p); err != nil && must {
			status = i.fail(1, "%s: %v", n, why(err))
			continue
		}
		i.printf("%s\n", p)
	}
	return status
}

func which(i *Invocation) int {
	given, names := i.options("as", nil, false)
	status := 0
	for _, n := range names {
		p := n
		if !strings.Contains(n, "/") {
			p = "/bin/" + n
		}
		info, err := i.Files.Stat(i.path(p))
		switch {
		case err != nil || info.IsDir() || info.Mode()&0o111 == 0:
			status = 1
		case len(given) == 0 || given[0].name != "s":
			i.printf("%s\n", p)
		}
	}
	return status
}
