package connection_test

import (
	"context"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/egress"
	"countersign/internal/principal"
	"countersign/internal/secret"
	"countersign/model"
	"countersign/modules/connection"
)

// key is recognisable wherever it might leak to.
const key = "sk-canary-0123456789abcdef"

// app is the API with the connections.
type app struct {
	*connection.Module
	*apitest.Server
	keys *secret.Keyset
}

func newApp(t testing.TB, tune ...func(*connection.Options)) *app {
	t.Helper()
	keys, err := secret.New()
	require.NoError(t, err)
	a := &app{Server: apitest.New(t), keys: keys}
	o := connection.Options{DB: a.DB, Guard: egress.Own{Resolver: names{}}, Sealer: keys, Demo: func() connection.Endpoint {
		return connection.Endpoint{BaseURL: "http://127.0.0.1:4711/demo/v1", APIKey: "demo-key"}
	}}
	for _, f := range tune {
		f(&o)
	}
	a.Module, err = connection.New(o)
	require.NoError(t, err)
	a.Mount(t, a.Module)
	return a
}

// names are what the DNS of the tests knows.
type names struct{}

func (names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if host == "trap.example.org" {
		return []netip.Addr{netip.MustParseAddr("169.254.169.254")}, nil
	}
	return []netip.Addr{netip.MustParseAddr("192.168.7.7")}, nil
}

// do makes a request as somebody who has these rules, separated by commas, "" for nobody.
func (a *app) do(t testing.TB, rules, method, path string, body any, headers ...string) apitest.Answer {
	t.Helper()
	if rules != "" {
		a.SignIn(rules, principal.Principal{Kind: principal.User, ID: uuid.UUID{1}, Rules: strings.Split(rules, ",")})
	}
	answer := a.Do(t, rules, method, path, body, headers...)
	require.NotContains(t, answer.Body, key, "no answer holds a key")
	require.NotContains(t, answer.Body, "demo-key")
	return answer
}

func valid(name string) connection.NewConnection {
	return connection.NewConnection{Name: name, BaseURL: "https://models.example.org/v1", APIKey: key, DefaultModel: "gpt-x"}
}

// manager is the context of somebody who manages connections.
func manager(t testing.TB) context.Context {
	return principal.NewContext(
		t.Context(),
		principal.Principal{Kind: principal.User, ID: uuid.UUID{1}, Name: "manager", Rules: []string{connection.Manage}},
	)
}

// probe is a connection with nothing but an address, a key and a model.
func probe(address, apiKey, name string) connection.Probe {
	return connection.Probe{Options: model.Options{BaseURL: address, APIKey: apiKey}, Model: name}
}
