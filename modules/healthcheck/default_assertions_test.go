package healthcheck_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/modules/healthcheck"
)

// A collector that says nothing of assertions gets those of its kind; none at all has to be said, and stays so.
func TestANewCollectorHasTheAssertionsOfItsKind(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	ring := func(name string, more object) object {
		collector := object{"collectorId": "test-door.ring"}
		maps.Copy(collector, more)
		return door(name, "example.org", object{"collectors": []object{collector}})
	}
	assertions := func(c healthcheck.Check) []string {
		words := []string{}
		for _, one := range c.Collectors[0].Assertions {
			words = append(words, one.Field+" "+one.Operator+" "+string(one.Value))
		}
		return words
	}
	standard := []string{"answers between [1,9]"}
	c := a.check(t, ring("Absent", nil))
	require.Equal(t, standard, assertions(c))
	require.Equal(t, standard, assertions(a.check(t, ring("With an id", object{"id": uuid.New()}))))
	none := a.check(t, ring("None", object{"assertions": []object{}}))
	require.NotNil(t, none.Collectors[0].Assertions)
	require.Empty(t, none.Collectors[0].Assertions)

	// A change that leaves them out leaves them as they are, and an empty list removes them.
	change := func(c healthcheck.Check, collector object) healthcheck.Check {
		collector["collectorId"] = "test-door.ring"
		a.ok(t, a.Do(t, "root", http.MethodPatch, at(checks, c.ID), object{"collectors": []object{collector}}))
		return decode[healthcheck.Check](t, a.Do(t, "root", http.MethodGet, at(checks, c.ID), nil))
	}
	require.Equal(t, standard, assertions(change(c, object{"config": object{"times": 2}})))
	require.Empty(t, assertions(change(none, object{"id": none.Collectors[0].ID, "config": object{"times": 2}})))
	require.Empty(t, assertions(change(c, object{"assertions": []object{}})))

	in := object{"assertions": []object{{"field": "answers", "operator": "in", "value": []int{1, 2}}}}
	require.Equal(t, []string{"answers oneOf [1,2]"}, assertions(a.check(t, ring("Another name", in))), "forms know the id alone")

	empty := object{"assertions": []object{{"field": "words", "operator": "contains", "value": ""}}}
	issues := a.Do(t, "root", http.MethodPost, checks, ring("Empty", empty)).Refused(t, problem.Invalid).Issues
	require.Equal(t, "collectors[0].assertions[0].value", issues[0].Path)
	require.Contains(t, issues[0].Message, "could not fail")

	// An export says that there are none, so that an import does not add any.
	exported := a.Do(t, "root", http.MethodGet, at(checks, none.ID)+"/export", nil)
	require.Equal(t, http.StatusOK, exported.Status, exported.Body)
	there := newApp(t)
	there.ok(t, there.Do(t, "root", http.MethodPost, importPath, object{"document": exported.Body}))
	copied := decode[struct{ Checks []healthcheck.Check }](t, there.Do(t, "root", http.MethodGet, checks, nil)).Checks
	require.Len(t, copied, 1)
	require.Empty(t, assertions(copied[0]))

	catalog := decode[healthcheck.Catalog](t, a.Do(t, "root", http.MethodGet, "/api/healthcheck/kinds", nil))
	for _, kind := range catalog.Strategies[0].Collectors {
		require.NotNil(t, kind.Defaults, kind.ID)
		require.Equal(t, kind.ID == "test-door.ring", len(kind.Defaults) == 1, kind.ID)
	}
}

