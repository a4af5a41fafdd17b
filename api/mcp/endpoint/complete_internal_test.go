package endpoint

import (
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"countersign/internal/principal"
	"countersign/tool"
	"countersign/tool/invoke"
	"countersign/tool/kit"
)

// counting is the REST API, which keeps what it was asked.
type counting struct {
	router *tool.Router
	asked  []string
}

func (c *counting) Caller(p principal.Principal, _ uuid.UUID) tool.Caller {
	return tool.Caller{Principal: p, Client: &tool.Client{Router: c.router}}
}

func (c *counting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.asked = append(c.asked, r.URL.String())
	_, _ = io.WriteString(
		w,
		`{"targets":[{"id":7},{"id":9}],"more":true,"systems":[{"id":"0199aa00-0000-7000-8000-000000000001","name":"Till"},{"id":"0199aa00-0000-7000-8000-000000000002","name":"Till"}]}`,
	)
}

// With each letter that is typed one request is made, whatever it finds, and none for who could not read what is found.
func TestALetterThatIsTypedIsOneRequest(t *testing.T) {
	t.Parallel()
	api := &counting{router: new(tool.Router)}
	api.router.Bind(api)
	history := kit.NewRead(
		tool.Definition{Name: "healthcheck.runHistory", Description: "Runs.", Effect: tool.Read, Rules: []string{"status.read"}},
		func(context.Context, tool.Caller, struct{}) (struct{}, error) { return struct{}{}, nil },
	)
	registry, err := tool.NewRegistry(history)
	require.NoError(t, err)
	e := &Endpoint{Options: Options{Registry: registry, Invoke: &invoke.Service{Callers: api}}}
	for _, typed := range []string{"till", "", "7"} {
		api.asked = nil
		ids, more, err := e.targetsOf(t.Context(), typed)
		require.NoError(t, err)
		require.Equal(t, []string{"7", "9"}, ids)
		require.True(t, more)
		require.Equal(t, []string{"/api/healthcheck/targets?limit=100&query=" + typed}, api.asked)
	}

	api.asked = nil
	ctx := context.WithValue(t.Context(), exchangeKey{}, &exchange{principal: someone(), done: t.Context()})
	for uri, variable := range map[string]string{"countersign://targets/{target}/runs": "target", "countersign://systems/{system}": "system", "countersign://docs/{+slug}": "slug"} {
		values, more, err := e.completions(
			ctx,
			&sdk.CompleteParams{
				Ref:      &sdk.CompleteReference{Type: "ref/resource", URI: uri},
				Argument: sdk.CompleteParamsArgument{Name: variable, Value: "till"},
			},
		)
		require.NoError(t, err, variable)
		require.Empty(t, values)
		require.False(t, more)
	}
	require.Empty(t, api.asked)
}
