package vault_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/internal/secret/mask"
	"countersign/internal/secret/reference"
	"countersign/modules/vault"
)

func TestASecretIsCreatedReplacedAndDeleted(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	created := a.Do(
		t,
		"keeper",
		http.MethodPost,
		path,
		object{"name": "API_TOKEN", "description": "For the status page.", "value": "first-value"},
	)
	one := apitest.Decode[vault.Secret](t, created)
	require.Equal(t, http.StatusCreated, created.Status)
	require.Equal(t, `"1"`, created.Header.Get("ETag"))
	require.Equal(t, "API_TOKEN", one.Name)
	require.Nil(t, one.LastUsedAt)

	a.Do(t, "keeper", http.MethodPost, path, object{"name": "API_TOKEN", "value": "another"}).Refused(t, problem.Conflict)
	described := apitest.Decode[vault.Secret](
		t,
		a.Do(t, "keeper", http.MethodPatch, path+"/API_TOKEN", object{"description": "New."}, "If-Match", `"1"`),
	)
	require.Equal(t, "New.", described.Description)
	require.Equal(t, one.ValueSetAt, described.ValueSetAt)
	a.Do(t, "keeper", http.MethodPatch, path+"/API_TOKEN", object{"value": "lost-update"}, "If-Match", `"1"`).Refused(t, problem.Precondition)
	replaced := apitest.Decode[vault.Secret](
		t,
		a.Do(t, "keeper", http.MethodPatch, path+"/API_TOKEN", object{"value": "second-value"}, "If-Match", `"2"`),
	)
	require.Equal(t, "New.", replaced.Description)
	require.True(t, replaced.ValueSetAt.After(one.ValueSetAt))

	values, err := a.Resolve(t.Context(), a.Principal("reader"), []string{"API_TOKEN"}, "run 1")
	require.NoError(t, err)
	require.Equal(t, "second-value", values["API_TOKEN"].Reveal())

	listed := apitest.Decode[struct{ Secrets []vault.Secret }](t, a.Do(t, "reader", http.MethodGet, path, nil)).Secrets
	require.Len(t, listed, 1)
	require.NotNil(t, listed[0].LastUsedAt)
	a.places = []secret.User{{Kind: "automation", ID: "7", Name: "Nightly report"}}
	history := a.uses(t, "API_TOKEN")
	actions := []string{}
	for _, u := range history.Uses {
		actions = append(actions, u.Action+" "+u.ActorName+" "+u.Purpose)
	}
	require.Equal(t, []string{"use reader run 1", "replace keeper ", "describe keeper ", "create keeper "}, actions)
	require.Equal(t, []vault.SecretPlace{vault.SecretPlace(a.places[0])}, history.Places)

	a.Do(t, "keeper", http.MethodDelete, path+"/API_TOKEN", nil, "If-Match", `"1"`).Refused(t, problem.Precondition)
	require.Equal(t, http.StatusNoContent, a.Do(t, "keeper", http.MethodDelete, path+"/API_TOKEN", nil, "If-Match", `"3"`).Status)
	a.Do(t, "keeper", http.MethodDelete, path+"/API_TOKEN", nil).Refused(t, problem.NotFound)
	a.Do(t, "reader", http.MethodGet, path+"/API_TOKEN/uses", nil).Refused(t, problem.NotFound)
	var onRecord int
	require.NoError(
		t,
		a.DB.Conn(t.Context()).QueryRow(t.Context(), "SELECT count(*) FROM vault_uses WHERE secret_id = $1", one.ID).Scan(&onRecord),
	)
	require.Equal(t, 5, onRecord, "the record outlives the secret")
}

