package command

import (
	"fmt"
	"strconv"
	"strings"
)

func stat(i *Invocation) int {
	given, names := i.options("c:Lt", map[string]string{"format": "c", "printf=": "printf"}, false)
	format := ""
	for _, o := range given {
		switch o.name {
		case "c":
			format = o.value + "\n"
		case "printf":
			format = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\\`, `\`).Replace(o.value)
		}
	}
	if format == "" {
		format = "  File: %n\n  Size: %s\t%F\nAccess: (%a/%A)\nModify: %y\n"
	}
	if len(names) == 0 {
		return i.fail(1, "missing operand")
	}
	status := 0
	for _, name := range names {
		info, err := i.Files.Stat(i.path(name))
		if err != nil {
			status = i.fail(1, "cannot stat '%s': %v", name, why(err))
			continue
		}
		kind := "regular file"
		switch {
		case info.IsDir():
			kind = "directory"
		case !info.Mode().IsRegular():
			kind = "special file"
		case info.Size() == 0:
			kind = "regular empty file"
		}
		at := info.ModTime().UTC()
		mode := fmt.Sprintf("%o", info.Mode().Perm())
		when, unix := at.Format("2006-01-02 15:04:05.000000000 +0000"), strconv.FormatInt(at.Unix(), 10)
		_, _ = strings.NewReplacer("%n", name, "%s", strconv.FormatInt(info.Size(), 10), "%F", kind, "%a", mode, "%A", permissions(info),
			"%y", when, "%Y", unix, "%x", when, "%X", unix, "%z", when, "%Z", unix, "%U", "user", "%G", "user", "%u", "1000", "%g", "1000",
			"%h", "1", "%%", "%").WriteString(i.Out, format)
	}
	return status
}
