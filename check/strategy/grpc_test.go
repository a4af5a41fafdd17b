package strategy_test

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"countersign/check"
)

// grpcServer serves the health of a shop: orders are well, payments are not. It asks for a token where want is set.
func grpcServer(t testing.TB, want string, o ...grpc.ServerOption) int {
	o = append(o, grpc.UnaryInterceptor(func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		got, _ := metadata.FromIncomingContext(ctx)
		if want != "" && (len(got["authorization"]) != 1 || got["authorization"][0] != want) {
			return nil, status.Error(codes.Unauthenticated, "who are you")
		}
		return next(ctx, request)
	}))
	server := grpc.NewServer(o...)
	state := health.NewServer()
	state.SetServingStatus("shop.Orders", grpc_health_v1.HealthCheckResponse_SERVING)
	state.SetServingStatus("shop.Payments", grpc_health_v1.HealthCheckResponse_NOT_SERVING)
	grpc_health_v1.RegisterHealthServer(server, state)
	listener := listen(t)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return port(listener.Addr())
}

func TestGRPCHealth(t *testing.T) {
	t.Parallel()
	p := probe{
		strategy:  "healthcheck-grpc.grpc",
		collector: "healthcheck-grpc.health",
		config:    object{"host": "known.test", "port": grpcServer(t, "")},
	}
	unreachable(t, p, "gRPC")

	var found struct {
		Status                        string
		Serving                       bool
		ConnectTimeMs, ResponseTimeMs float64
	}
	p.asking(object{"service": "shop.Orders"}).passes(t, &found)
	require.True(t, found.Serving)
	require.Equal(t, "SERVING", found.Status)
	require.Positive(t, found.ResponseTimeMs)
	require.Positive(t, found.ConnectTimeMs)
	p.passes(t, nil)

	p.with(object{"service": "shop.Payments"}).fails(t, check.WrongAnswer, `The service "shop.Payments" says that it is NOT_SERVING.`)
	outcome, _ := p.asking(object{"service": "shop.Payments"}).run(t, &found)
	require.Equal(t, check.Failed, outcome.Verdict)
	require.Equal(t, "NOT_SERVING", found.Status, "the result is there for whoever looks")
	p.asking(object{"service": "shop.Unknown"}).fails(t, check.WrongAnswer, "is not known to the server")
}

func TestGRPCWithTLS(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	p := probe{strategy: "healthcheck-grpc.grpc", collector: "healthcheck-grpc.health", config: object{"host": "known.test", "useTls": true}}
	encrypted := func(t *testing.T, c tls.Certificate) int {
		return grpcServer(t, "", grpc.Creds(credentials.NewServerTLSFromCert(&c)))
	}
	certificates(t, p, ca, encrypted)
	certificateTerms(t, p, ca, object{"skipVerify": true}, atPort(encrypted))
	wrong := ca.issue(t, "elsewhere.test", 1e12)
	secured := grpcServer(t, "", grpc.Creds(credentials.NewServerTLSFromCert(&wrong)))
	p.with(object{"port": secured, "skipVerify": true}).passes(t, nil)
	p.with(object{"port": secured, "ca": ca.pem, "serverName": "elsewhere.test"}).passes(t, nil)
	p.with(object{"port": secured, "useTls": false}).fails(t, check.Broken, "Does the server want TLS?")
	p.with(object{"port": grpcServer(t, "")}).fails(t, check.BadProtocol, "does not speak TLS")
}

func TestGRPCTellsWhoIsNotAdmittedAndWhatIsNotOffered(t *testing.T) {
	t.Parallel()
	p := probe{
		strategy:  "healthcheck-grpc.grpc",
		collector: "healthcheck-grpc.health",
		config: object{
			"host":           "known.test",
			"port":           grpcServer(t, "Bearer "+password),
			"secretMetadata": object{"authorization": "Bearer ${{ secrets.PASSWORD }}"},
		},
	}
	p.passes(t, nil)
	p.with(object{"secretMetadata": nil}).fails(t, check.NotAdmitted, "does not admit the request: Unauthenticated")

	bare := grpc.NewServer()
	listener := listen(t)
	go func() { _ = bare.Serve(listener) }()
	t.Cleanup(bare.Stop)
	p.with(object{"port": port(listener.Addr())}).fails(t, check.WrongAnswer, "does not offer the gRPC health service")
}

func TestAWebServerIsNoGRPCServer(t *testing.T) {
	t.Parallel()
	listener := listen(t)
	server := &http.Server{Handler: http.NotFoundHandler()}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	p := probe{
		strategy:  "healthcheck-grpc.grpc",
		collector: "healthcheck-grpc.health",
		config:    object{"host": "known.test", "port": port(listener.Addr())},
	}
	p.fails(t, check.BadProtocol, "does not speak gRPC")
	p.with(object{"port": serve(t, func(conn net.Conn) {
		_, _ = conn.Read(make([]byte, 1024))
		_, _ = conn.Write([]byte("SSH-2.0-x\r\n"))
	})}).fails(t, check.BadProtocol, "does not speak gRPC")
}