func TestBadInputNamesTheFieldAndNeverTheValue(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	const canary = "cAnArY"
	for _, c := range []struct {
		body any
		path string
	}{
		{object{"name": "lower", "value": canary}, "name"},
		{object{"name": "1A", "value": canary}, "name"},
		{object{"name": "A-B", "value": canary}, "name"},
		{object{"name": strings.Repeat("A", 65), "value": canary}, "name"},
		{object{"name": "A", "value": "abc"}, "value"},
		{object{"name": "A", "value": "  abc\n"}, "value"},
		{object{"name": "A", "value": canary + strings.Repeat("x", vault.MaxValueBytes)}, "value"},
		{object{"name": "A", "value": canary + "\x00"}, "value"},
		{object{"name": "A", "value": canary, "description": strings.Repeat("x", 501)}, "description"},
		{object{"name": "A", "value": canary, "description": "a\x07b"}, "description"},
	} {
		refusal := a.Do(t, "keeper", http.MethodPost, path, c.body)
		require.Equal(t, c.path, refusal.Refused(t, problem.Invalid).Issues[0].Path)
		require.NotContains(t, refusal.Body, canary)
	}
	for _, body := range []string{`{"name":"A","value":["cAnArY"]}`, `{"name":"A","value":{"cAnArY":1}}`, `{"name":"A","value":"cAnArY","extra":"cAnArY"}`, `{"name":"A","value":"cAnArY"`} {
		refusal := a.Do(t, "keeper", http.MethodPost, path, body)
		require.GreaterOrEqual(t, refusal.Status, 400, body)
		require.NotContains(t, refusal.Body, canary, body)
	}
	a.create(t, "A", "value")
	a.Do(t, "keeper", http.MethodPatch, path+"/A", object{}).Refused(t, problem.Invalid)
	a.Do(t, "keeper", http.MethodPatch, path+"/A", object{"value": "abc"}).Refused(t, problem.Invalid)
	require.NotContains(t, a.Log.String(), canary)
}

func TestOnlyWhoHoldsTheRuleReachesASecret(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.create(t, "A", "value")
	for _, call := range []struct{ as, method, path, rule string }{
		{"nobody", http.MethodGet, path, vault.Read},
		{"nobody", http.MethodGet, path + "/A", vault.Read},
		{"nobody", http.MethodGet, path + "/A/uses", vault.Read},
		{"reader", http.MethodPost, path, vault.Manage},
		{"reader", http.MethodPatch, path + "/A", vault.Manage},
		{"reader", http.MethodDelete, path + "/A", vault.Manage},
	} {
		var body any
		if call.method == http.MethodPost || call.method == http.MethodPatch {
			body = object{"name": "B", "value": "value"}
		}
		require.Equal(t, []string{call.rule}, a.Do(t, call.as, call.method, call.path, body).Refused(t, problem.Forbidden).MissingRules)
	}
	_, err := a.Resolve(t.Context(), a.Principal("nobody"), []string{"A"}, "run")
	require.True(t, problem.Is(err, problem.Forbidden))
	_, err = a.Resolve(t.Context(), principal.Principal{}, []string{"A"}, "run")
	require.True(t, problem.Is(err, problem.Unauthorized))
	require.Len(t, a.uses(t, "A").Uses, 1, "only its creation")
}

func TestOnlyDeclaredSecretsAreResolvedAndAllOrNone(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.create(t, "A", "value a")
	a.create(t, "B", "value b")
	reader := a.Principal("reader")
	values, err := a.Resolve(t.Context(), reader, []string{"A", "A"}, "run 1")
	require.NoError(t, err)
	require.Len(t, values, 1)
	require.Equal(t, "value a", values["A"].Reveal())
	require.NotContains(t, fmt.Sprintf("%v %+v %#v %s", values, values, values, values), "value a")
	require.Len(t, a.uses(t, "B").Uses, 1)

	values, err = a.Resolve(t.Context(), reader, []string{"A", "GONE", "B", "what; is this"}, "run 2")
	require.Nil(t, values)
	require.True(t, problem.Is(err, problem.Conflict))
	require.Contains(t, problem.As(err).Detail, "GONE")
	require.NotContains(t, problem.As(err).Detail, "what;")
	require.Len(t, a.uses(t, "A").Uses, 2, "the second run is not on record, as it got nothing")

	values, err = a.Resolve(t.Context(), reader, nil, "")
	require.NoError(t, err)
	require.Empty(t, values)
	for _, purpose := range []string{"", "  ", strings.Repeat("x", 201)} {
		_, err := a.Resolve(t.Context(), reader, []string{"A"}, purpose)
		require.Error(t, err)
	}
	many := make([]string, vault.MaxResolved+1)
	for i := range many {
		many[i] = fmt.Sprintf("N%d", i)
	}
	_, err = a.Resolve(t.Context(), reader, many, "run")
	require.True(t, problem.Is(err, problem.Invalid))
	sees, doesNot := principal.NewContext(
		t.Context(),
		reader,
	), principal.NewContext(
		t.Context(),
		principal.Principal{Kind: principal.User, ID: reader.ID},
	)
	require.NoError(t, a.Exist(sees, []string{"A", "B", "A"}))
	require.True(t, problem.Is(a.Exist(sees, []string{"A", "C"}), problem.Conflict))
	require.NoError(t, a.Exist(doesNot, []string{"A", "C"}), "who may not see names does not learn which exist")
}

