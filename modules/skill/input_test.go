package skill_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/modules/skill"
)

func TestInputIsChecked(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	field := func(change object) []object {
		f := object{"key": "a", "type": "string", "description": "A."}
		maps.Copy(f, change)
		return []object{f}
	}
	twentyOne := []object{}
	for i := range 21 {
		twentyOne = append(twentyOne, object{"key": fmt.Sprintf("f%d", i), "type": "string", "description": "A."})
	}
	for name, c := range map[string]struct {
		change object
		path   string
	}{
		"no name":               {object{"name": " "}, "name"},
		"long name":             {object{"name": strings.Repeat("n", 121)}, "name"},
		"line break in name":    {object{"name": "a\nb"}, "name"},
		"reversed name":         {object{"name": "a\u202eb"}, "name"},
		"no description":        {object{"description": ""}, "description"},
		"long description":      {object{"description": strings.Repeat("d", 501)}, "description"},
		"no targets":            {object{"targets": []string{}}, "targets"},
		"unknown target":        {object{"targets": []string{"email"}}, "targets[0]"},
		"long prompt":           {object{"systemPrompt": strings.Repeat("é", 8001)}, "systemPrompt"},
		"NUL in prompt":         {object{"systemPrompt": "a\x00b"}, "systemPrompt"},
		"hidden text in prompt": {object{"systemPrompt": "a\U000E0041b"}, "systemPrompt"},
		"secret in prompt":      {object{"systemPrompt": "Call it with apiKey=sk-proj-0123456789abcdefABCDEF0123456789"}, "systemPrompt"},
		"chat without prompt":   {object{"systemPrompt": "", "promptTemplate": "Ask."}, "systemPrompt"},
		"no text at all":        {object{"targets": []string{"ai_analyze"}, "systemPrompt": ""}, "systemPrompt"},
		"long template":         {object{"promptTemplate": strings.Repeat("t", 8001)}, "promptTemplate"},
		"open placeholder":      {object{"promptTemplate": "a {{ b"}, "promptTemplate"},
		"nested placeholder":    {object{"promptTemplate": "a {{ b {{ c }}"}, "promptTemplate"},
		"closed only":           {object{"promptTemplate": "a }} {{ b }}"}, "promptTemplate"},
		"empty placeholder":     {object{"promptTemplate": "{{ }}"}, "promptTemplate"},
		"fields of a chat":      {object{"targets": []string{"chat"}, "suggestedOutputFields": field(nil)}, "suggestedOutputFields"},
		"too many fields":       {object{"suggestedOutputFields": twentyOne}, "suggestedOutputFields"},
		"bad key":               {object{"suggestedOutputFields": field(object{"key": "a-b"})}, "suggestedOutputFields[0].key"},
		"duplicate key":         {object{"suggestedOutputFields": append(field(nil), field(nil)...)}, "suggestedOutputFields[1].key"},
		"unknown type":          {object{"suggestedOutputFields": field(object{"type": "date"})}, "suggestedOutputFields[0].type"},
		"no field description":  {object{"suggestedOutputFields": field(object{"description": ""})}, "suggestedOutputFields[0].description"},
		"enum without options":  {object{"suggestedOutputFields": field(object{"type": "enum"})}, "suggestedOutputFields[0].options"},
		"options without enum":  {object{"suggestedOutputFields": field(object{"options": []string{"x"}})}, "suggestedOutputFields[0].options"},
		"duplicate option":      {object{"suggestedOutputFields": field(object{"type": "enum", "options": []string{"x", "x "}})}, "suggestedOutputFields[0].options[1]"},
		"empty option":          {object{"suggestedOutputFields": field(object{"type": "enum", "options": []string{""}})}, "suggestedOutputFields[0].options[0]"},
		"empty tag":             {object{"tags": []string{" "}}, "tags[0]"},
		"long tag":              {object{"tags": []string{strings.Repeat("t", 51)}}, "tags[0]"},
		"twenty-one tags":       {object{"tags": strings.Split(strings.Repeat("t,", 20)+"t", ",")}, "tags"},
	} {
		in := forChat("Name")
		in["targets"] = []string{"chat", "ai_analyze"}
		maps.Copy(in, c.change)

		// The service refuses what the schema lets through, and the other way round.
		var n skill.NewSkill
		data, err := json.Marshal(in)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, &n))
		_, err = a.Create(as(t, a, "ada"), n)
		require.True(t, problem.Is(err, problem.Invalid), "%s: %v", name, err)
		require.Contains(t, paths(problem.As(err).Issues), c.path, name)
		e := a.Do(t, "ada", http.MethodPost, path, in).Refused(t, problem.Invalid)
		require.NotEmpty(t, e.Issues, name)
	}
	require.Equal(t, http.StatusUnprocessableEntity, a.Do(t, "ada", http.MethodPost, path,
		object{"name": "A", "description": "d", "targets": []string{"chat"}, "systemPrompt": "p", "source": "builtin"}).Status, "a closed schema")

	// Every issue is told at once.
	e := a.Do(
		t,
		"ada",
		http.MethodPost,
		path,
		object{"name": "incident commander", "description": "d", "targets": []string{"chat"}, "promptTemplate": "{{"},
	).Refused(
		t,
		problem.Invalid,
	)
	require.ElementsMatch(t, []string{"name", "promptTemplate", "systemPrompt"}, paths(e.Issues))
}

