package definition

import (
	"fmt"
	"iter"
)

// Steps yields every step with its path, such as actions[2].choose[0].sequence[1], each before the steps in it.
func Steps(d *Definition) iter.Seq2[string, *Step] {
	return func(yield func(string, *Step) bool) {
		_ = steps("actions", d.Actions, yield) && steps("onFailure", d.OnFailure, yield)
	}
}

// At returns the step with a path.
func At(d *Definition, path string) (*Step, bool) {
	for at, s := range Steps(d) {
		if at == path {
			return s, true
		}
	}
	return nil, false
}

func steps(path string, list []Step, yield func(string, *Step) bool) bool {
	for i := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		if !yield(at, &list[i]) {
			return false
		}
		for name, inner := range list[i].inner() {
			if !steps(at+"."+name, inner, yield) {
				return false
			}
		}
	}
	return true
}

// inner yields the lists of steps in a step, by their path in it.
func (s *Step) inner() iter.Seq2[string, []Step] {
	return func(yield func(string, []Step) bool) {
		for i := range s.Choose {
			if !yield(fmt.Sprintf("choose[%d].sequence", i), s.Choose[i].Sequence) {
				return
			}
		}
		if len(s.Else) > 0 && !yield("else", s.Else) {
			return
		}
		if s.Parallel != nil && !yield("parallel.branches", s.Parallel.Branches) {
			return
		}
		if len(s.Sequence) > 0 && !yield("sequence", s.Sequence) {
			return
		}
		if s.Repeat != nil && !yield("repeat.sequence", s.Repeat.Sequence) {
			return
		}
		if len(s.Undo) > 0 {
			yield("undo", s.Undo)
		}
	}
}
