package skill_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/modules/skill"
)

func TestASkillIsPublishedReadChangedAndDeleted(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	made := a.Do(t, "ada", http.MethodPost, path, object{
		"name":           " Release checker ",
		"description":    "Checks a release.",
		"targets":        []string{"ai_analyze", "chat"},
		"systemPrompt":   "First\r\nsecond.",
		"promptTemplate": "Check {{ trigger.payload.id }}.",
		"tags":           []string{"Release", "ci", "release"},
		"suggestedOutputFields": []object{
			{"key": "risk", "type": "enum", "description": "How risky.", "options": []string{"high", "low"}},
			{"key": "ok", "type": "boolean", "description": "Go."},
		},
	})
	require.Equal(t, http.StatusCreated, made.Status, made.Body)
	require.Equal(t, `"1"`, made.Header.Get("ETag"))
	s := apitest.Decode[skill.Skill](t, made)
	require.Equal(t, "Release checker", s.Name)
	require.Equal(t, []string{"chat", "ai_analyze"}, s.Targets)
	require.Equal(t, "First\nsecond.", s.SystemPrompt)
	require.Equal(t, []string{"ci", "release"}, s.Tags)
	require.Equal(t, "enum", s.SuggestedOutputFields[0].Type)
	require.Equal(t, []string{"high", "low"}, s.SuggestedOutputFields[0].Options)
	require.Equal(t, skill.User, s.Source)
	require.Equal(t, a.Principal("ada").ID.String(), s.OwnerID)
	require.Equal(t, "ada", s.OwnerName)
	require.True(t, s.Editable)
	require.Equal(t, s, apitest.Decode[skill.Skill](t, a.Do(t, "ada", http.MethodGet, at(s.ID), nil)))

	changed := a.Do(t, "ada", http.MethodPatch, at(s.ID), object{
		"name": "Gate", "targets": []string{"chat"}, "promptTemplate": nil, "suggestedOutputFields": nil, "tags": []string{},
	}, "If-Match", `"1"`)
	s = apitest.Decode[skill.Skill](t, changed)
	require.Equal(t, `"2"`, changed.Header.Get("ETag"))
	require.Equal(t, "Gate", s.Name)
	require.Equal(t, "First\nsecond.", s.SystemPrompt, "what is absent stays")
	require.Empty(t, s.PromptTemplate)
	require.Empty(t, s.SuggestedOutputFields)
	require.Empty(t, s.Tags)
	require.Equal(
		t,
		int64(2),
		apitest.Decode[skill.Skill](t, a.Do(t, "ada", http.MethodPatch, at(s.ID), object{"name": "Gate"})).Revision,
		"no change",
	)
	a.Do(t, "ada", http.MethodPatch, at(s.ID), object{"name": "Late"}, "If-Match", `"1"`).Refused(t, problem.Precondition)
	a.Do(t, "ada", http.MethodDelete, at(s.ID), nil, "If-Match", `"1"`).Refused(t, problem.Precondition)
	a.Do(t, "ada", http.MethodPatch, at(s.ID), object{"systemPrompt": ""}).Refused(t, problem.Invalid)

	require.Equal(t, http.StatusNoContent, a.Do(t, "ada", http.MethodDelete, at(s.ID), nil, "If-Match", `"2"`).Status)
	a.Do(t, "ada", http.MethodDelete, at(s.ID), nil).Refused(t, problem.NotFound)
	a.Do(t, "ada", http.MethodGet, at(s.ID), nil).Refused(t, problem.NotFound)
}

func TestEveryOperationNeedsItsRule(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.publish(t, "ada", forChat("Mine"))
	for _, call := range []struct {
		method, path, rule string
		body               any
	}{
		{http.MethodGet, path, skill.Read, nil},
		{http.MethodGet, at(s.ID), skill.Read, nil},
		{http.MethodGet, at("incident-commander"), skill.Read, nil},
		{http.MethodPost, path, skill.Create, forChat("Another")},
		{http.MethodPatch, at(s.ID), skill.Manage, object{"name": "X"}},
		{http.MethodDelete, at(s.ID), skill.Manage, nil},
	} {
		require.Equal(t, http.StatusUnauthorized, a.Do(t, "", call.method, call.path, call.body).Status, call)
		var others []string
		for _, rule := range all {
			if rule != call.rule {
				others = append(others, rule)
			}
		}
		author := a.Principal("ada")
		author.Rules = others
		a.SignIn("author without a rule", author)
		e := a.Do(t, "author without a rule", call.method, call.path, call.body).Refused(t, problem.Forbidden)
		require.Equal(t, []string{call.rule}, e.MissingRules)
		a.SignOut("author without a rule")
	}
	for _, rule := range new(skill.Module).Rules() {
		require.NotEmpty(t, rule.Description)
		require.True(t, rule.Default, rule.ID)
	}
}

