package strategy_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/strategy"
	"countersign/internal/secret"
)

// rdap answers as an RDAP server does, and as IANA with the list of servers.
func rdap(t testing.TB, lists *atomic.Int32) string {
	var at string
	at = web(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/dns.json" {
			if lists.Add(1) < 0 {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			_, _ = fmt.Fprintf(w, `{"version":"1.0","services":[[["com","org"],["%[1]s/rdap/"]],[["uk"],["%[1]s/moved"]]]}`, at)
			return
		}
		name, ok := strings.CutPrefix(r.URL.Path, "/rdap/domain/")
		if moved, is := strings.CutPrefix(r.URL.Path, "/moved/"); is {
			http.Redirect(w, r, at+"/rdap/"+moved, http.StatusFound)
			return
		}
		days := map[string]int{
			"shop.com": 100, "xn--mnchen-3ya.com": 100, "shop.co.uk": 100, "soon.com": 5, "late.com": -3, "deleted.com": 20,
		}
		left, known := days[name]
		w.Header().Set("Content-Type", "application/rdap+json")
		switch {
		case name == "away.com":
			http.Redirect(w, r, "http://169.254.169.254/domain/away.com", http.StatusFound)
		case name == "limited.com":
			w.WriteHeader(http.StatusTooManyRequests)
		case name == "page.com":
			_, _ = fmt.Fprint(w, "<html>")
		case name == "secretive.com":
			_, _ = fmt.Fprint(w, `{"objectClassName":"domain","ldhName":"secretive.com","events":[]}`)
		case !ok || !known:
			w.WriteHeader(http.StatusNotFound)
			_, _ = fmt.Fprint(w, `{"errorCode":404}`)
		default:
			status := "active"
			if name == "deleted.com" {
				status = "redemption period"
			}
			_, _ = fmt.Fprintf(w, `{"objectClassName":"domain","ldhName":%q,"status":[%q],"nameservers":[{"ldhName":"NS1.EXAMPLE.NET."}],
				"events":[{"eventAction":"registration","eventDate":"2001-02-03T04:05:06Z"},{"eventAction":"expiration","eventDate":%q},
				{"eventAction":"last changed","eventDate":"never"}],
				"entities":[{"roles":["registrar"],"vcardArray":["vcard",[["version",{},"text","4.0"],["fn",{},"text","Names Inc."]]]}]}`,
				name, status, time.Now().UTC().AddDate(0, 0, left).Add(time.Hour).Format(time.RFC3339))
		}
	})
	return at
}

func domain(at, name string) probe {
	return probe{
		strategy: "healthcheck-domain.domain", collector: "healthcheck-domain.registration", config: object{}, about: object{"domain": name},
		settings: strategy.Settings{RDAPBootstrap: at + "/dns.json"},
	}
}

func TestTheRegistrationOfADomain(t *testing.T) {
	t.Parallel()
	at := rdap(t, new(atomic.Int32))
	var found struct {
		Domain, ExpiresAt, RegisteredAt, ChangedAt, Registrar, Server string
		DaysRemaining                                                 int
		Status, Nameservers                                           []string
	}
	domain(at, "www.Shop.com.").passes(t, &found)
	require.Equal(t, "shop.com", found.Domain)
	require.Equal(t, 100, found.DaysRemaining)
	require.Equal(t, []string{"Names Inc.", "2001-02-03T04:05:06Z", ""}, []string{found.Registrar, found.RegisteredAt, found.ChangedAt})
	require.Equal(t, []string{"active", "ns1.example.net"}, append(found.Status, found.Nameservers...))
	domain(at, "www.shop.co.uk").passes(t, &found)
	require.Equal(t, "shop.co.uk", found.Domain, "the registered one, after a redirect")
	domain(at, "münchen.com").passes(t, &found)
	require.Equal(t, "xn--mnchen-3ya.com", found.Domain)
	own := domain("http://missing.test", "shop.com").with(object{"server": at + "/rdap"})
	own.passes(t, nil)

	domain(at, "soon.com").fails(t, check.WrongAnswer, "The registration of soon.com expires in 5 days, on ")
	few := domain(at, "soon.com")
	few.about["minDaysUntilExpiry"] = 5
	few.passes(t, nil)
	few.about["minDaysUntilExpiry"] = 0
	few.about["domain"] = "late.com"
	few.fails(t, check.WrongAnswer, "The registration of late.com expired on ")
	domain(at, "deleted.com").fails(t, check.WrongAnswer, "about to be deleted: its status is redemption period.")
	domain(at, "nobody.com").fails(t, check.NameNotFound, "The domain nobody.com is not registered, says the RDAP server known.test")
	domain(at, "müller.com").fails(t, check.NameNotFound, "The domain müller.com is not registered")
	domain(at, "page.com").fails(t, check.BadProtocol, "does not speak RDAP")
	domain(at, "away.com").fails(t, check.WrongAnswer, " redirects to 169.254.169.254:80, which checks may not reach.")
	// These say nothing about the domain.
	domain(at, "limited.com").fails(t, check.NotRunnable, "Let the check run less often.")
	domain(at, "secretive.com").fails(t, check.NotRunnable, "does not tell when the domain expires")
	domain(at, "shop.de").fails(t, check.NotRunnable, "IANA lists no RDAP server for .de.")
	domain(
		"http://missing.test",
		"shop.com",
	).fails(
		t,
		check.NotRunnable,
		"The list of RDAP servers could not be fetched: Could not connect to missing.test:80",
	)
	domain(at+"/elsewhere", "shop.com").fails(t, check.NotRunnable, "is no such list.")
}

func TestTheFormOfADomain(t *testing.T) {
	t.Parallel()
	registry, err := check.NewRegistry(strategy.All()...)
	require.NoError(t, err)
	for name, says := range map[string]string{
		"192.0.2.1": "is an address", "com": "must have a top-level domain", "co.uk": "is a suffix", "https://shop.com": "without a scheme",
		"shop..com": "empty labels", "*.shop.com": "a wildcard",
	} {
		require.Contains(t, messages(t, registry, domain("", name)), says, name)
	}
	for _, name := range []string{"shop.com", "a.b.shop.co.uk", "münchen.de", "{{ environment.host }}"} {
		require.Empty(t, messages(t, registry, domain("", name)), name)
	}
}

func TestTheListOfRDAPServersIsFetchedOnce(t *testing.T) {
	t.Parallel()
	var lists atomic.Int32
	p := domain(rdap(t, &lists), "shop.com")
	registry, err := check.NewRegistry(strategy.With(p.settings)...)
	require.NoError(t, err)
	prepared, err := registry.Prepare(check.Configuration{
		Strategy: p.strategy, Collectors: []check.Collected{{
			ID: uuid.New(), CollectorID: p.collector, Config: json.RawMessage(`{"domain":"shop.com"}`),
		}},
	}, check.Scope{}, map[string]secret.Value{})
	require.NoError(t, err)
	host := here(t)
	outcomes := make(chan check.Outcome, 20)
	for range cap(outcomes) {
		go func() { outcomes <- prepared.Run(t.Context(), host, 1, time.Now()) }()
	}
	for range cap(outcomes) {
		o := <-outcomes
		require.Equal(t, check.Passed, o.Verdict, o.Report().Message)
	}
	require.Equal(t, int32(1), lists.Load())
}
