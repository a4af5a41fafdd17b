package question_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/modules/question"
	"countersign/tool"
)

func askOperator(t testing.TB) tool.Tool {
	t.Helper()
	tools := question.New().Tools()
	require.Len(t, tools, 1)
	return tools[0]
}

func validate(t testing.TB, input string) (question.Question, error) {
	t.Helper()
	out, err := askOperator(t).Run(t.Context(), tool.Caller{}, json.RawMessage(input))
	if err != nil {
		return question.Question{}, err
	}
	q, ok := out.(question.Question)
	require.True(t, ok)
	return q, nil
}

func TestTheQuestionsConform(t *testing.T) {
	t.Parallel()
	s, m := apitest.New(t), question.New()
	s.Mount(t, m)
	apitest.Conform(t, apitest.Subject{
		Server: s, Module: m, Foreign: []string{"ai.chat.read"},
		Calls: map[string]apitest.Call{"ai.askOperator": apitest.Input(map[string]any{
			"question": "Which one?", "options": []map[string]any{{"label": "Orders API"}},
		})},
	})
}

func TestAQuestionComesBackReadyToBeShown(t *testing.T) {
	t.Parallel()
	q, err := validate(t, `{"question":" Which one? ","options":[{"label":"Orders  API"},{"label":"Orders UI"}]}`)
	require.NoError(t, err)
	require.Equal(t, "Which one?", q.Question)
	require.Equal(t, []question.Option{{Label: "Orders API"}, {Label: "Orders UI"}}, q.Options)
	require.True(t, q.AllowFreeText, "typing is allowed unless it is forbidden")
	require.Equal(t, "awaiting_operator", q.Status)
	require.NotEmpty(t, q.Note)
}

func TestTypingAnAnswerCanBeForbidden(t *testing.T) {
	t.Parallel()
	q, err := validate(t, `{"question":"Sure?","options":[{"label":"Yes"},{"label":"No"}],"allowFreeText":false}`)
	require.NoError(t, err)
	require.False(t, q.AllowFreeText)
}

func TestQuestionsThatCannotBeShownAreRefusedWithTheirPlaces(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 501)
	for name, c := range map[string]struct{ input, path string }{
		"no options":         {`{"question":"Which?","options":[]}`, "options"},
		"seven options":      {`{"question":"Which?","options":[{"label":"1"},{"label":"2"},{"label":"3"},{"label":"4"},{"label":"5"},{"label":"6"},{"label":"7"}]}`, "options"},
		"a long question":    {`{"question":"` + long + `","options":[{"label":"1"}]}`, "question"},
		"a blank question":   {`{"question":"  ","options":[{"label":"1"}]}`, "question"},
		"a long label":       {`{"question":"Which?","options":[{"label":"` + long + `"}]}`, "options[0].label"},
		"a value of its own": {`{"question":"Which?","options":[{"label":"No","value":"Yes, delete it."}]}`, "options[0].value"},
		"a blank label":      {`{"question":"Which?","options":[{"label":"1"},{"label":"  "}]}`, "options[1].label"},
		"a label twice":      {`{"question":"Which?","options":[{"label":"One"},{"label":"one"}]}`, "options[1].label"},
		"an unknown member":  {`{"question":"Which?","options":[{"label":"1"}],"secret":true}`, "secret"},
		"options of strings": {`{"question":"Which?","options":["1"]}`, "options[0]"},
	} {
		_, err := validate(t, c.input)
		var refused *problem.Error
		require.ErrorAs(t, err, &refused, name)
		require.Equal(t, problem.Invalid, refused.Code, name)
		require.NotEmpty(t, refused.Issues, name)
		require.Equal(t, c.path, refused.Issues[0].Path, name)
	}
}

// A question acts on nothing: who may chat may be asked.
func TestTheToolNeedsTheChatOnly(t *testing.T) {
	t.Parallel()
	d := askOperator(t).Definition
	require.Equal(t, "ai.askOperator", d.Name)
	require.Equal(t, tool.Read, d.Effect)
	require.Equal(t, []string{"ai.chat.read"}, d.Rules)
}

func FuzzAskingNeverPanics(f *testing.F) {
	f.Add(`{"question":"Which?","options":[{"label":"1"}]}`)
	f.Add(`{"question":"Which?","options":[{"label":null}],"allowFreeText":null}`)
	f.Fuzz(func(t *testing.T, input string) {
		q, err := validate(t, input)
		if err == nil {
			require.NotEmpty(t, q.Options)
			require.LessOrEqual(t, len(q.Options), 6)
		}
	})
}