func TestASkillIsSharedWithEverybodyAndChangedByItsAuthorOnly(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.publish(t, "ada", forChat("Shared"))
	seen := apitest.Decode[skill.Skill](t, a.Do(t, "bob", http.MethodGet, at(s.ID), nil))
	require.Equal(t, "ada", seen.OwnerName)
	require.False(t, seen.Editable)
	require.Contains(t, a.list(t, "bob", ""), "Shared")
	a.Do(t, "bob", http.MethodPatch, at(s.ID), object{"name": "Taken over"}).Refused(t, problem.Forbidden)
	a.Do(t, "bob", http.MethodDelete, at(s.ID), nil).Refused(t, problem.Forbidden)

	// An administrator moderates, and the skill stays its author's.
	moderated := apitest.Decode[skill.Skill](t, a.Do(t, "root", http.MethodPatch, at(s.ID), object{"description": "Moderated."}))
	require.True(t, moderated.Editable)
	require.Equal(t, "ada", moderated.OwnerName)
	require.Equal(t, http.StatusNoContent, a.Do(t, "root", http.MethodDelete, at(s.ID), nil).Status)

	// The same id of another kind of principal is somebody else.
	again := a.publish(t, "ada", forChat("Shared"))
	program := a.Principal("ada")
	program.Kind = principal.Application
	a.SignIn("program", program)
	a.Do(t, "program", http.MethodDelete, at(again.ID), nil).Refused(t, problem.Forbidden)
}

func TestASkillOutlivesTheAccountOfItsAuthor(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.publish(t, "ada", forChat("Kept"))
	a.SignOut("ada")
	var kept string
	require.NoError(t, a.DB.Conn(t.Context()).QueryRow(t.Context(), "SELECT owner_name FROM ai_skill").Scan(&kept))
	require.Empty(t, kept, "the name goes with the account")
	active, err := a.ForChat(t.Context(), a.Principal("bob"), s.ID)
	require.NoError(t, err)
	require.NotEmpty(t, active.Author, "it does not pass for one of the product")
	require.Empty(t, apitest.Decode[skill.Skill](t, a.Do(t, "bob", http.MethodGet, at(s.ID), nil)).OwnerName)

	a.SignIn("robot", principal.Principal{Kind: principal.Application, ID: uuid.New(), Name: "Deployer", Rules: all})
	require.Equal(t, "Deployer", a.publish(t, "robot", forChat("Of a program")).OwnerName)
}

func TestBuiltInSkillsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	for _, method := range []string{http.MethodPatch, http.MethodDelete} {
		var body any
		if method == http.MethodPatch {
			body = object{"name": "X"}
		}
		e := a.Do(t, "root", method, at("incident-commander"), body).Refused(t, problem.Conflict)
		require.Contains(t, e.Detail, "Make a copy")
	}
	require.False(t, apitest.Decode[skill.Skill](t, a.Do(t, "root", http.MethodGet, at("incident-commander"), nil)).Editable)
	e := a.Do(t, "ada", http.MethodPost, path, forChat("INCIDENT  commander")).Status
	require.Equal(t, http.StatusCreated, e, "another name")
	require.Equal(t, "name", a.Do(t, "ada", http.MethodPost, path, forChat("incident COMMANDER")).Refused(t, problem.Invalid).Issues[0].Path)
}

func TestANameIsTakenWhateverItsCase(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.publish(t, "ada", forChat("Straße"))
	other := a.publish(t, "bob", forChat("Other"))
	a.Do(t, "bob", http.MethodPost, path, forChat("STRASSE")).Refused(t, problem.Conflict)
	a.Do(t, "bob", http.MethodPatch, at(other.ID), object{"name": "straße"}).Refused(t, problem.Conflict)
}

func TestARepeatedRequestPublishesOnce(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	first := a.Do(t, "ada", http.MethodPost, path, forChat("Once"), "Idempotency-Key", "k1")
	second := a.Do(t, "ada", http.MethodPost, path, forChat("Once"), "Idempotency-Key", "k1")
	require.Equal(t, http.StatusCreated, second.Status)
	require.JSONEq(t, first.Body, second.Body)
	require.Len(t, a.list(t, "ada", "?source=user"), 1)
}