// A collector that passes whatever it finds needs an assertion, or the choice of none. One that is stored without goes on, and says so.
func TestAValueAloneDoesNotPassUnnoticed(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	counting := func(name string, more object) object {
		collector := object{"collectorId": "test-door.count", "config": object{"whom": "Guests"}}
		maps.Copy(collector, more)
		return door(name, "example.org", object{"collectors": []object{collector}})
	}
	definitionIn := func(body object) object {
		delete(body, "name")
		return body
	}
	const missing = "are missing: say what the number of people has to be with another whom than Anybody, such as answers lessThan 5; " +
		"an empty list lets any value pass"
	refused := func(issues []problem.Issue) {
		t.Helper()
		require.Len(t, issues, 1)
		require.Equal(t, "collectors[0].assertions", issues[0].Path)
		require.Equal(t, missing, issues[0].Message)
	}
	refused(a.Do(t, "root", http.MethodPost, checks, counting("Absent", nil)).Refused(t, problem.Invalid).Issues)
	verdict := decode[healthcheck.Verdict](t, a.Do(t, "root", http.MethodPost, "/api/healthcheck/validate", definitionIn(counting("", nil))))
	require.False(t, verdict.Valid)
	refused(verdict.Errors)

	wrong := counting("Wrong", object{"config": object{"whom": "Guests", "when": "now"}})
	issues := a.Do(t, "root", http.MethodPost, checks, wrong).Refused(t, problem.Invalid).Issues
	require.Len(t, issues, 2, "all that is wrong is said at once")
	require.Contains(t, issues[0].Path, "collectors[0].config")
	require.Equal(t, missing, issues[1].Message)

	// A check that only asks whether a server answers needs none, nor does a draft, whose result a person reads.
	for _, whom := range []object{nil, {"whom": "anybody"}, {"whom": " ANYBODY ; "}} {
		c := a.check(t, counting("Alive "+uuid.NewString(), object{"config": whom}))
		require.Empty(t, c.Collectors[0].Assertions)
		require.Empty(t, c.Warnings)
	}
	draft := a.Do(t, "root", http.MethodPost, "/api/healthcheck/draft-runs/preview", object{"configuration": definitionIn(counting("", nil))})
	require.Equal(t, http.StatusOK, draft.Status, draft.Body)

	none := a.check(t, counting("None", object{"assertions": []object{}}))
	require.Equal(t, []string{"Count has no assertion: it passes whatever the number of people is."}, none.Warnings)
	some := a.check(t, counting("Some", object{"assertions": []object{{"field": "answers", "operator": "lessThan", "value": 9}}}))
	require.Empty(t, some.Warnings)

	// The choice of none holds for what it was made for, also when another whom is asked about.
	change := func(c healthcheck.Check, collector object) apitest.Answer {
		collector["collectorId"], collector["id"] = "test-door.count", c.Collectors[0].ID
		return a.Do(t, "root", http.MethodPatch, at(checks, c.ID), object{"collectors": []object{collector}})
	}
	a.ok(t, change(none, object{"config": object{"whom": "Hosts"}}))
	alive := a.check(t, counting("Alive", object{"config": nil}))
	refused(change(alive, object{"config": object{"whom": "Hosts"}}).Refused(t, problem.Invalid).Issues)
	a.ok(t, change(alive, object{"config": object{"whom": "Hosts"}, "assertions": []object{}}))

	// A document of ours says that there are none. One that leaves them out is refused like a new check.
	there := newApp(t)
	exported := a.Do(t, "root", http.MethodGet, at(checks, none.ID)+"/export", nil)
	there.ok(t, there.Do(t, "root", http.MethodPost, importPath, object{"document": exported.Body}))
	without := strings.Replace(exported.Body, ",\n          \"assertions\": []", "", 1)
	require.NotEqual(t, exported.Body, without)
	answer := newApp(t).Do(t, "root", http.MethodPost, importPath, object{"document": without})
	require.Contains(t, answer.Refused(t, problem.Invalid).Detail, "say what the number of people has to be")

	catalog := decode[healthcheck.Catalog](t, a.Do(t, "root", http.MethodGet, "/api/healthcheck/kinds", nil))
	for _, kind := range catalog.Strategies[0].Collectors {
		require.Equal(t, kind.ID == "test-door.count", kind.Needs != "", kind.ID)
	}
}
