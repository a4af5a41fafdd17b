package catalog_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/modules/catalog"
)

// Whoever may make records learns by a name that is taken that there is one which they do not see.
func TestWhoGuessesNamesOfHiddenRecordsHasToWaitAndIsOnRecord(t *testing.T) {
	t.Parallel()
	const free = 10
	for noun, path := range map[string]string{"system": systems, "group": groups} {
		for how, key := range map[string]bool{"plain": false, "with keys": true} {
			t.Run(noun+" "+how, func(t *testing.T) {
				t.Parallel()
				a := newApp(t)
				a.member("maker", nil, catalog.SystemManage, catalog.SystemRead, catalog.GroupManage, catalog.GroupRead)
				a.member("other", nil, catalog.SystemManage, catalog.SystemRead, catalog.GroupManage, catalog.GroupRead)
				send := func(who, method, path string, name string) apitest.Answer {
					var headers []string
					if key {
						headers = []string{"Idempotency-Key", uuid.NewString()}
					}
					return a.Do(t, who, method, path, object{"name": name}, headers...)
				}
				for n := range free + 1 {
					made := apitest.Decode[struct{ ID uuid.UUID }](t, send("root", http.MethodPost, path, fmt.Sprint("Hidden ", n)))
					a.grant(t, "catalog."+noun, made.ID, true, nil)
				}
				own := apitest.Decode[struct{ ID uuid.UUID }](t, send("maker", http.MethodPost, path, "Mine"))

				for range 2 * free {
					require.Contains(
						t,
						send("maker", http.MethodPost, path, "mine").Refused(t, problem.Conflict).Detail,
						own.ID.String(),
						"what one sees is told, as often as one likes",
					)
				}
				for n := range free {
					method, to := http.MethodPost, path
					if n%2 == 1 {
						method, to = http.MethodPatch, at(path, own.ID)
					}
					send("maker", method, to, fmt.Sprint("Hidden ", n)).Refused(t, problem.Conflict)
				}
				count := func(query string) (n int) {
					require.NoError(t, a.DB.Conn(t.Context()).QueryRow(t.Context(), query).Scan(&n))
					return n
				}
				const refused = `SELECT count(*) FROM ai_audit_entries WHERE action = 'name-refused'`
				require.Equal(t, free, count(refused))
				require.Equal(t, free, count(refused+` AND object_id = principal_id::text`))
				require.Zero(
					t,
					count(`SELECT count(*) FROM ai_audit_entries e WHERE action = 'name-refused' AND strpos(e::text, 'Hidden') > 0`),
					"names are not kept",
				)

				// From here on a name that is free is answered like one that is not.
				for _, name := range []string{"Hidden 10", "Nothing has this name"} {
					r := send("maker", http.MethodPost, path, name)
					require.Contains(t, r.Refused(t, problem.Throttled).Detail, "Wait ")
					require.NotEmpty(t, r.Header.Get("Retry-After"))
					send("maker", http.MethodPatch, at(path, own.ID), name).Refused(t, problem.Throttled)
				}
				require.Equal(t, free, count(refused), "what is not judged leaves no entry")
				send("maker", http.MethodPost, path, "mine").Refused(t, problem.Conflict)
				require.Equal(t, http.StatusOK, a.Do(t, "maker", http.MethodPatch, at(path, own.ID), object{"description": "Changed"}).Status)
				require.Equal(t, http.StatusCreated, send("other", http.MethodPost, path, "Nothing has this name").Status)
			})
		}
	}
}
