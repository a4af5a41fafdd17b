package auth_test

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/auth"
	"countersign/internal/problem"
	"countersign/internal/store/throttle"
)

// elsewhere is a client address that nobody else in a test has.
func elsewhere(n int) with {
	return from("198.51.100." + strconv.Itoa(n) + ":9")
}

// fail makes so many attempts with a wrong password that are all judged.
func (a *app) fail(t testing.TB, times int, email string, with ...with) {
	t.Helper()
	for range times {
		require.Equal(t, http.StatusUnauthorized, a.login(t, email, "wrong horse", with...).status)
	}
}

func (a *app) waits(t testing.TB, got answer) int {
	t.Helper()
	require.Equal(t, http.StatusTooManyRequests, got.status, string(got.body))
	require.Equal(t, problem.Throttled, got.problem(t).Code)
	wait, err := strconv.Atoi(got.header.Get("Retry-After"))
	require.NoError(t, err)
	return wait
}

func TestEachFurtherFailureWaitsTwiceAsLongUpToABound(t *testing.T) {
	t.Parallel()
	a := newApp(t, func(o *auth.Options) { o.Throttle.First = 2 * time.Second })
	a.user(t, "ada@example.org")
	a.fail(t, 10, "ada@example.org")
	for i, most := range []int{2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900} {
		require.Equal(t, most, a.count(t, "SELECT throttle_wait($1, 10, 2, 900)::int", 10+i))
		// As if it had failed a while from now, so that the wait is not over while the test runs.
		a.exec(t, "UPDATE throttled_failures SET last_at = clock_timestamp() + interval '10 minutes'")
		wait := a.waits(t, a.login(t, "ada@example.org", goodPassword))
		require.LessOrEqual(t, wait, 600+most)
		require.Greater(t, wait, most)
		a.exec(t, "UPDATE throttled_failures SET last_at = clock_timestamp() - make_interval(secs => $1)", most)
		a.fail(t, 1, "ada@example.org")
	}
	a.exec(t, "UPDATE throttled_failures SET last_at = clock_timestamp() - interval '900 seconds'")
	require.Equal(t, http.StatusOK, a.login(t, "ada@example.org", goodPassword).status)
	a.fail(t, 10, "ada@example.org")
}

func TestFailuresAreForgotten(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.fail(t, 10, "ada@example.org")
	a.pass(t, 3601)
	a.fail(t, 10, "ada@example.org")
	a.pass(t, 3601)
	n, err := a.Sweep(t.Context())
	require.NoError(t, err)
	require.Positive(t, n)
	require.Zero(t, a.count(t, "SELECT count(*) FROM throttled_failures"))
}

func TestFailedSignInsLockNoOtherPersonOut(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "ada@example.org")
	a.fail(t, 10, "ada@example.org", elsewhere(1))
	a.waits(t, a.login(t, "ada@example.org", goodPassword, elsewhere(1)))
	require.Equal(t, http.StatusOK, a.login(t, "ada@example.org", goodPassword, elsewhere(2)).status, "from an address of her own")
	a.user(t, "bob@example.org")
	require.Equal(t, http.StatusOK, a.login(t, "bob@example.org", goodPassword, elsewhere(1)).status, "another account from the same address")
}

// Everybody behind a proxy that nobody has declared has one address.
func TestBadTriesBehindAnUndeclaredProxyLockNobodyOut(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "ada@example.org")
	proxy, forwarded := from("10.0.0.1:9"), header("X-Forwarded-For", "203.0.113.1")
	for i := range 150 {
		a.fail(t, 1, strconv.Itoa(i)+"@example.org", proxy, header("X-Forwarded-For", "203.0.113."+strconv.Itoa(2+i/50)))
	}
	require.Equal(t, http.StatusOK, a.login(t, "ada@example.org", goodPassword, proxy, forwarded).status)
	require.Equal(t, 1, strings.Count(a.log.String(), "COUNTERSIGN_TRUST_PROXY=true"), "it is said, and not with each request")

	// Even where nothing tells of the proxy, the wait is short.
	for i := range 60 {
		a.fail(t, 1, strconv.Itoa(i)+"@example.com", elsewhere(1))
	}
	require.Equal(t, http.StatusOK, a.login(t, "ada@example.org", goodPassword, elsewhere(1)).status)
}

