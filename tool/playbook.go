package tool

import (
	"cmp"
	"slices"
)

// Playbook is a section of the system prompt about the tools of a module. It costs tokens in every call, so a prompt has
// it only where one of these tools is offered.
type Playbook struct {
	// Name orders the playbooks of a prompt.
	Name string
	Text string
	// Tools are dotted names.
	Tools []string
}

// AddPlaybooks adds playbooks, while the product is put together.
func (r *Registry) AddPlaybooks(playbooks ...Playbook) {
	r.playbooks = append(r.playbooks, playbooks...)
	slices.SortFunc(r.playbooks, func(a, b Playbook) int { return cmp.Compare(a.Name, b.Name) })
}

// PlaybooksFor returns the texts of the playbooks for these tools, in the order of their names.
func (r *Registry) PlaybooksFor(tools []string) []string {
	var texts []string
	for _, p := range r.playbooks {
		if slices.ContainsFunc(p.Tools, func(name string) bool { return slices.Contains(tools, name) }) {
			texts = append(texts, p.Text)
		}
	}
	return texts
}
