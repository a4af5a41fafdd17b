package egress_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/egress"
)

func policy(t *testing.T, list string) egress.Policy {
	t.Helper()
	p, err := egress.ParsePolicy(list)
	require.NoError(t, err)
	return p
}

func TestChecksReachPrivateNetworksAndNothingOfThisMachine(t *testing.T) {
	t.Parallel()
	open := []string{
		"10.0.0.1",
		"172.16.0.1",
		"192.168.1.1",
		"100.64.0.1",
		"8.8.8.8",
		"198.18.0.1",
		"126.255.255.255",
		"128.0.0.1",
		"169.253.255.255",
		"169.255.0.1",
		"fd12::1",
		"2606:4700::1111",
		"::ffff:10.0.0.1",
		"64:ff9b::808:808",
		"64:ff9b::a00:1",
		"192.0.1.1",
		"223.255.255.255",
	}
	closed := []string{
		"127.0.0.1",
		"127.255.255.254",
		"0.0.0.0",
		"0.1.2.3",
		"169.254.0.1",
		"169.254.169.254",
		"100.100.100.200",
		"168.63.129.16",
		"192.0.0.192",
		"224.0.0.1",
		"239.255.255.255",
		"240.0.0.1",
		"255.255.255.255",
		"::",
		"::1",
		"fe80::1",
		"fe80::1%eth0",
		"febf::1",
		"fec0::1",
		"ff02::1",
		"fd00:ec2::254",
		"fd20:ce::254",
		"::ffff:127.0.0.1",
		"::ffff:169.254.169.254",
		"::127.0.0.1",
		"::ffff:0:7f00:1",
		"64:ff9b::7f00:1",
		"64:ff9b::a9fe:a9fe",
		"64:ff9b:1::7f00:1",
		"2002:7f00:1::1",
		"2002:a9fe:a9fe::1",
		"2001:0:7f00:1::1",
		"2001:0:808:808:0:0:8000:0",
	}
	for _, addr := range append(open, closed...) {
		want := len(open) > 0
		for _, c := range closed {
			want = want && c != addr
		}
		for _, way := range []struct{ host, says string }{{addr, "as a literal"}, {"x.example.com", "as an answer"}} {
			checks := egress.NewChecks(egress.ChecksOptions{Resolver: answers{"x.example.com": {addr}}})
			_, err := checks.Addresses(t.Context(), way.host)
			if want {
				require.NoError(t, err, "%s %s", addr, way.says)
			} else {
				require.ErrorIs(t, err, egress.ErrRefused, "%s %s", addr, way.says)
			}
		}
	}
}

func TestNamesOfMetadataServicesAreClosedAndInternalZonesOpen(t *testing.T) {
	t.Parallel()
	hosts := answers{}
	for _, name := range []string{"db", "postgres.internal", "web.default.svc.cluster.local", "nas.home.arpa", "wiki.corp", "metadata.google.internal", "METADATA.goog.", "metadata"} {
		hosts[name] = []string{"10.0.0.7"}
	}
	checks := egress.NewChecks(egress.ChecksOptions{Resolver: hosts})
	for name := range hosts {
		_, err := checks.Addresses(t.Context(), name)
		if name == "metadata.google.internal" || name == "METADATA.goog." || name == "metadata" {
			require.ErrorIs(t, err, egress.ErrRefused, name)
			continue
		}
		require.NoError(t, err, name)
	}
}

func TestDenyWinsOverAllow(t *testing.T) {
	t.Parallel()
	checks := egress.NewChecks(egress.ChecksOptions{
		Allow: policy(t, "127.0.0.0/8, 169.254.10.0/24, metadata, 10.9.0.0/16"), Deny: policy(t, "10.9.1.0/24,127.0.0.2,vault.corp"),
		Resolver: answers{
			"vault.corp": {"10.1.1.1"}, "a.vault.corp": {"10.1.1.1"}, "notvault.corp": {"10.1.1.1"}, "metadata": {"10.0.0.1"},
			"hidden.example.com": {"10.9.1.4"}, "both.example.com": {"10.1.1.1", "10.9.1.4"},
		},
	})
	for host, open := range map[string]bool{
		"127.0.0.1": true, "127.0.0.2": false, "169.254.10.1": true, "169.254.169.254": false, "10.9.0.1": true, "10.9.1.1": false,
		"10.8.0.1": true, "::ffff:10.9.1.1": false, "64:ff9b::a09:101": false, "vault.corp": false, "VAULT.corp.": false, "a.vault.corp": false,
		"notvault.corp": true, "metadata": true, "hidden.example.com": false, "both.example.com": false,
	} {
		_, err := checks.Addresses(t.Context(), host)
		require.Equal(t, open, err == nil, host)
		if !open {
			require.ErrorIs(t, err, egress.ErrRefused, host)
		}
	}
}

