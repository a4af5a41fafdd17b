package rest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/problem"
	"countersign/rest"
)

func TestIfMatchTakesOneQuotedRevision(t *testing.T) {
	t.Parallel()
	for _, header := range []string{`"3"`, `W/"3"`} {
		revision, err := rest.IfMatch{IfMatch: header}.Revision()
		require.NoError(t, err)
		require.Equal(t, int64(3), *revision)
	}
	none, err := rest.IfMatch{}.Revision()
	require.NoError(t, err)
	require.Nil(t, none)
	for _, header := range []string{"3", `"0"`, `"-1"`, `"3","4"`, "*", `"`, `""`, `"x"`} {
		_, err := rest.IfMatch{IfMatch: header}.Revision()
		require.True(t, problem.Is(err, problem.Invalid), header)
	}
}

func TestAnETagReadsBackAsIfMatch(t *testing.T) {
	t.Parallel()
	revision, err := rest.IfMatch{IfMatch: rest.Tag(42).ETag}.Revision()
	require.NoError(t, err)
	require.Equal(t, int64(42), *revision)
}