// A header that nobody trusts takes no limit away: neither always the same one nor another one each time.
func TestAHeaderThatNobodyTrustsTakesNoLimitAway(t *testing.T) {
	t.Parallel()
	a := newApp(t, func(o *auth.Options) { o.Throttle = auth.Throttle{PerAddress: 4} })
	a.user(t, "ada@example.org")
	near := from("10.0.0.1:9")
	named := func(n int) with { return header("X-Forwarded-For", "192.0.2."+strconv.Itoa(n)) }
	for i := range 4 {
		a.fail(t, 1, strconv.Itoa(i)+"@example.org", near, named(0))
	}
	a.waits(t, a.login(t, "ada@example.org", goodPassword, near, named(0)))
	require.Equal(t, http.StatusOK, a.login(t, "ada@example.org", goodPassword, near, named(1)).status, "another client of the same proxy")
	for i := range 36 {
		a.fail(t, 1, strconv.Itoa(i)+"@example.net", near, named(2+i))
	}
	require.LessOrEqual(
		t,
		a.waits(t, a.login(t, "ada@example.org", goodPassword, near, named(99))),
		5,
		"of an address that may be many people's",
	)
}

func TestAKnownDeviceIsNotLockedOutByOthers(t *testing.T) {
	t.Parallel()
	a := newApp(t, func(o *auth.Options) { o.Throttle = auth.Throttle{PerPair: 2, PerAccount: 6, PerAddress: 5} })
	a.user(t, "ada@example.org")
	mine := device(t, a.login(t, "ada@example.org", goodPassword, elsewhere(1)))
	for i := range 3 {
		a.fail(t, 2, "ada@example.org", elsewhere(10+i))
	}
	for i := range 3 {
		a.fail(t, 1, strconv.Itoa(i)+"@example.org", elsewhere(10))
	}
	a.waits(t, a.login(t, "ada@example.org", goodPassword, elsewhere(20)))
	require.Equal(
		t,
		http.StatusOK,
		a.login(t, "ada@example.org", goodPassword, mine, elsewhere(20)).status,
		"while the account is guessed from everywhere",
	)
	require.Equal(
		t,
		http.StatusOK,
		a.login(t, "ada@example.org", goodPassword, mine, elsewhere(10)).status,
		"at the address of who signInThrottle",
	)

	a.user(t, "bob@example.org")
	a.fail(t, 2, "bob@example.org", elsewhere(30), mine)
	a.waits(t, a.login(t, "bob@example.org", goodPassword, elsewhere(30), mine))

	a.fail(t, 2, "ada@example.org", mine, elsewhere(40))
	require.LessOrEqual(t, a.waits(t, a.login(t, "ada@example.org", goodPassword, mine, elsewhere(40))), 60, "its own failures count")
	a.pass(t, 61)
	require.Equal(t, http.StatusOK, a.login(t, "ada@example.org", goodPassword, mine, elsewhere(40)).status)
}

func TestADeviceIsKnownToEachWhoSignsInOnItAndToNobodyElse(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	ada, _ := a.user(t, "ada@example.org"), a.user(t, "bob@example.org")
	first := a.login(t, "ada@example.org", goodPassword)
	shared := device(t, first)
	require.Len(t, a.login(t, "bob@example.org", goodPassword, shared).header.Values("Set-Cookie"), 1, "the device keeps its cookie")
	require.Equal(t, 2, a.count(t, "SELECT count(*) FROM known_devices"))
	require.Equal(t, 1, a.count(t, "SELECT count(DISTINCT token_hash) FROM known_devices"))
	made := device(t, a.login(t, "ada@example.org", goodPassword, cookie(auth.PlainDeviceCookie, strings.Repeat("A", 43))))
	require.NotNil(t, made, "a cookie that was not made here is replaced")

	for _, c := range (&http.Response{Header: first.header}).Cookies() {
		require.True(t, c.HttpOnly)
		require.Equal(t, http.SameSiteLaxMode, c.SameSite)
		require.Zero(t, a.count(t, "SELECT count(*) FROM known_devices d WHERE encode(token_hash, 'base64') LIKE '%' || $1 || '%'", c.Value))
	}
	for range 25 {
		require.Equal(t, http.StatusOK, a.login(t, "ada@example.org", goodPassword).status)
	}
	require.Equal(t, 20, a.count(t, "SELECT count(*) FROM known_devices WHERE user_id = $1", ada.ID))
	_, err := a.Directory.UpdateUser(t.Context(), root, ada.ID, auth.UserChange{Password: new("another horse")}, nil)
	require.NoError(t, err)
	require.Zero(t, a.count(t, "SELECT count(*) FROM known_devices WHERE user_id = $1", ada.ID), "a new password forgets them")
	a.exec(t, "UPDATE known_devices SET last_used_at = now() - interval '181 days'")
	_, err = a.Sweep(t.Context())
	require.NoError(t, err)
	require.Zero(t, a.count(t, "SELECT count(*) FROM known_devices"))
}