// network plays the addresses that can be dialled, and notes which were.
type network struct {
	mu    sync.Mutex
	asked []string
	// does says what happens at an address: nil connects, an error fails, and hang waits for the end.
	does map[string]error
}

var errHangs = errors.New("hangs")

func (n *network) dial(ctx context.Context, kind, address string) (net.Conn, error) {
	n.mu.Lock()
	n.asked = append(n.asked, address)
	n.mu.Unlock()
	switch err := n.does[address]; {
	case err == nil:
		client, server := net.Pipe()
		go func() { <-ctx.Done(); _ = server.Close() }()
		return client, nil
	case errors.Is(err, errHangs):
		<-ctx.Done()
		return nil, &net.OpError{Op: "dial", Net: kind, Addr: net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address)), Err: ctx.Err()}
	default:
		return nil, &net.OpError{Op: "dial", Net: kind, Addr: net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address)), Err: err}
	}
}

func (n *network) dialled() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.asked...)
}

func TestTheNextAddressIsTriedWhenOneFailsOrIsSlow(t *testing.T) {
	t.Parallel()
	refused := os.NewSyscallError("connect", syscall.ECONNREFUSED)
	for name, c := range map[string]struct {
		addrs []string
		does  map[string]error
		want  []string
		ok    bool
	}{
		"the first answers":       {[]string{"10.0.0.1", "10.0.0.2"}, nil, []string{"10.0.0.1:80"}, true},
		"the first refuses":       {[]string{"10.0.0.1", "10.0.0.2"}, map[string]error{"10.0.0.1:80": refused}, []string{"10.0.0.1:80", "10.0.0.2:80"}, true},
		"the first is silent":     {[]string{"10.0.0.1", "10.0.0.2"}, map[string]error{"10.0.0.1:80": errHangs}, []string{"10.0.0.1:80", "10.0.0.2:80"}, true},
		"families take turns":     {[]string{"fd12::1", "fd12::2", "10.0.0.1"}, map[string]error{"[fd12::1]:80": refused, "10.0.0.1:80": refused}, []string{"[fd12::1]:80", "10.0.0.1:80", "[fd12::2]:80"}, true},
		"none answers":            {[]string{"10.0.0.1", "10.0.0.2"}, map[string]error{"10.0.0.1:80": refused, "10.0.0.2:80": refused}, []string{"10.0.0.1:80", "10.0.0.2:80"}, false},
		"an address once":         {[]string{"10.0.0.1", "10.0.0.1", "::ffff:10.0.0.1"}, map[string]error{"10.0.0.1:80": refused}, []string{"10.0.0.1:80"}, false},
		"no more than a few":      {[]string{"10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5", "10.0.0.6", "10.0.0.7"}, map[string]error{"10.0.0.1:80": refused, "10.0.0.2:80": refused, "10.0.0.3:80": refused, "10.0.0.4:80": refused, "10.0.0.5:80": refused, "10.0.0.6:80": refused}, []string{"10.0.0.1:80", "10.0.0.2:80", "10.0.0.3:80", "10.0.0.4:80", "10.0.0.5:80", "10.0.0.6:80"}, false},
		"one family where wanted": {[]string{"10.0.0.1", "fd12::1"}, nil, []string{"10.0.0.1:80"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &network{does: c.does}
			stagger := time.Hour
			if c.does[c.want[0]] == errHangs { //nolint:errorlint // it is the very value
				stagger = time.Millisecond
			}
			checks := egress.NewChecks(egress.ChecksOptions{Resolver: answers{"x.example.com": c.addrs}, Dial: n.dial, Stagger: stagger})
			conn, err := checks.Dial(t.Context(), "tcp", "x.example.com:80")
			require.Equal(t, c.want, n.dialled())
			if c.ok {
				require.NoError(t, err)
				require.IsType(t, &egress.Conn{}, conn)
				require.NoError(t, conn.Close())
				return
			}
			require.ErrorIs(t, err, syscall.ECONNREFUSED)
			require.NotContains(t, err.Error(), "10.0.")
		})
	}
}

func TestTheErrorIsOfAnAddressThatThereIsAWayTo(t *testing.T) {
	t.Parallel()
	n := &network{does: map[string]error{
		"[fd12::1]:80": os.NewSyscallError("connect", syscall.ENETUNREACH), "10.0.0.1:80": os.NewSyscallError("connect", syscall.ECONNREFUSED),
	}}
	checks := egress.NewChecks(egress.ChecksOptions{Resolver: answers{"x.example.com": {"fd12::1", "10.0.0.1"}}, Dial: n.dial})
	_, err := checks.Dial(t.Context(), "tcp", "x.example.com:80")
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
}

