package memory

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"countersign/internal/rest"
)

func FuzzValidation(f *testing.F) {
	f.Add("Time zone", "UTC\nalways", "a")
	f.Add("\x00", "\xff", "\u202e")
	f.Add(" é ", "\r\n x", "E\u0301")
	f.Fuzz(func(t *testing.T, hint, content, tag string) {
		var v validation
		n := v.memory(NewMemory{Scope: User, RecallHint: hint, Content: content, Tags: []string{tag}})
		if v.Err() != nil {
			return
		}
		for text, limit := range map[string]int{n.RecallHint: MaxHint, n.Content: MaxContent, n.Tags[0]: MaxTag} {
			if text == "" || !utf8.ValidString(text) || utf8.RuneCountInString(text) > limit || strings.ContainsRune(text, 0) {
				t.Fatalf("%q is accepted", text)
			}
		}
		again := v.memory(n)
		if err := v.Err(); err != nil || !reflect.DeepEqual(n, again) {
			t.Fatalf("%+v becomes %+v: %v", n, again, err)
		}
	})
}

func FuzzSearch(f *testing.F) {
	f.Add("deploy windows", "eyJyIjowfQ")
	f.Add("a' | !b:*", "")
	f.Fuzz(func(t *testing.T, query, cursor string) {
		if q := strings.ReplaceAll(searchQuery(query), "'", ""); strings.ContainsAny(q, `\!&<()`) {
			t.Fatalf("%q becomes %q", query, q)
		}
		_, _ = parseCursor(rest.Page{Cursor: cursor})
	})
}