func TestTheDeviceCookieOverTLSIsBoundToTheHost(t *testing.T) {
	t.Parallel()
	a := newApp(t, func(o *auth.Options) { o.SecureCookie = true })
	a.user(t, "ada@example.org")
	cookies := (&http.Response{Header: a.login(t, "ada@example.org", goodPassword).header}).Cookies()
	require.Len(t, cookies, 2)
	require.Equal(t, auth.SecureDeviceCookie, cookies[1].Name)
	require.True(t, cookies[1].Secure)
	require.Equal(t, "/", cookies[1].Path)
}

func TestGuessingOneAccountFromManyAddressesSlowsDown(t *testing.T) {
	t.Parallel()
	a := newApp(t, func(o *auth.Options) { o.Throttle = auth.Throttle{PerAccount: 12} })
	a.user(t, "ada@example.org")
	for i := range 12 {
		a.fail(t, 1, "ada@example.org", elsewhere(i))
	}
	a.waits(t, a.login(t, "ada@example.org", goodPassword, elsewhere(100)))
	for range 10 {
		a.pass(t, 61)
		a.fail(t, 1, "ada@example.org", elsewhere(101))
	}
	require.LessOrEqual(t, a.waits(t, a.login(t, "ada@example.org", goodPassword, elsewhere(102))), 60, "however many there were")
}

func TestGuessingManyAccountsFromOneClientSlowsDown(t *testing.T) {
	t.Parallel()
	a := newApp(t, func(o *auth.Options) { o.Throttle = auth.Throttle{PerAddress: 4} })
	a.user(t, "ada@example.org")
	for i := range 4 {
		a.fail(t, 1, strconv.Itoa(i)+"@example.org", from("[2001:db8::"+strconv.Itoa(i)+"]:1"))
	}
	a.waits(t, a.login(t, "ada@example.org", goodPassword, from("[2001:db8::99]:1")))
	require.Equal(t, http.StatusOK, a.login(t, "ada@example.org", goodPassword, from("[2001:db8:0:1::1]:1")).status, "one /64 is one client")
	a.waits(t, a.login(t, "ada@example.org", goodPassword, from("[2001:db8::7]:1"), header("X-Forwarded-For", "203.0.113.1")))
}

func TestBehindATrustedProxyTheForwardedAddressCounts(t *testing.T) {
	t.Parallel()
	a := newApp(t, func(o *auth.Options) { o.TrustProxy, o.Throttle = true, auth.Throttle{PerAddress: 1} })
	proxy := from("10.0.0.1:9")
	require.Equal(
		t,
		http.StatusUnauthorized,
		a.login(t, "a@example.org", "x", proxy, header("X-Forwarded-For", "198.51.100.7, 203.0.113.1")).status,
	)
	require.Equal(t, http.StatusTooManyRequests, a.login(t, "b@example.org", "x", proxy, header("X-Forwarded-For", "203.0.113.1")).status)
	require.Equal(t, http.StatusUnauthorized, a.login(t, "c@example.org", "x", proxy, header("X-Forwarded-For", "198.51.100.7")).status)
	require.NotContains(t, a.log.String(), "COUNTERSIGN_TRUST_PROXY")
	a.login(t, "d@example.org", "x", proxy)
	require.Contains(t, a.log.String(), "although COUNTERSIGN_TRUST_PROXY is true")
}

