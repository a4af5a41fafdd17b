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

// toolTexts checks the pair tool_name.go and tool_name.md: a tool finds its text by kit.Define, a file makes one tool,
// and a package embeds the texts of its tools once and has one for each file that makes a tool. The registry refuses a
// name without a text, and a text without a tool, which the source does not show.
func toolTexts(tree Tree) []finding {
	var found []finding
	for _, p := range tree.Packages {
		embedding := slices.DeleteFunc(p.Production(), func(f File) bool { return !slices.Contains(f.Embeds, toolTextPattern) })
		if len(embedding) > 1 {
			found = append(found, finding{embedding[1].Path, 1, "the texts of tools are embedded in " + path.Base(embedding[0].Path) + " already"})
		}
		makers := 0
		for _, f := range p.Production() {
			own := ownTexts(tree, p, f, len(embedding) > 0)
			found = append(found, own...)
			if len(made(f)) > 0 {
				makers++
			}
		}
		if makers > 0 {
			found = append(found, idleTexts(tree, p)...)
		}
	}
	return found
}

// toolKit is the package that tools are written with.
const toolKit = "tool/kit"

// toolTextPattern is how a package embeds the texts of its tools.
const toolTextPattern = "tool_*.md"

// ownTexts are the findings about a file that makes tools.
func ownTexts(tree Tree, p Package, f File, embedded bool) []finding {
	var found []finding
	text := strings.TrimSuffix(path.Base(f.Path), ".go") + ".md"
	tools := made(f)
	if len(tools) == 0 {
		return nil
	}
	if !slices.ContainsFunc(f.Calls, func(c Call) bool { return c.Dir == toolKit && c.Name == "Define" }) {
		found = append(found, finding{f.Path, tools[0].Line, "a tool must find its text by kit.Define"})
	}
	if len(tools) > 1 {
		found = append(found, finding{f.Path, tools[1].Line, "one file makes one tool"})
	}
	if embedded && !tree.files[path.Join(p.Dir, text)] {
		found = append(found, finding{f.Path, tools[0].Line, "the text of the tool is to lie beside this file, in " + text})
	}
	for _, pattern := range f.Embeds {
		if strings.HasSuffix(pattern, ".md") && pattern != toolTextPattern {
			found = append(found, finding{f.Path, 1, "the texts of tools are embedded as " + toolTextPattern + " and not one by one"})
		}
	}
	return found
}

// made are the calls with which a file makes tools.
func made(f File) []Call {
	return slices.DeleteFunc(slices.Clone(f.Calls), func(c Call) bool {
		return c.Dir != toolKit || !slices.Contains([]string{"NewRead", "NewWrite", "NewWriteFunc"}, c.Name)
	})
}

// govern are the packages that call and govern tools of every module.
var govern = []string{
	"tool/disposition", "tool/budget", "tool/proposal", "tool/spend", "tool/invoke", "activities", "workflows", "worker", "chat",
	"audit", "model",
}

// contract checks that the callers of tools depend on the contract alone, and that tools are made by the kit.
func contract(tree Tree) []finding {
	var found []finding
	for _, p := range tree.Packages {
		for _, f := range p.Production() {
			for _, i := range f.Imports {
				dir, _ := i.Local()
				if dir == toolKit && slices.ContainsFunc(govern, func(top string) bool { return below(top)(p.Dir) }) {
					found = append(found, finding{f.Path, i.Line, p.Dir + " calls tools by package tool and must not import the kit"})
				}
			}
			for _, c := range f.Calls {
				if c.Dir == "tool" && (c.Name == "New" || c.Name == "NewMade") && p.Dir != toolKit {
					found = append(found, finding{f.Path, c.Line, "tools are made by the constructors of tool/kit"})
				}
			}
		}
	}
	return found
}

// lent are the packages that create tools for modules, from the modules' texts.
var lent = []string{"script", "tool/capability"}

// idleTexts finds tool texts without a file that creates the tool.
func idleTexts(tree Tree, p Package) []finding {
	var found []finding
	for file := range tree.files {
		base := path.Base(file)
		if path.Dir(file) != p.Dir || !strings.HasPrefix(base, "tool_") || path.Ext(base) != ".md" {
			continue
		}
		source := strings.TrimSuffix(file, ".md") + ".go"
		makes := func(f File) bool { return f.Path == source && len(made(f)) > 0 }
		isLent := func(dir string) bool { return tree.files[path.Join(dir, path.Base(source))] }
		if !slices.ContainsFunc(p.Production(), makes) && !slices.ContainsFunc(lent, isLent) {
			found = append(found, finding{file, 1, "no " + path.Base(source) + " beside this text makes a tool"})
		}
	}
	return found
}
