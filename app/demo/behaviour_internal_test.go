package demo

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAnEndpointAnswersTheSameAtTheSameMoment(t *testing.T) {
	t.Parallel()
	moment := time.Date(2026, 3, 2, 14, 5, 0, 0, time.UTC)
	first, again := behaviourOf(production, "/tracking"), behaviourOf(production, "/tracking")
	for i := range 1000 {
		at := moment.Add(time.Duration(i) * time.Minute)
		require.Equal(t, first.at(at), again.at(at))
	}
	require.NotEqual(t, first.at(moment).took, behaviourOf(staging, "/tracking").at(moment).took)
}

func TestThreeWeeksOfTheCompanyAreMostlyGoodAndNotAll(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	runs, failed, slow, out := 0, 0, 0, 0
	for _, s := range systems() {
		b := behaviourOf(production, s.path)
		systemOut := 0
		for minute := range 21 * 24 * 60 {
			a := b.at(begin.Add(time.Duration(minute) * time.Minute))
			require.Positive(t, a.took)
			require.LessOrEqual(t, a.took, 9*time.Second)
			runs++
			switch a.state {
			case "failed":
				failed++
				systemOut++
			case "slow":
				slow++
			}
		}
		if systemOut > 120 {
			out++
		}
	}
	share := float64(failed) / float64(runs)
	require.Greater(t, share, .0005, "nothing ever happens to this company")
	require.Less(t, share, .02, "nobody would stay with this company")
	require.Positive(t, slow)
	require.Less(t, out, len(systems()), "every system had hours of outage")
}

func TestAfternoonsAreBusierThanNights(t *testing.T) {
	t.Parallel()
	b := behaviourOf(production, "/checkout")
	tuesday := time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC)
	require.Greater(t, b.daytime(tuesday.Add(14*time.Hour)), 1.5*b.daytime(tuesday.Add(2*time.Hour)))
	require.Greater(t, b.daytime(tuesday.Add(14*time.Hour)), b.daytime(tuesday.AddDate(0, 0, 4).Add(14*time.Hour)))
}

func TestTheServersOfTheCompanyAnswer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(serve))
	defer server.Close()
	for path, want := range map[string]string{"/production/storefront": "<title>storefront</title>", "/staging/search/health": `"service":"search"`} {
		response, err := server.Client().Get(server.URL + path)
		require.NoError(t, err)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Contains(t, string(body), want)
	}
	response, err := server.Client().Get(server.URL + "/production/elsewhere")
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusNotFound, response.StatusCode)
}

func TestServingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, listener) }()
	stop()
	require.NoError(t, <-ended)
}
