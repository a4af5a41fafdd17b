package auth_test

import (
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/auth"
	"countersign/problem"
)

func TestTooManyFailuresForOneAddressAreThrottledWithAWait(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "ada@example.org")
	for range 10 {
		require.Equal(t, http.StatusUnauthorized, a.login(t, "Ada@example.org", "wrong horse").status)
	}
	got := a.login(t, "ada@example.org", goodPassword)
	require.Equal(t, http.StatusTooManyRequests, got.status, "even with the right password")
	require.Equal(t, problem.Throttled, got.problem(t).Code)
	wait, err := strconv.Atoi(got.header.Get("Retry-After"))
	require.NoError(t, err)
	require.Greater(t, wait, 10*60, "until the first failure leaves the window")
	require.LessOrEqual(t, wait, 15*60)

	a.exec(t, "UPDATE login_attempts SET at = at - interval '15 minutes' WHERE id IN (SELECT id FROM login_attempts ORDER BY id LIMIT 1)")
	require.Equal(t, http.StatusOK, a.login(t, "ada@example.org", goodPassword).status, "the window slides")
}

func TestAnotherSpellingOfAnAddressGetsNoAttemptsOfItsOwn(t *testing.T) {
	t.Parallel()
	a := newApp(t, func(o *auth.Options) { o.Throttle = auth.Throttle{PerEmail: 1} })
	a.user(t, "kim@example.org")
	require.Equal(t, http.StatusUnauthorized, a.login(t, "KIM@example.org", "wrong horse").status)
	for _, other := range []string{"kim@example.org", " kIm@EXAMPLE.org "} {
		require.Equal(t, http.StatusTooManyRequests, a.login(t, other, goodPassword).status, other)
	}
}

func TestLettersBeyondASCIIAreNotTheSameAddress(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "kim@example.org")
	for _, other := range []string{"k\u0130m@example.org", "\u212aim@example.org", "kim@example.org\u200b"} {
		require.Equal(t, http.StatusUnauthorized, a.login(t, other, goodPassword).status, "%q", other)
	}
	require.Equal(t, http.StatusOK, a.login(t, "kim@example.org", goodPassword).status)
}

func TestSuccessForgivesTheFailuresOfItsAddress(t *testing.T) {
	t.Parallel()
	a := newApp(t, func(o *auth.Options) { o.Throttle = auth.Throttle{PerEmail: 3} })
	a.user(t, "ada@example.org")
	for range 3 {
		require.Equal(t, http.StatusUnauthorized, a.login(t, "ada@example.org", "wrong horse").status)
		require.Equal(t, http.StatusUnauthorized, a.login(t, "ada@example.org", "wrong horse").status)
		require.Equal(t, http.StatusOK, a.login(t, "ada@example.org", goodPassword).status)
	}
	require.Zero(t, a.count(t, "SELECT count(*) FROM login_attempts WHERE NOT failed"), "no attempt stays open")
}

func TestGuessingManyAddressesFromOneClientIsThrottled(t *testing.T) {
	t.Parallel()
	a := newApp(t, func(o *auth.Options) { o.Throttle = auth.Throttle{PerAddress: 4} })
	a.user(t, "ada@example.org")
	for i := range 4 {
		require.Equal(t, http.StatusUnauthorized, a.login(t, strconv.Itoa(i)+"@example.org", "x", from("[2001:db8::"+strconv.Itoa(i)+"]:1")).status)
	}
	require.Equal(t, http.StatusTooManyRequests, a.login(t, "ada@example.org", goodPassword, from("[2001:db8::99]:1")).status, "one /64 is one client")
	require.Equal(t, http.StatusOK, a.login(t, "ada@example.org", goodPassword, from("[2001:db8:0:1::1]:1")).status)
	require.Equal(t, http.StatusTooManyRequests, a.login(t, "ada@example.org", goodPassword, from("[2001:db8::7]:1"), header("X-Forwarded-For", "203.0.113.1")).status,
		"a client cannot choose its address")
}

func TestBehindATrustedProxyTheForwardedAddressCounts(t *testing.T) {
	t.Parallel()
	a := newApp(t, func(o *auth.Options) { o.TrustProxy, o.Throttle = true, auth.Throttle{PerAddress: 1} })
	proxy := from("10.0.0.1:9")
	require.Equal(t, http.StatusUnauthorized, a.login(t, "a@example.org", "x", proxy, header("X-Forwarded-For", "198.51.100.7, 203.0.113.1")).status)
	require.Equal(t, http.StatusTooManyRequests, a.login(t, "b@example.org", "x", proxy, header("X-Forwarded-For", "203.0.113.1")).status)
	require.Equal(t, http.StatusUnauthorized, a.login(t, "c@example.org", "x", proxy, header("X-Forwarded-For", "198.51.100.7")).status)
}

// Two processes get 40 wrong guesses at the same moment. Ten passwords are checked, not one more.
func TestParallelGuessesCannotPassTheLimitTogether(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "ada@example.org")
	processes := []*app{a, newProcess(t, a.db, a.key)}
	statuses := make([]int, 40)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range statuses {
		wg.Go(func() {
			<-start
			statuses[i] = processes[i%2].login(t, "ada@example.org", "wrong horse").status
		})
	}
	close(start)
	wg.Wait()
	counted := map[int]int{}
	for _, s := range statuses {
		counted[s]++
	}
	require.Equal(t, map[int]int{http.StatusUnauthorized: 10, http.StatusTooManyRequests: 30}, counted)
}

func TestManyPeopleWhoSignInAtTheSameMomentAllGetIn(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "ada@example.org")
	statuses := make([]int, 64)
	var wg sync.WaitGroup
	for i := range statuses {
		wg.Go(func() { statuses[i] = a.login(t, "ada@example.org", goodPassword).status })
	}
	wg.Wait()
	for _, s := range statuses {
		require.Equal(t, http.StatusOK, s)
	}
	require.Equal(t, 64, a.count(t, "SELECT count(DISTINCT token_hash) FROM sessions"))
}

func TestAnAttemptOfAProcessThatDiedCountsAsFailed(t *testing.T) {
	t.Parallel()
	a := newApp(t, func(o *auth.Options) { o.Throttle = auth.Throttle{PerEmail: 2} })
	require.Equal(t, http.StatusUnauthorized, a.login(t, "ada@example.org", "x").status)
	require.Equal(t, http.StatusUnauthorized, a.login(t, "ada@example.org", "x").status)
	// As if neither had been settled, a moment ago and a minute ago.
	a.exec(t, "UPDATE login_attempts SET failed = false")
	soon := a.login(t, "ada@example.org", "x")
	require.Equal(t, "1", soon.header.Get("Retry-After"), "they may still turn out well")
	a.exec(t, "UPDATE login_attempts SET at = at - interval '1 minute'")
	later, err := strconv.Atoi(a.login(t, "ada@example.org", "x").header.Get("Retry-After"))
	require.NoError(t, err)
	require.Greater(t, time.Duration(later)*time.Second, 10*time.Minute)
}

func TestTheThrottleKeepsNoAddressInTheClear(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	require.Equal(t, http.StatusUnauthorized, a.login(t, "my-secret-password", "x", from("203.0.113.77:5")).status)
	require.Equal(t, 2, a.count(t, "SELECT count(*) FROM login_attempts"))
	require.Zero(t, a.count(t, "SELECT count(*) FROM login_attempts l WHERE l::text LIKE '%secret%' OR l::text LIKE '%203.0.113%' OR convert_from(bucket, 'LATIN1') LIKE '%secret%'"))
	require.NotContains(t, a.log.String(), "my-secret-password")
}
