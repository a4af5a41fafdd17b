package text_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/internal/text"
)

func TestTextIsStoredInOneForm(t *testing.T) {
	t.Parallel()
	var issues problem.Issues
	require.Equal(t, "Caf\u00e9", text.Line(&issues, "name", "  Cafe\u0301 ", 4))
	require.Equal(t, "one\n\ttwo\nthree", text.Lines(&issues, "text", "one\r\n\ttwo\nthree\n", 20))
	require.Equal(t, []string{"edge", "payments"}, text.Tags(&issues, "tags", []string{"Payments", " edge", "PAYMENTS"}, 3, 10))
	require.Equal(t, []string{}, text.Tags(&issues, "tags", nil, 3, 10))
	require.NoError(t, issues.Err())
}

func TestTextThatCannotBeStoredIsReported(t *testing.T) {
	t.Parallel()
	for value, message := range map[string]string{
		"abcdef":   "is 6 characters long, at most 5 are allowed",
		"a\xff":    "is not valid UTF-8",
		"a\x00b":   "has the character U+0000, which is not allowed",
		"a\u202eb": "has the character U+202E, which is not allowed",
		"a\nb":     "has the character U+000A, which is not allowed",
		"\t\r\n":   "must not be empty",
	} {
		var issues problem.Issues
		text.Required(&issues, "name", text.Line(&issues, "name", value, 5))
		require.Equal(t, []problem.Issue{{Path: "name", Message: message}}, problem.As(issues.Err()).Issues, "%q", value)
	}
	var issues problem.Issues
	text.Tags(&issues, "tags", []string{"a", " ", strings.Repeat("x", 6)}, 3, 5)
	text.Tags(&issues, "more", []string{"a", "b"}, 1, 5)
	text.Lines(&issues, "text", "a\u200bb", 5)
	require.Equal(t, []problem.Issue{
		{Path: "tags[1]", Message: "must not be empty"},
		{Path: "tags[2]", Message: "is 6 characters long, at most 5 are allowed"},
		{Path: "more", Message: "has 2 tags, at most 1 are allowed"},
		{Path: "text", Message: "has the character U+200B, which is not allowed"},
	}, problem.As(issues.Err()).Issues)
}
