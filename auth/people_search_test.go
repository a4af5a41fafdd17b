package auth_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/auth"
)

type usersPage struct {
	Users      []auth.User
	Total      int
	NextCursor string
}

func TestUsersAreFoundAndReadPageByPage(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "zz-admin@example.org", auth.AdminRole)
	admin := a.signIn(t, "zz-admin@example.org")
	editors := a.role(t, "Editors", "catalog.system.manage")
	for i, name := range []string{"Ada Lovelace", "grace hopper", "Grace Hopper", "Jean-Luc O'Neil", "Łukasz Żak", "王 小明", "Alan Turing"} {
		_, err := a.Directory.CreateUser(
			t.Context(),
			root,
			auth.NewUser{Email: fmt.Sprintf("user.%d@ops.example.com", i), Name: name, RoleIDs: []uuid.UUID{editors.ID}},
		)
		require.NoError(t, err)
	}
	list := func(query string) usersPage {
		t.Helper()
		return decode[usersPage](t, a.do(t, http.MethodGet, "/api/users?"+query, nil, admin))
	}
	var names []string
	cursor, pages := "", 0
	for {
		page := list("limit=3&cursor=" + cursor)
		require.Equal(t, 8, page.Total)
		for _, user := range page.Users {
			names = append(names, user.Name)
		}
		pages++
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	require.Equal(t, 3, pages)
	require.Len(t, names, 8)
	require.ElementsMatch(
		t,
		[]string{"Ada Lovelace", "Alan Turing", "grace hopper", "Grace Hopper", "Jean-Luc O'Neil", "zz-admin@example.org", "Łukasz Żak", "王 小明"},
		names,
	)
	for search, found := range map[string]int{
		"LOVE": 1, "hop gra": 2, "luc": 1, "o'neil": 1, "Jean-Luc O'N": 1, "żak": 1, "小明": 1, "user.3@ops.example.com": 1, "ops.example": 7,
		"lace lov": 1, "nobody": 0, "'": 1, "a:* | b": 0, `\`: 0, "%": 0, "_": 0, "": 8, "  ": 8,
	} {
		page := list("search=" + url.QueryEscape(search))
		require.Equal(t, found, page.Total, "%q", search)
		require.Len(t, page.Users, found, "%q", search)
	}
	require.Equal(t, 7, list("status=invited").Total)
	require.Equal(t, 1, list("status=active").Total)
	require.Equal(t, 0, list("status=disabled").Total)
	require.Equal(t, 7, list("roleId="+editors.ID.String()).Total)
	require.Equal(t, 8, list("roleId="+auth.UsersRole.String()).Total, "everybody holds it")
	for _, bad := range []string{"cursor=x", "cursor=" + strings.Repeat("AAAA", 20), "status=gone", "roleId=x"} {
		require.Equal(t, http.StatusUnprocessableEntity, a.do(t, http.MethodGet, "/api/users?"+bad, nil, admin).status, bad)
	}
}

// Among many, those who are searched for are found by an index.
func TestASearchForUsersReadsNoTable(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.exec(
		t,
		"INSERT INTO users (id, email, name, password_hash) SELECT gen_random_uuid(), 'u' || n || '@example.org', 'Person ' || md5(n::text), 'x' FROM generate_series(1, 20000) n",
	)
	a.exec(t, "ANALYZE users")
	rows, err := a.db.Conn(t.Context()).Query(t.Context(), `EXPLAIN SELECT id FROM users
		WHERE lower(name || ' ' || email) LIKE '%u777%'`)
	require.NoError(t, err)
	var plan strings.Builder
	for rows.Next() {
		var line string
		require.NoError(t, rows.Scan(&line))
		plan.WriteString(line + "\n")
	}
	require.NoError(t, rows.Err())
	require.Contains(t, plan.String(), "users_words")
	users, _, total, err := a.Directory.Users(t.Context(), auth.UserFilter{Search: "u777"})
	require.NoError(t, err)
	require.EqualValues(t, 11, total)
	require.Len(t, users, 11)
}
