package healthcheck_test

import (
	"maps"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

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
