package command

import (
	"maps"
	"slices"
	"strings"
)

func env(i *Invocation) int {
	given, args := i.options("iu:0C:", map[string]string{"ignore-environment": "i", "unset": "u", "null": "0", "chdir": "C"}, true)
	values := maps.Clone(i.Env)
	end, dir := "\n", i.Dir
	for _, o := range given {
		switch o.name {
		case "i":
			clear(values)
		case "u":
			delete(values, o.value)
		case "0":
			end = "\x00"
		case "C":
			dir = i.path(o.value)
		}
	}
	for len(args) > 0 {
		name, value, found := strings.Cut(args[0], "=")
		if !found || name == "" {
			break
		}
		values[name] = value
		args = args[1:]
	}
	if len(args) == 0 {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			i.printf("%s=%s%s", name, values[name], end)
		}
		return 0
	}
	_ = i.Out.Flush()
	return i.Call(i.Context, Child{Args: args, Env: values, Dir: dir, Stdin: i.Stdin, Stdout: i.Out, Stderr: i.Err})
}
