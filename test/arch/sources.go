package arch

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// The rules about the form of source files.

func packageNames(tree Tree) []finding {
	vague := []string{"util", "utils", "common", "helper", "helpers", "type", "types", "misc", "shared", "lib", "base", "core"}
	var found []finding
	for _, p := range tree.Packages {
		f := p.Files[0]
		name := strings.TrimSuffix(f.PackageName, "_test")
		if slices.Contains(vague, name) || slices.Contains(vague, path.Base(p.Dir)) {
			found = append(found, finding{f.Path, 1, fmt.Sprintf("the name of package %s says nothing", name)})
		}
	}
	return found
}

func noInit(tree Tree) []finding {
	var found []finding
	for _, p := range tree.Packages {
		for _, f := range p.Files {
			for _, line := range f.Inits {
				found = append(found, finding{f.Path, line, "init functions run behind the reader's back"})
			}
		}
	}
	return found
}

func fileLength(tree Tree) []finding {
	var found []finding
	for _, p := range tree.Packages {
		for _, f := range p.Files {
			if !f.Generated && f.Lines > maxFileLines {
				found = append(found, finding{f.Path, f.Lines, fmt.Sprintf("%d lines are more than %d", f.Lines, maxFileLines)})
			}
		}
	}
	return found
}

// toolTexts checks the pair name.go and name.md in both directions: a file that makes a tool embeds its text, and a
// text beside Go code is embedded by the file of its name.
func toolTexts(tree Tree) []finding {
	var found []finding
	for _, p := range tree.Packages {
		for _, f := range p.Production() {
			text := strings.TrimSuffix(path.Base(f.Path), ".go") + ".md"
			embeds := slices.Contains(f.Embeds, text)
			made := slices.DeleteFunc(slices.Clone(f.Calls), func(c Call) bool {
				return c.Dir != "tool" || (c.Name != "NewRead" && c.Name != "NewWrite")
			})
			if len(made) > 0 && !embeds {
				found = append(found, finding{f.Path, made[0].Line, "a tool must embed its text " + text})
			}
			if len(made) > 1 {
				found = append(found, finding{f.Path, made[1].Line, "one file makes one tool"})
			}
			if tree.files[path.Join(p.Dir, text)] && !embeds {
				found = append(found, finding{f.Path, 1, text + " lies beside this file, which does not embed it"})
			}
		}
	}
	return found
}
