//go:build linux

package image_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// Temporal and its Web UI ask nobody who they are: what can be reached from outside, or runs what people write, shares
// a network with them only where it needs them.
func TestContainersReachWhatTheyNeed(t *testing.T) {
	t.Parallel()
	services := compose(t, map[string]string{"POSTGRES_PASSWORD": "x"})
	raw, err := os.ReadFile(filepath.Join(repository, "docker-compose.yml"))
	require.NoError(t, err)
	var file struct {
		Networks map[string]*struct {
			Internal bool `yaml:"internal"`
		} `yaml:"networks"`
	}
	require.NoError(t, yaml.Unmarshal(raw, &file))
	wayOut := func(name string) bool {
		n, declared := file.Networks[name]
		require.True(t, declared, name)
		return n == nil || !n.Internal
	}
	needs := map[string][]string{
		"postgres": {"temporal-schema", "temporal", "migrate", "api", "worker"}, "temporal-schema": {"postgres"},
		"temporal": {"postgres", "temporal-namespace", "temporal-ui", "api", "worker"}, "temporal-namespace": {"temporal"},
		"temporal-ui": {"temporal", "temporal-ui-names"}, "temporal-ui-names": {"temporal-ui"}, "migrate": {"postgres"},
		"api": {"postgres", "temporal"}, "worker": {"postgres", "temporal"},
	}
	require.Len(t, services, len(needs))
	for name, s := range services {
		require.NotEmpty(t, s.Networks, "%s would be on the network of all", name)
		out := slices.ContainsFunc(s.Networks, wayOut)
		require.Equal(t, name == "api" || name == "worker" || name == "temporal-ui-names", out, "%s reaches other networks", name)
		for other, o := range services {
			shares := slices.ContainsFunc(s.Networks, func(n string) bool { return slices.Contains(o.Networks, n) })
			if slices.Contains(needs[name], other) {
				require.True(t, shares, "%s needs %s", name, other)
			}
			if ui := other == "temporal-ui" || other == "temporal-ui-names"; ui && (name == "api" || name == "worker") {
				require.False(t, shares, "%s reaches %s", name, other)
			}
		}
	}
	require.NotContains(t, services["temporal-ui-names"].Networks, "outside")
	for _, name := range []string{"api", "worker"} {
		require.Equal(t, "api:8080,worker:8080", services[name].Environment["COUNTERSIGN_OWN_ADDRESSES"])
	}
}