func TestAnotherSpellingOfAnAddressGetsNoAttemptsOfItsOwn(t *testing.T) {
	t.Parallel()
	a := newApp(t, func(o *auth.Options) { o.Throttle = auth.Throttle{PerPair: 1} })
	a.user(t, "kim@example.org")
	a.fail(t, 1, "KIM@example.org")
	for _, other := range []string{"kim@example.org", " kIm@EXAMPLE.org "} {
		a.waits(t, a.login(t, other, goodPassword))
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

// Neither the words nor the waits tell whether there is an account.
func TestAnAccountThatDoesNotExistIsAnsweredAsAnyOther(t *testing.T) {
	t.Parallel()
	a := newApp(t, func(o *auth.Options) { o.Throttle = auth.Throttle{PerPair: 3} })
	a.user(t, "ada@example.org")
	for i := range 4 {
		// The waits of both are told to the second.
		a.exec(t, "UPDATE throttled_failures SET last_at = (SELECT max(last_at) FROM throttled_failures)")
		is, isNot := a.login(t, "ada@example.org", "wrong horse", elsewhere(1)), a.login(t, "eve@example.org", "wrong horse", elsewhere(2))
		require.Equal(t, is.status, isNot.status, i)
		if is.status != http.StatusTooManyRequests {
			require.Equal(t, string(is.body), string(isNot.body), i)
			continue
		}
		require.Equal(t, is.problem(t).Code, isNot.problem(t).Code)
		require.InDelta(t, a.waits(t, is), a.waits(t, isNot), 60)
	}
}

func TestSuccessForgivesTheFailuresOfItsAddressAndAccount(t *testing.T) {
	t.Parallel()
	a := newApp(t, func(o *auth.Options) { o.Throttle = auth.Throttle{PerPair: 3} })
	a.user(t, "ada@example.org")
	for range 3 {
		a.fail(t, 2, "ada@example.org")
		require.Equal(t, http.StatusOK, a.login(t, "ada@example.org", goodPassword).status)
	}
	require.Equal(
		t,
		6,
		a.count(t, "SELECT max(failures) FROM throttled_failures"),
		"what is counted by account and by address stays, without the attempts that were right",
	)
}

// Two processes get 40 wrong signInThrottle at the same moment. Ten passwords are checked, not one more.
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

func TestTheThrottleKeepsNoAddressInTheClear(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	require.Equal(t, http.StatusUnauthorized, a.login(t, "my-secret-password", "x", from("203.0.113.77:5")).status)
	require.Equal(t, 3, a.count(t, "SELECT count(*) FROM throttled_failures"))
	require.Zero(
		t,
		a.count(
			t,
			"SELECT count(*) FROM throttled_failures f WHERE f::text LIKE '%secret%' OR f::text LIKE '%203.0.113%' OR encode(bucket, 'escape') LIKE '%secret%'",
		),
	)
	require.NotContains(t, a.log.String(), "my-secret-password")
}

// What is typed as the e-mail address may be a password, and a fast hash that needs no key is one that whoever copies the
// database can try passwords with.
func TestTheThrottleKeepsNoHashThatOthersCanMake(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	require.Equal(t, http.StatusUnauthorized, a.login(t, "my-secret-password", "x").status)
	rule := throttle.Rule{Name: "sign-in/account", FirstWait: time.Hour, MaxWait: time.Hour, Window: time.Hour}
	wait, err := throttle.New(a.db).Wait(t.Context(), rule.Bucket("my-secret-password"))
	require.NoError(t, err)
	require.LessOrEqual(t, wait, time.Duration(0))
}

func TestGuessesOfTheCredentialsOfTurnsAreThrottledAndKeptOnRecord(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	guess := func() answer {
		return a.do(t, http.MethodGet, "/api/me", nil, bearer(auth.DelegatedPrefix+strings.Repeat("A", 120)), elsewhere(1))
	}
	for range 10 {
		require.Equal(t, http.StatusUnauthorized, guess().status)
	}
	require.LessOrEqual(t, a.waits(t, guess()), 60)
	require.Eventually(t, func() bool {
		return a.count(t, `SELECT count(*) FROM ai_audit_entries WHERE action = 'token-refused'`) == 1
	}, time.Minute, 20*time.Millisecond)
}

func TestGuessesOfAPITokensAreThrottledAndKeptOnRecord(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	role := a.role(t, "Readers", "catalog.system.read")
	_, token := a.application(t, "CI", role.ID)
	guess := func() answer {
		return a.do(t, http.MethodGet, "/api/me", nil, bearer(auth.TokenPrefix+strings.Repeat("A", 43)), elsewhere(1))
	}
	for range 10 {
		require.Equal(t, http.StatusUnauthorized, guess().status)
	}
	require.LessOrEqual(t, a.waits(t, guess()), 60)
	a.waits(t, a.do(t, http.MethodGet, "/api/me", nil, bearer("nonsense"), elsewhere(1)))
	require.Equal(t, http.StatusOK, a.do(t, http.MethodGet, "/api/me", nil, bearer(token), elsewhere(1)).status, "a valid one is let through")
	require.Equal(
		t,
		http.StatusUnauthorized,
		a.do(t, http.MethodGet, "/api/me", nil, bearer("nonsense"), elsewhere(2)).status,
		"elsewhere it is the first",
	)
	require.Equal(t, 11, strings.Count(a.log.String(), "Bearer token refused"))
	require.NotContains(t, a.log.String(), "nonsense")
}

func TestWhoTriesPasswordsWithASessionKeepsNobodyFromSigningIn(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "ada@example.org")
	session := a.signIn(t, "ada@example.org")
	change := func() answer {
		return a.do(
			t,
			http.MethodPost,
			"/api/auth/password",
			map[string]string{"currentPassword": uuid.NewString(), "newPassword": "another horse"},
			session,
		)
	}
	for range 10 {
		require.Equal(t, http.StatusUnprocessableEntity, change().status)
	}
	a.waits(t, change())
	require.Equal(t, http.StatusOK, a.login(t, "ada@example.org", goodPassword).status)
}