func TestTheRecordOfAUseSurvivesTheTransactionOfTheCaller(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.create(t, "A", "value a")
	gaveUp := errors.New("gave up")
	err := a.DB.InTx(t.Context(), func(ctx context.Context) error {
		values, err := a.Resolve(ctx, a.Principal("reader"), []string{"A"}, "run 1")
		require.NoError(t, err)
		require.Equal(t, "value a", values["A"].Reveal())
		return gaveUp
	})
	require.ErrorIs(t, err, gaveUp)
	require.Equal(t, "run 1", a.uses(t, "A").Uses[0].Purpose)
}

func TestTheRecordCannotBeChanged(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.create(t, "A", "value a")
	for _, statement := range []string{"UPDATE vault_uses SET purpose = 'x'", "DELETE FROM vault_uses", "TRUNCATE vault_uses"} {
		_, err := a.DB.Conn(t.Context()).Exec(t.Context(), statement)
		require.ErrorContains(t, err, "stay on record", statement)
	}
}

func TestASealedValueOpensInNoOtherRow(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.create(t, "A", "value a")
	a.create(t, "B", "value b")
	_, err := a.DB.Conn(
		t.Context(),
	).Exec(
		t.Context(),
		"UPDATE vault_secrets SET value_sealed = (SELECT value_sealed FROM vault_secrets WHERE name = 'A') WHERE name = 'B'",
	)
	require.NoError(t, err)
	values, err := a.Resolve(t.Context(), a.Principal("reader"), []string{"A", "B"}, "run")
	require.True(t, problem.Is(err, problem.Conflict))
	require.Contains(t, problem.As(err).Detail, "B cannot be opened")
	require.Nil(t, values)
}

// The canary goes through everything the module does, with an idempotency key, whose table stores answers.
func TestAValueIsInNoTableAnswerOrLog(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	const first, second = "canary-eins-7b1f", "canary-zwei-9c2e"
	var answers strings.Builder
	keep := func(r apitest.Answer) { answers.WriteString(r.Body); _, _ = fmt.Fprint(&answers, r.Header) }
	for range 2 {
		keep(a.Do(t, "keeper", http.MethodPost, path, object{"name": "CANARY", "value": first}, "Idempotency-Key", "one"))
	}
	keep(a.Do(t, "keeper", http.MethodPost, path, object{"name": "CANARY", "value": first}))
	keep(a.Do(t, "keeper", http.MethodPatch, path+"/CANARY", object{"value": second, "description": "x"}, "Idempotency-Key", "two"))
	keep(a.Do(t, "keeper", http.MethodPatch, path+"/CANARY", object{"value": second + "\x00"}))
	keep(a.Do(t, "nobody", http.MethodPost, path, object{"name": "CANARY", "value": first}))
	values, err := a.Resolve(t.Context(), a.Principal("reader"), []string{"CANARY"}, "run 1")
	require.NoError(t, err)
	require.Equal(t, second, values["CANARY"].Reveal())
	for _, url := range []string{path, path + "/CANARY", path + "/CANARY/uses", "/api/openapi.json"} {
		keep(a.Do(t, "keeper", http.MethodGet, url, nil))
	}
	keep(a.Do(t, "keeper", http.MethodDelete, path+"/CANARY", nil))
	keep(a.Do(t, "keeper", http.MethodPost, path, object{"name": "CANARY", "value": first}))
	for where, text := range map[string]string{"tables": a.dump(t), "answers": answers.String(), "log": a.Log.String()} {
		for _, value := range []string{first, second} {
			for _, form := range []string{value, hex.EncodeToString([]byte(value)), base64.RawStdEncoding.EncodeToString([]byte(value))[:16]} {
				require.NotContains(t, text, form, where)
			}
		}
	}
	require.Contains(t, a.dump(t), "CANARY")
	require.Contains(t, answers.String(), "CANARY")
}

