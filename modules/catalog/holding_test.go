package catalog_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/auth"
	"countersign/auth/credential"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/modules/catalog"
)

// installation is a random one: people in every state, applications, roles, teams, and systems that are granted to some of them.
type installation struct {
	*app
	random  *rand.Rand
	server  *api.Server
	people  []uuid.UUID
	cookies map[uuid.UUID]string
	teams   []uuid.UUID
	systems []uuid.UUID
}

func (in *installation) chance(percent int) bool { return in.random.IntN(100) < percent }

func newInstallation(t *testing.T, seed uint64) *installation {
	t.Helper()
	in := &installation{app: newApp(t), random: rand.New(rand.NewPCG(seed, 1)), cookies: map[uuid.UUID]string{}}
	require.NoError(t, in.auth.Directory.SyncRules(t.Context()))
	var err error
	in.server, err = api.New(api.Options{
		DB: in.DB, Log: slog.New(slog.DiscardHandler), Authenticator: in.auth.Authenticator, Modules: []api.Routes{in.module, in.auth},
	})
	require.NoError(t, err)
	rules := []string{}
	if in.chance(30) {
		rules = append(rules, catalog.SystemRead)
	}
	in.Exec(t, "UPDATE roles SET rules = $2 WHERE id = $1", auth.UsersRole, rules)
	roles := []uuid.UUID{auth.AdminRole}
	others := [][]string{{catalog.SystemRead}, {catalog.SystemManage}, {catalog.GroupRead, catalog.SystemRead}, {auth.RuleTeamsManage}}
	for i, rules := range others {
		roles = append(roles, uuid.New())
		in.Exec(t, "INSERT INTO roles (id, name, rules) VALUES ($1, $2, $3)", roles[i+1], fmt.Sprint("Role ", i), rules)
	}
	for range 4 {
		in.teams = append(in.teams, in.team(t, uuid.NewString()))
	}
	for range 16 {
		in.person(t, roles)
	}
	application := uuid.New()
	in.Exec(t, "INSERT INTO applications (id, name, token_id, token_hash) VALUES ($1, 'App', $1, sha256($2))", application, application[:])
	in.Exec(t, "INSERT INTO application_roles (application_id, role_id) VALUES ($1, $2)", application, auth.AdminRole)
	for i := range 8 {
		in.systems = append(in.systems, in.system(t, fmt.Sprint("System ", i)).ID)
		in.grantSome(t, in.systems[i], application)
	}
	// A deleted one keeps a place in the list, and a cookie.
	in.Exec(t, "DELETE FROM users WHERE id = $1", in.people[0])
	return in
}

// person adds someone with roles, teams, an account in some state, and a session.
func (in *installation) person(t *testing.T, roles []uuid.UUID) {
	t.Helper()
	id := uuid.New()
	hash := "hash"
	invited := in.chance(10)
	if invited {
		hash = ""
	}
	in.people = append(in.people, id)
	in.Exec(t, "INSERT INTO users (id, email, name, password_hash, disabled, must_change_password) VALUES ($1, $2, 'Person', $3, $4, $5)",
		id, id.String()+"@example.org", hash, in.chance(15), in.chance(10))
	for i, role := range roles {
		if i == 0 && in.chance(15) || i > 0 && in.chance(20) {
			in.Exec(t, "INSERT INTO user_roles (user_id, role_id) VALUES ($1, $2)", id, role)
		}
	}
	for _, team := range in.teams {
		if in.chance(25) {
			in.Exec(t, "INSERT INTO team_members (team_id, user_id) VALUES ($1, $2)", team, id)
		}
	}
	if invited {
		return // nobody without a password has a session
	}
	text, token := credential.New()
	in.cookies[id] = text
	in.Exec(
		t,
		"INSERT INTO sessions (id, token_hash, user_id, user_agent, address, expires_at) VALUES ($1, $2, $3, '', '', now() + interval '1 day')",
		uuid.New(),
		token,
		id,
	)
}

// grantSome makes a system private or not, and grants it to some, or to nobody.
func (in *installation) grantSome(t *testing.T, system, application uuid.UUID) {
	t.Helper()
	add := func(relation, kind string, id uuid.UUID) {
		in.Exec(
			t,
			`INSERT INTO relation_tuples (object_type, object_id, relation, subject_type, subject_id) VALUES ('catalog.system', $1, $2, $3, $4)
			ON CONFLICT DO NOTHING`,
			system,
			relation,
			kind,
			id,
		)
	}
	if in.chance(50) {
		add("private", "public", uuid.Nil)
	}
	if in.chance(25) {
		return
	}
	levels := []string{"viewer", "editor", "owner"}
	for range in.random.IntN(4) {
		add(levels[in.random.IntN(3)], "user", in.people[in.random.IntN(len(in.people))])
	}
	for range in.random.IntN(3) {
		add(levels[in.random.IntN(3)], "team", in.teams[in.random.IntN(len(in.teams))])
	}
	if in.chance(30) {
		add(levels[in.random.IntN(3)], "application", application)
	}
}