func paths(issues []problem.Issue) []string {
	var paths []string
	for _, issue := range issues {
		paths = append(paths, issue.Path)
	}
	return paths
}

func TestTheBuiltInSkillsAreComplete(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	fields := map[string][]string{
		"incident-commander":  {},
		"health-investigator": {},
		"automation-author":   {},
		"failure-root-cause": {
			"summary",
			"likely_cause",
		},
		"severity-classifier":  {"severity", "fatal"},
		"customer-status-note": {"headline", "message"},
	}
	for id, keys := range fields {
		s := apitest.Decode[skill.Skill](t, a.Do(t, "ada", http.MethodGet, at(id), nil))
		require.Equal(t, id, s.ID)
		require.Equal(t, skill.Builtin, s.Source)
		require.Empty(t, s.OwnerID)
		require.Nil(t, s.CreatedAt)
		words := len(strings.Fields(s.SystemPrompt))
		require.True(t, words >= 250 && words <= 600, "%s has %d words", id, words)
		got := []string{}
		for _, f := range s.SuggestedOutputFields {
			got = append(got, f.Key)
		}
		require.Equal(t, keys, got, id)

		// What a copy would be is accepted.
		copied := a.publish(t, "ada", object{
			"name": "Copy of " + s.Name, "description": s.Description, "targets": s.Targets, "systemPrompt": s.SystemPrompt,
			"promptTemplate": s.PromptTemplate, "suggestedOutputFields": s.SuggestedOutputFields, "tags": s.Tags,
		})
		require.Equal(t, s.SystemPrompt, copied.SystemPrompt, id)
		require.Equal(t, s.Tags, copied.Tags, id)
	}
	require.ElementsMatch(t, a.list(t, "ada", "?source=builtin"), keysOf(fields))
}

func keysOf(m map[string][]string) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	return keys
}

// What the database refuses, the service must have refused before; and what is stored is accepted back as no change.
func FuzzASkillIsPublishedAsSentOrRefused(f *testing.F) {
	for _, body := range []string{
		`{"name":"A","description":"d","targets":["chat"],"systemPrompt":"p"}`,
		`{"name":"İ ﷺ ǅ","description":"d","targets":["ai_analyze","ai_analyze"],"promptTemplate":"{{ a }}","tags":["ﬀ","İ","a"]}`,
		`{"name":"A","description":"d","targets":["ai_analyze"],"promptTemplate":"}}{{","suggestedOutputFields":[{"key":"a","type":"enum","description":"d","options":["a","\u0000"]}]}`,
		`{"name":"\ud800","description":"\r\n\u2028","targets":null}`, `null`, `[]`, `{`, `{"name":1}`,
	} {
		f.Add(body)
	}
	a := newApp(f)
	f.Fuzz(func(t *testing.T, body string) {
		r := a.Do(t, "ada", http.MethodPost, path, body)
		require.Less(t, r.Status, 500, "%s", r.Body)
		if r.Status != http.StatusCreated {
			return
		}
		s := apitest.Decode[skill.Skill](t, r)
		require.True(t, utf8.ValidString(s.SystemPrompt+s.PromptTemplate))
		require.NotEmpty(t, s.Targets)
		same := apitest.Decode[skill.Skill](t, a.Do(t, "ada", http.MethodPatch, at(s.ID), object{
			"name": s.Name, "description": s.Description, "targets": s.Targets, "systemPrompt": s.SystemPrompt,
			"promptTemplate": s.PromptTemplate, "suggestedOutputFields": s.SuggestedOutputFields, "tags": s.Tags,
		}))
		require.Equal(t, int64(1), same.Revision)
		require.Equal(t, http.StatusNoContent, a.Do(t, "ada", http.MethodDelete, at(s.ID), nil).Status)
	})
}
