package strategy_test

import (
	"crypto/tls"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/stretchr/testify/require"

	"countersign/check"
)

func redisPort(t testing.TB, m *miniredis.Miniredis) int {
	t.Cleanup(m.Close)
	_, err := m.Get("absent")
	require.ErrorIs(t, err, miniredis.ErrKeyNotFound)
	return m.Server().Addr().Port
}

func TestRedis(t *testing.T) {
	t.Parallel()
	server := miniredis.NewMiniRedis()
	require.NoError(t, server.Start())
	require.NoError(t, server.Set("stock", "42"))
	require.NoError(t, server.Set("atoms", "18446744073709551615"))
	require.NoError(t, server.Set("state", `{"ready":true}`))
	_, err := server.Lpush("queue", "a")
	require.NoError(t, err)
	p := probe{
		strategy:  "healthcheck-redis.redis",
		collector: "healthcheck-redis.command",
		config:    object{"host": "known.test", "port": redisPort(t, server)},
	}
	unreachable(t, p, "Redis")

	var found struct {
		Success, Found bool
		Response       string
		Number         *float64
		ResponseTimeMs float64
	}
	p.passes(t, &found)
	require.Equal(t, "PONG", found.Response)
	require.Nil(t, found.Number)
	require.Positive(t, found.ResponseTimeMs)
	p.asking(object{"command": "GET", "args": []string{"stock"}}).passes(t, &found)
	require.InDelta(t, 42, *found.Number, 0)
	stock := p.asking(object{"command": "GET", "args": []string{"atoms"}})
	stock.asserting("number", "", "lessThan", "18446744073709551616").passes(t, nil)
	stock.asserting("number", "", "greaterThanOrEqual", "18446744073709551616").
		fails(t, check.AssertionFailed, "Expected number >= 18446744073709551616, got 18446744073709551615.")
	p.asking(object{"command": "GET", "args": []string{"state"}}).passes(t, &found)
	require.JSONEq(t, `{"ready":true}`, found.Response)
	p.asking(object{"command": "LLEN", "args": []string{"queue"}}).passes(t, &found)
	require.Equal(t, "1", found.Response)
	p.asking(object{"command": "GET", "args": []string{"absent"}}).passes(t, &found)
	require.True(t, found.Success)
	require.False(t, found.Found)
	p.asking(object{"command": "LLEN", "args": []string{"stock"}}).fails(t, check.WrongAnswer, "WRONGTYPE")
	p.asking(object{"command": "GET"}).fails(t, check.WrongAnswer, "wrong number of arguments")

	info := struct{ Info string }{}
	p.asking(object{"command": "INFO", "args": []string{"clients"}}).passes(t, &info)
	require.Contains(t, info.Info, `"connected_clients":`)
}

func TestRedisLetsInWhoHasThePassword(t *testing.T) {
	t.Parallel()
	server := miniredis.NewMiniRedis()
	require.NoError(t, server.Start())
	server.RequireUserAuth("watcher", password)
	p := probe{
		strategy: "healthcheck-redis.redis", collector: "healthcheck-redis.command",
		config: object{"host": "known.test", "port": redisPort(t, server), "username": "watcher", "password": "${{ secrets.PASSWORD }}"},
	}
	p.passes(t, nil)
	p.with(object{"username": "nobody"}).fails(t, check.NotAdmitted, "WRONGPASS")
	p.with(object{"username": nil, "password": nil}).fails(t, check.NotAdmitted, "NOAUTH")
	p.secrets = map[string]string{"PASSWORD": "another-password"}
	p.fails(t, check.NotAdmitted, "WRONGPASS")
}

func TestRedisWithTLS(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	secured := func(t *testing.T, c tls.Certificate) int {
		server := miniredis.NewMiniRedis()
		require.NoError(t, server.StartTLS(&tls.Config{Certificates: []tls.Certificate{c}, MinVersion: tls.VersionTLS12}))
		return redisPort(t, server)
	}
	p := probe{strategy: "healthcheck-redis.redis", collector: "healthcheck-redis.command", config: object{"host": "known.test", "tls": true}}
	certificates(t, p, ca, secured)
	certificateTerms(t, p, ca, object{"skipVerify": true}, atPort(secured))
	p.with(object{"port": secured(t, ca.issue(t, "elsewhere.test", 1e12)), "ca": ca.pem, "serverName": "elsewhere.test"}).passes(t, nil)
}
