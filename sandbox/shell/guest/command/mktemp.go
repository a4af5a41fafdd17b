package command

import (
	"crypto/rand"
	"strings"
)

func mktemp(i *Invocation) int {
	given, operands := i.options(
		"dup:qt",
		map[string]string{"directory": "d", "dry-run": "u", "tmpdir": "p", "quiet": "q", "suffix=": "suffix"},
		false,
	)
	folder, dry, parent, suffix := false, false, "", ""
	for _, o := range given {
		switch o.name {
		case "d":
			folder = true
		case "u":
			dry = true
		case "p":
			parent = o.value
		case "t":
			parent = "/tmp"
		case "suffix":
			suffix = o.value
		}
	}
	template := "tmp.XXXXXXXXXX"
	switch len(operands) {
	case 0:
		if parent == "" {
			parent = "/tmp"
		}
	case 1:
		template = operands[0]
	default:
		return i.fail(1, "too many templates")
	}
	if parent != "" {
		template = strings.TrimSuffix(parent, "/") + "/" + template
	}
	end := strings.LastIndex(template, "XXX") + 3
	begin := len(strings.TrimRight(template[:max(end, 0)], "X"))
	if end < 3 || end-begin < 3 {
		return i.fail(1, "too few X's in template '%s'", template)
	}
	name := template[:begin] + rand.Text()[:min(end-begin, 26)] + template[end:] + suffix
	if !dry {
		var err error
		if folder {
			err = i.Files.Mkdir(i.path(name))
		} else {
			err = i.Files.WriteFile(i.path(name), nil)
		}
		if err != nil {
			return i.fail(1, "failed to create '%s': %v", name, why(err))
		}
	}
	i.printf("%s\n", name)
	return 0
}
