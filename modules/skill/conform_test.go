package skill_test

import (
	"fmt"
	"testing"

	"countersign/api/apitest"
)

func TestTheSkillsConform(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	apitest.Conform(t, apitest.Subject{
		Server: a.Server, Module: a.Module,
		Records: []apitest.Record{{
			Path: path, Change: object{"description": "Changed."}, New: func(n int) object {
				s := forChat(fmt.Sprint("Skill ", n))
				s["targets"] = []string{"chat", "ai_analyze"}
				s["tags"] = []string{"a"}
				s["suggestedOutputFields"] = []object{{"key": "risk", "type": "enum", "description": "How risky.", "options": []string{"high", "low"}}}
				return s
			},
		}},
	})
}