func TestSkillsAreListedByTargetSourceQueryAndPage(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	for i := range 3 {
		a.publish(t, "ada", forChat(fmt.Sprintf("Skill %d", i)))
	}
	a.publish(
		t,
		"bob",
		object{
			"name":           "Grader",
			"description":    "Weighs EVIDENCE.",
			"targets":        []string{"ai_analyze"},
			"promptTemplate": "Grade.",
			"tags":           []string{"triage", "mine"},
		},
	)
	builtin := []string{
		"incident-commander",
		"health-investigator",
		"automation-author",
		"failure-root-cause",
		"severity-classifier",
		"customer-status-note",
	}
	mine := []string{"Skill 0", "Skill 1", "Skill 2"}

	require.Equal(t, append(append([]string{}, builtin...), "Grader", "Skill 0", "Skill 1", "Skill 2"), a.list(t, "ada", ""))
	require.Equal(t, append(append([]string{}, builtin[:3]...), mine...), a.list(t, "ada", "?target=chat"))
	require.Equal(t, append(append([]string{}, builtin[3:]...), "Grader"), a.list(t, "ada", "?target=ai_analyze"))
	require.Equal(t, builtin, a.list(t, "ada", "?source=builtin"))
	require.Equal(t, mine, a.list(t, "ada", "?source=own"))
	require.Equal(t, []string{"Grader"}, a.list(t, "bob", "?source=own"))
	require.Equal(t, []string{"Skill 1"}, a.list(t, "bob", "?query=SKILL+1"))
	require.Equal(t, []string{"health-investigator", "Grader"}, a.list(t, "bob", "?query=+Evidence"))
	require.Equal(t, []string{"severity-classifier", "Grader"}, a.list(t, "bob", "?query=triage"))
	require.Empty(t, a.list(t, "bob", "?query=%25"), "a percent sign is no wildcard")

	type page struct {
		Skills     []skill.ListedSkill
		NextCursor string
	}
	first := apitest.Decode[page](t, a.Do(t, "ada", http.MethodGet, path+"?limit=3", nil))
	require.Len(t, first.Skills, len(builtin)+3)
	second := apitest.Decode[page](t, a.Do(t, "ada", http.MethodGet, path+"?limit=3&cursor="+first.NextCursor, nil))
	require.Equal(t, "Skill 2", second.Skills[0].Name)
	require.Len(t, second.Skills, 1)
	require.Empty(t, second.NextCursor)
	a.Do(t, "ada", http.MethodGet, path+"?cursor=%25", nil).Refused(t, problem.Invalid)
	require.Equal(t, http.StatusUnprocessableEntity, a.Do(t, "ada", http.MethodGet, path+"?target=email", nil).Status)
	require.NotContains(t, a.Do(t, "ada", http.MethodGet, path, nil).Body, "Be brief.", "lists leave the texts out")
}

func TestASkillIsUsedInAChatByThoseWhoMaySeeIt(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	ada, stranger := a.Principal("ada"), principal.Principal{Kind: principal.User, ID: uuid.New(), Rules: []string{"ai.chat.read"}}
	s := a.publish(t, "bob", forChat("Brief"))

	active, err := a.ForChat(t.Context(), ada, s.ID)
	require.NoError(t, err)
	require.Equal(t, skill.Active{ID: s.ID, Name: "Brief", Author: "bob", Prompt: "Be brief."}, active)
	active, err = a.ForChat(t.Context(), a.Principal("bob"), s.ID)
	require.NoError(t, err)
	require.True(t, active.Own)
	active, err = a.ForChat(t.Context(), ada, "incident-commander")
	require.NoError(t, err)
	require.True(t, active.Builtin)
	require.Empty(t, active.Author)
	require.NotEmpty(t, active.Prompt)

	_, err = a.ForChat(t.Context(), ada, "failure-root-cause")
	require.True(t, problem.Is(err, problem.Invalid), err)
	require.Equal(t, "skillId", problem.As(err).Issues[0].Path)
	for _, id := range []string{uuid.NewString(), "", "nothing", "\x00", "{" + s.ID + "}"} {
		_, err = a.ForChat(t.Context(), ada, id)
		require.True(t, problem.Is(err, problem.NotFound), "%q: %v", id, err)
	}
	_, err = a.ForChat(t.Context(), stranger, s.ID)
	require.True(t, problem.Is(err, problem.Forbidden), err)
	require.Equal(t, []string{skill.Read}, problem.As(err).MissingRules)

	analysis, err := a.ForAnalysis(t.Context(), ada, "severity-classifier")
	require.NoError(t, err)
	require.Equal(t, []string{"critical", "high", "medium", "low"}, analysis.SuggestedOutputFields[0].Options)
	_, err = a.ForAnalysis(t.Context(), ada, s.ID)
	require.True(t, problem.Is(err, problem.Invalid), err)
}