func TestALostRaceLeavesNoConnectionOpen(t *testing.T) {
	t.Parallel()
	closed := make(chan struct{})
	first := make(chan struct{})
	dial := func(_ context.Context, _, address string) (net.Conn, error) {
		client, server := net.Pipe()
		if address == "10.0.0.1:80" {
			<-first
			go func() {
				_, _ = server.Read(make([]byte, 1))
				close(closed)
			}()
		}
		return client, nil
	}
	checks := egress.NewChecks(
		egress.ChecksOptions{Resolver: answers{"x.example.com": {"10.0.0.1", "10.0.0.2"}}, Dial: dial, Stagger: time.Millisecond},
	)
	conn, err := checks.Dial(t.Context(), "tcp", "x.example.com:80")
	require.NoError(t, err)
	close(first)
	<-closed
	require.NoError(t, conn.Close())
}

func TestOnlyCheckedAddressesAreDialled(t *testing.T) {
	t.Parallel()
	n := &network{}
	// The second answer leads into this machine: whoever asks twice falls for it.
	turns := &turning{answers: [][]string{{"10.0.0.1"}, {"127.0.0.1"}}}
	checks := egress.NewChecks(egress.ChecksOptions{Resolver: turns, Dial: n.dial, Remember: -1})
	_, err := checks.Dial(t.Context(), "tcp", "x.example.com:80")
	require.NoError(t, err)
	_, err = checks.Dial(t.Context(), "tcp", "x.example.com:80")
	require.ErrorIs(t, err, egress.ErrRefused)
	require.Equal(t, []string{"10.0.0.1:80"}, n.dialled())

	// One closed address closes the name.
	mixed := egress.NewChecks(egress.ChecksOptions{Resolver: answers{"m.example.com": {"10.0.0.1", "127.0.0.1"}}, Dial: n.dial})
	_, err = mixed.Dial(t.Context(), "tcp", "m.example.com:80")
	require.ErrorIs(t, err, egress.ErrRefused)
	require.Len(t, n.dialled(), 1)
}

type turning struct {
	mu      sync.Mutex
	answers [][]string
	asked   int
}

func (a *turning) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	answer := a.answers[min(a.asked, len(a.answers)-1)]
	a.asked++
	return answers{host: answer}.LookupNetIP(ctx, network, host)
}

func TestANameIsRememberedShortlyUnlessItIsMeasured(t *testing.T) {
	t.Parallel()
	turns := &turning{answers: [][]string{{"10.0.0.1"}, {"10.0.0.2"}}}
	checks := egress.NewChecks(egress.ChecksOptions{Resolver: turns, Remember: time.Hour})
	for range 3 {
		addrs, err := checks.Addresses(t.Context(), "x.example.com")
		require.NoError(t, err)
		require.Equal(t, []netip.Addr{netip.MustParseAddr("10.0.0.1")}, addrs)
	}
	require.Equal(t, 1, turns.asked)
	addrs, err := checks.Addresses(egress.Fresh(t.Context()), "x.example.com")
	require.NoError(t, err)
	require.Equal(t, []netip.Addr{netip.MustParseAddr("10.0.0.2")}, addrs)
	require.Equal(t, 2, turns.asked)
}

type failing struct{ err error }

func (f failing) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return nil, f.err
}

func TestAFailedLookupKeepsItsKindAndLosesTheAddressOfTheServer(t *testing.T) {
	t.Parallel()
	for _, want := range []net.DNSError{
		{Err: "no such host", IsNotFound: true}, {Err: "i/o timeout", IsTimeout: true, IsTemporary: true}, {Err: "server misbehaving", IsTemporary: true},
	} {
		told := want
		told.Name, told.Server = "x.example.com", "10.3.4.5:53"
		checks := egress.NewChecks(egress.ChecksOptions{Resolver: failing{&told}})
		_, err := checks.Dial(t.Context(), "tcp", "x.example.com:80")
		var got *net.DNSError
		require.ErrorAs(t, err, &got)
		require.NotContains(t, err.Error(), "10.3.4.5")
		require.Equal(t, [3]bool{want.IsNotFound, want.IsTimeout, want.IsTemporary}, [3]bool{got.IsNotFound, got.IsTimeout, got.IsTemporary})
	}
}

func TestTheSocketItselfIsChecked(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	open := egress.NewChecks(egress.ChecksOptions{Allow: policy(t, "127.0.0.0/8")})
	conn, err := open.Dial(t.Context(), "tcp", listener.Addr().String())
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	_, err = egress.NewChecks(egress.ChecksOptions{}).Dial(t.Context(), "tcp", listener.Addr().String())
	require.ErrorIs(t, err, egress.ErrRefused)
	require.NotContains(t, err.Error(), "127.0.0.1")
	for _, address := range []string{"x.example.com", "x.example.com:0", "x.example.com:http", "x.example.com:70000"} {
		_, err := open.Dial(t.Context(), "tcp", address)
		require.Error(t, err, address)
	}
}