func TestConcurrentUsesAndReplacementsKeepTheRecordExact(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.create(t, "A", "value 0000")
	const uses, replacements = 40, 10
	var wg sync.WaitGroup
	errs := make(chan error, uses+replacements)
	for i := range uses {
		wg.Go(func() {
			values, err := a.Resolve(t.Context(), a.Principal("reader"), []string{"A"}, fmt.Sprintf("run %d", i))
			if err == nil && !strings.HasPrefix(values["A"].Reveal(), "value ") {
				err = errors.New("a value of nobody")
			}
			errs <- err
		})
	}
	ctx := principal.NewContext(t.Context(), a.Principal("keeper"))
	for i := range replacements {
		wg.Go(func() {
			_, err := a.Update(ctx, "A", vault.SecretChange{Value: new(fmt.Sprintf("value %04d", i))}, nil)
			errs <- err
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	require.Len(t, a.uses(t, "A").Uses, 1+uses+replacements)
	one, err := a.Get(t.Context(), "A")
	require.NoError(t, err)
	require.EqualValues(t, 1+replacements, one.Revision)
}

func TestRotationSealsEverythingWithTheNewestKeyAndCanBeRepeated(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	for i := range 5 {
		a.create(t, fmt.Sprintf("S%d", i), fmt.Sprintf("value %d", i))
	}
	rotated, err := a.keys.Rotate()
	require.NoError(t, err)
	// A row of another installation must not keep the others from being sealed again.
	_, err = a.DB.Conn(
		t.Context(),
	).Exec(
		t.Context(),
		"INSERT INTO vault_secrets (id, name, description, value_sealed, updated_by_kind, updated_by_id) VALUES ($1, 'ALIEN', '', 'x', 'user', $1)",
		uuid.Nil,
	)
	require.NoError(t, err)
	_, err = a.DB.Conn(
		t.Context(),
	).Exec(
		t.Context(),
		"UPDATE vault_secrets SET id = $1 WHERE name = 'ALIEN'",
		uuid.MustParse("00000000-0000-0000-0000-000000000001"),
	)
	require.NoError(t, err)
	after := a.moduleWith(t, rotated)
	n, err := after.Reseal(t.Context())
	require.ErrorContains(t, err, "00000000-0000-0000-0000-000000000001")
	require.Equal(t, 5, n)
	n, err = after.Reseal(t.Context())
	require.Error(t, err)
	require.Zero(t, n, "the second time there is nothing to do")

	// The old key alone opens none of them any more.
	_, err = a.Resolve(t.Context(), a.Principal("reader"), []string{"S0"}, "run")
	require.True(t, problem.Is(err, problem.Conflict))
	values, err := after.Resolve(t.Context(), a.Principal("reader"), []string{"S0", "S4"}, "run")
	require.NoError(t, err)
	require.Equal(t, "value 4", values["S4"].Reveal())
	one, err := after.Get(t.Context(), "S0")
	require.NoError(t, err)
	require.EqualValues(t, 1, one.Revision)
}

func TestAnInterruptedRotationGoesOn(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	for i := range 4 {
		a.create(t, fmt.Sprintf("S%d", i), fmt.Sprintf("value %d", i))
	}
	rotated, err := a.keys.Rotate()
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	stopping := &stopAfter{Sealer: rotated, left: 2, stop: cancel}
	half, err := vault.New(vault.Options{DB: a.DB, Sealer: stopping})
	require.NoError(t, err)
	done, err := half.Reseal(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, done, 4)
	rest, err := a.moduleWith(t, rotated).Reseal(t.Context())
	require.NoError(t, err)
	require.Equal(t, 4, done+rest)
}

// stopAfter ends the context after some values, as a killed command would.
type stopAfter struct {
	secret.Sealer
	left int
	stop func()
}

func (s *stopAfter) Reseal(sealed, associated []byte) ([]byte, bool, error) {
	if s.left--; s.left < 0 {
		s.stop()
	}
	return s.Sealer.Reseal(sealed, associated)
}

func TestARunMasksWhatItGot(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.create(t, "API_TOKEN", "tok-1234567890")
	env, err := reference.ParseEnv(map[string]string{"TOKEN": "${{ secrets.API_TOKEN }}"})
	require.NoError(t, err)
	values, err := a.Resolve(t.Context(), a.Principal("reader"), env.Names(), "run 1")
	require.NoError(t, err)
	variables, err := env.Fill(values)
	require.NoError(t, err)
	m, err := mask.New(values["API_TOKEN"])
	require.NoError(t, err)
	require.Equal(t, "Authorization: Bearer ****", m.Text("Authorization: Bearer "+variables["TOKEN"]))
}
