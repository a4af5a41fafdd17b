package rest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/rest"
)

func TestIfMatchTakesOneQuotedRevision(t *testing.T) {
	t.Parallel()
	for _, header := range []string{`"3"`, `W/"3"`} {
		m := rest.IfMatch{Header: header}
		require.Empty(t, m.Resolve(nil))
		require.Equal(t, int64(3), *m.Revision())
	}
	absent := rest.IfMatch{}
	require.Empty(t, absent.Resolve(nil))
	require.Nil(t, absent.Revision())
	for _, header := range []string{"3", `"0"`, `"-1"`, `"3","4"`, "*", `"`, `""`, `"x"`} {
		m := rest.IfMatch{Header: header}
		require.Len(t, m.Resolve(nil), 1, header)
		require.Zero(t, *m.Revision(), "whoever asks all the same is told of no revision that there is: %s", header)
	}
}

func TestAnETagReadsBackAsIfMatch(t *testing.T) {
	t.Parallel()
	m := rest.IfMatch{Header: rest.Tag(42).ETag}
	require.Equal(t, int64(42), *m.Revision())
}
