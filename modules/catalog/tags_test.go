package catalog_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/modules/catalog"
)

// tags reads the tags that somebody can filter by, by pages.
func (a *app) tags(t testing.TB, as string, size int) (all []string) {
	t.Helper()
	query := url.Values{"limit": {fmt.Sprint(size)}}
	for {
		page := apitest.Decode[struct {
			Tags       []string
			NextCursor string
		}](t, a.Do(t, as, http.MethodGet, "/api/catalog/system-tags?"+query.Encode(), nil))
		require.NotNil(t, page.Tags)
		require.LessOrEqual(t, len(page.Tags), size)
		all = append(all, page.Tags...)
		if page.NextCursor == "" {
			return all
		}
		query.Set("cursor", page.NextCursor)
	}
}

// Each tag of a system that somebody sees is among those to filter by, also where no page of systems would bring it, and no other.
func TestTagsAreThoseOfAllSystemsThatSomebodySees(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	// The first thousand have the same two; what comes after them has one more.
	a.Exec(t, `INSERT INTO catalog_systems (id, name, name_key, description, metadata, tags)
		SELECT gen_random_uuid(), 'Node ' || lpad(i::text, 5, '0'), 'node ' || lpad(i::text, 5, '0'), '', '{}',
		       CASE WHEN i <= 1000 THEN ARRAY['all', 'core'] ELSE ARRAY['all', 'late'] END
		FROM generate_series(1, 1001) i`)
	hidden, given := a.system(t, "Hidden").ID, a.system(t, "Given").ID
	a.Exec(t, `UPDATE catalog_systems SET tags = ARRAY['all', 'secret'] WHERE id = $1`, hidden)
	a.Exec(t, `UPDATE catalog_systems SET tags = ARRAY['all', 'given'] WHERE id = $1`, given)
	team := a.team(t, "Theirs")
	a.member("insider", []uuid.UUID{team})
	a.member("both", []uuid.UUID{team}, catalog.SystemRead)
	a.Person("viewer", catalog.SystemRead)
	a.Person("nobody")
	for _, id := range []uuid.UUID{hidden, given} {
		a.grant(t, "catalog.system", id, true, map[uuid.UUID]string{team: "viewer"})
	}
	for who, want := range map[string][]string{
		"viewer":  {"all", "core", "late"},
		"insider": {"all", "given", "secret"},
		"both":    {"all", "core", "given", "late", "secret"},
	} {
		for _, size := range []int{1, 2, 500} {
			require.Equal(t, want, a.tags(t, who, size), "%s by %d", who, size)
		}
	}
	a.Do(t, "nobody", http.MethodGet, "/api/catalog/system-tags", nil).Refused(t, problem.Forbidden)
	a.Do(t, "viewer", http.MethodGet, "/api/catalog/system-tags?cursor=%21", nil).Refused(t, problem.Invalid)
}