// may reports whether the person's own request is permitted.
func (in *installation) may(t *testing.T, person uuid.UUID, method, path, body string) bool {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.AddCookie(&http.Cookie{Name: auth.PlainCookie, Value: in.cookies[person]})
	w := httptest.NewRecorder()
	in.server.ServeHTTP(w, r)
	require.Contains(t, []int{200, 401, 403, 404}, w.Code, w.Body.String())
	return w.Code == http.StatusOK
}

// owns reports whether the person may delete the system, without doing it.
func (in *installation) owns(t *testing.T, person, system uuid.UUID) bool {
	t.Helper()
	p := in.loaded(t, person)
	levels, err := in.module.Sight(principal.NewContext(t.Context(), p)).Levels(t.Context(), in.DB, system)
	require.NoError(t, err)
	return levels[system].Includes(access.Own)
}

// holding reads all pages, of random lengths.
func (in *installation) holding(t *testing.T, w auth.Wanted) []uuid.UUID {
	t.Helper()
	all, cursor := []uuid.UUID{}, uuid.Nil
	for {
		page, err := in.auth.Directory.Holding(t.Context(), w, cursor, 1+in.random.IntN(6))
		require.NoError(t, err)
		all = append(all, page.People...)
		if page.Next == uuid.Nil {
			return all
		}
		require.Positive(t, slices.Compare(page.Next[:], cursor[:]), "the cursor moves on")
		cursor = page.Next
	}
}

func TestTheHoldersOfARecordAreThoseWhoseOwnRequestIsPermitted(t *testing.T) {
	t.Parallel()
	kind := access.Kind{ObjectType: "catalog.system", Read: catalog.SystemRead, Manage: catalog.SystemManage}
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			in := newInstallation(t, seed)
			found := map[access.Level]int{}
			for _, system := range in.systems {
				path := at(systems, system)
				for level, may := range map[access.Level]func(uuid.UUID) bool{
					access.View: func(p uuid.UUID) bool { return in.may(t, p, http.MethodGet, path, "") },
					access.Edit: func(p uuid.UUID) bool {
						return in.may(t, p, http.MethodPatch, path, `{"description":"`+p.String()+`"}`)
					},
					access.Own: func(p uuid.UUID) bool { return in.owns(t, p, system) },
				} {
					want := []uuid.UUID{}
					for _, person := range in.people {
						if may(person) {
							want = append(want, person)
						}
					}
					slices.SortFunc(want, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
					got := in.holding(t, auth.Wanted{Object: &auth.Object{Kind: kind, ID: system, Level: level}})
					require.Equal(t, want, got, "%q of system %s, seed %d", level, system, seed)
					found[level] += len(got)
				}
			}
			require.NotZero(t, found[access.View])
		})
	}
}

func TestTheHoldersOfRulesAreThoseWhoseRolesHoldThem(t *testing.T) {
	t.Parallel()
	in := newInstallation(t, 7)
	teams := in.holding(t, auth.Wanted{Rules: []string{auth.RuleTeamsManage, catalog.SystemRead}})
	require.NotEmpty(t, teams)
	kind := access.Kind{ObjectType: "catalog.system", Read: catalog.SystemRead, Manage: catalog.SystemManage}
	system := &auth.Object{Kind: kind, ID: in.systems[0], Level: access.View}
	both := in.holding(t, auth.Wanted{Rules: []string{auth.RuleTeamsManage}, Object: system})
	sees := in.holding(t, auth.Wanted{Object: system})
	for _, person := range in.people {
		p := in.loaded(t, person)
		require.Equal(t, p.Has(auth.RuleTeamsManage) && p.Has(catalog.SystemRead), slices.Contains(teams, person))
		require.Equal(t, p.Has(auth.RuleTeamsManage) && slices.Contains(sees, person), slices.Contains(both, person))
	}
	for _, wrong := range []auth.Wanted{{}, {Object: &auth.Object{Kind: kind, ID: in.systems[0]}}} {
		_, err := in.auth.Directory.Holding(t.Context(), wrong, uuid.Nil, 10)
		require.Error(t, err)
	}
	_, err := in.auth.Directory.Holding(t.Context(), auth.Wanted{Object: system}, uuid.Nil, auth.MaxHolders+1)
	require.Error(t, err)
}

// loaded is the person as their own request finds them; without rights when it is refused.
func (in *installation) loaded(t *testing.T, person uuid.UUID) principal.Principal {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/me", nil)
	r.AddCookie(&http.Cookie{Name: auth.PlainCookie, Value: in.cookies[person]})
	p, err := in.auth.Authenticator.Authenticate(t.Context(), r)
	if problem.Is(err, problem.Unauthorized) || p.MustChangePassword {
		return principal.Principal{}
	}
	require.NoError(t, err)
	return p
}
