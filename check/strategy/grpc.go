package strategy

import (
	"context"
	"errors"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"countersign/check"
	"countersign/internal/problem"
)

// grpcConfig configures the connection to a gRPC server.
type grpcConfig struct {
	Host string `json:"host" jsonschema:"minLength=1,maxLength=253" jsonschema_description:"Host name or address of the server" check:"template,label=Host"`
	Port int    `json:"port" jsonschema:"minimum=1,maximum=65535" jsonschema_description:"Port of the server" check:"label=Port"`
	// Service is the default of the collector.
	Service    string            `json:"service,omitempty" jsonschema:"maxLength=200" jsonschema_description:"The service to ask about, such as shop.v1.Orders; empty for the server as a whole" check:"template,label=Service"`
	UseTLS     bool              `json:"useTls,omitempty" jsonschema_description:"Connect with TLS" check:"label=TLS"`
	ServerName string            `json:"serverName,omitempty" jsonschema:"maxLength=253" jsonschema_description:"The name that the certificate has to be for; the host when empty" check:"template,label=Server name"`
	CA         string            `json:"ca,omitempty" jsonschema:"maxLength=65536" jsonschema_description:"Certificates in PEM to trust instead of the public authorities" check:"editor=text,label=Certificate authority"`
	SkipVerify bool              `json:"skipVerify,omitempty" jsonschema_description:"Take any certificate. An expired one fails all the same, unless an assertion is about certificateDaysRemaining." check:"label=Take any certificate"`
	Authority  string            `json:"authority,omitempty" jsonschema:"maxLength=253" jsonschema_description:"The :authority of the requests; the host and port when empty" check:"template,label=Authority"`
	Metadata   map[string]string `json:"metadata,omitempty" jsonschema:"maxProperties=32" jsonschema_description:"Metadata that is sent with each request, such as x-tenant" check:"template,label=Metadata"`
	Secrets    map[string]string `json:"secretMetadata,omitempty" jsonschema:"maxProperties=8" jsonschema_description:"Metadata whose values are secrets, such as authorization" check:"secret,label=Secret metadata"`
	CertificateTerm
	check.Deadline
	check.Tries
	check.Addressing
}

// Check implements check.Checker.
func (c *grpcConfig) Check() []problem.Issue {
	if c.UseTLS {
		return nil
	}
	return c.without("set useTls")
}

// grpcHealthConfig selects the service of the health request.
type grpcHealthConfig struct {
	Service string `json:"service,omitempty" jsonschema:"maxLength=200" jsonschema_description:"The service to ask about; that of the strategy when empty" check:"template,label=Service"`
}

// grpcHealthResult is the health of a service as the server reports it.
type grpcHealthResult struct {
	Status         string  `json:"status" jsonschema:"enum=UNKNOWN,enum=SERVING,enum=NOT_SERVING,enum=SERVICE_UNKNOWN" jsonschema_description:"What the server says of the service" check:"label=Status"`
	Serving        bool    `json:"serving" jsonschema_description:"Whether the status is SERVING" check:"label=Serving"`
	ConnectTimeMs  float64 `json:"connectTimeMs" jsonschema_description:"Until the connection stood, TLS included" check:"chart=line,unit=ms,label=Connect time"`
	ResponseTimeMs float64 `json:"responseTimeMs" jsonschema_description:"From the request until the answer" check:"chart=line,unit=ms,label=Response time,keep"`
	CertificateDays
}

// grpcSession is a connection to a gRPC server.
type grpcSession struct {
	wire   *wire
	client *grpc.ClientConn
	config *grpcConfig
	took   time.Duration

	certificate lifetime
}

func grpcStrategy() check.Strategy {
	return check.NewStrategy(
		check.Kind{
			ID: "healthcheck-grpc.grpc", Name: "gRPC", Category: "Protocols",
			Description: "Asks a gRPC server how it is by the standard health protocol (grpc.health.v1), for one service or the whole server.",
		},
		openGRPC, (*grpcSession).close,
		check.NewCollector(check.Kind{
			ID: "healthcheck-grpc.health", Name: "gRPC health", Category: "Protocols",
			Description: "The status of a service. Anything but SERVING is a failure.",
		}, grpcHealth),
	)
}

func openGRPC(ctx context.Context, run check.Run, c *grpcConfig) (*grpcSession, error) {
	w, err := reach(ctx, run, c.Host, c.Port)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	var conn net.Conn = w
	var certificate lifetime
	ready := handshaken{TransportCredentials: insecure.NewCredentials()}
	if c.UseTLS {
		expected := trust{name: otherwise(c.ServerName, c.Host), roots: authorities(c.CA), unchecked: c.SkipVerify, least: c.MinDaysUntilExpiry}
		secured, err := encrypt(ctx, w, expected, "h2")
		if err != nil {
			_ = w.Close()
			return nil, err
		}
		certificate = expected.lifetime(w.address, secured.ConnectionState().PeerCertificates, run.Now())
		if secured.ConnectionState().NegotiatedProtocol != "h2" {
			_ = w.Close()
			return nil, misspoken(w.address, "gRPC over TLS")
		}
		conn = secured
		ready.info = credentials.TLSInfo{
			State: secured.ConnectionState(), CommonAuthInfo: credentials.CommonAuthInfo{SecurityLevel: credentials.PrivacyAndIntegrity},
		}
	}
	s := &grpcSession{wire: w, config: c, certificate: certificate, took: w.took + time.Since(began)}
	var used atomic.Bool
	s.client, err = grpc.NewClient("passthrough:///"+w.address,
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
			if used.Swap(true) {
				return nil, errors.New("the connection was interrupted")
			}
			return conn, nil
		}),
		grpc.WithTransportCredentials(ready), grpc.WithAuthority(otherwise(c.Authority, w.address)),
		grpc.WithNoProxy(), grpc.WithDisableServiceConfig(), grpc.WithDisableRetry(), grpc.WithDisableHealthCheck(),
		grpc.WithIdleTimeout(0), grpc.WithUserAgent("countersign"),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<10)),
	)
	if err != nil {
		_ = w.Close()
		return nil, check.Fail(check.NotRunnable, "The authority or the address of this check is not valid.")
	}
	return s, nil
}

func (s *grpcSession) close() {
	_ = s.client.Close() // nothing is on its way
	_ = s.wire.Close()
}

// handshaken are credentials of a connection whose TLS handshake is complete.
type handshaken struct {
	credentials.TransportCredentials

	info credentials.AuthInfo
}

// ClientHandshake implements credentials.TransportCredentials.
func (h handshaken) ClientHandshake(ctx context.Context, authority string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	if h.info == nil {
		return h.TransportCredentials.ClientHandshake(ctx, authority, conn)
	}
	return conn, h.info, nil
}

// Info implements credentials.TransportCredentials.
func (h handshaken) Info() credentials.ProtocolInfo {
	if h.info == nil {
		return h.TransportCredentials.Info()
	}
	return credentials.ProtocolInfo{SecurityProtocol: "tls"}
}

// Clone implements credentials.TransportCredentials.
func (h handshaken) Clone() credentials.TransportCredentials { return h }

func grpcHealth(ctx context.Context, run check.Run, s *grpcSession, c *grpcHealthConfig) (*grpcHealthResult, error) {
	service := otherwise(c.Service, s.config.Service)
	headers := metadata.New(s.config.Metadata)
	for name, value := range s.config.Secrets {
		headers.Set(name, value)
	}
	// A status that the library made of a broken connection comes without headers.
	var header, trailer metadata.MD
	began := time.Now()
	answer, err := grpc_health_v1.NewHealthClient(s.client).
		Check(
			metadata.NewOutgoingContext(ctx, headers), &grpc_health_v1.HealthCheckRequest{Service: service},
			grpc.Header(&header), grpc.Trailer(&trailer),
		)
	r := &grpcHealthResult{
		Status: "UNKNOWN", ConnectTimeMs: milliseconds(s.took), ResponseTimeMs: milliseconds(time.Since(began)),
		CertificateDays: s.certificate.days,
	}
	named := "The server"
	if service != "" {
		named = "The service " + strconv.Quote(service)
	}
	switch code := status.Code(err); code {
	case codes.OK:
		r.Status = answer.GetStatus().String()
		if r.Serving = answer.GetStatus() == grpc_health_v1.HealthCheckResponse_SERVING; r.Serving {
			return r, s.certificate.failure(run)
		}
		return r, check.Fail(check.WrongAnswer, named+" says that it is "+r.Status+".")
	case codes.NotFound:
		r.Status = "SERVICE_UNKNOWN"
		return r, check.Fail(check.WrongAnswer, named+" is not known to the server.")
	default:
		return nil, s.failure(ctx, code, len(header)+len(trailer) > 0, err)
	}
}

// failure explains why there is no health of the service.
func (s *grpcSession) failure(ctx context.Context, code codes.Code, answered bool, err error) error {
	head := s.wire.began()
	switch {
	case code == codes.DeadlineExceeded || ctx.Err() != nil:
		return check.Fail(check.TimedOut, "The gRPC server at "+s.wire.address+" did not answer in time.")
	case code == codes.Unauthenticated, code == codes.PermissionDenied:
		return check.Fail(check.NotAdmitted, "The gRPC server does not admit the request: "+code.String()+". Check the metadata.")
	case code == codes.Unimplemented:
		return check.Fail(check.WrongAnswer, "The server does not offer the gRPC health service (grpc.health.v1.Health).")
	case code == codes.Unavailable && answered:
		return check.Fail(check.WrongAnswer, "The gRPC server answered UNAVAILABLE: "+brief(status.Convert(err).Message())+".")
	case code == codes.Unavailable && !s.config.UseTLS && len(head) > 0 && !settings(head):
		return misspoken(s.wire.address, "gRPC")
	case code == codes.Unavailable:
		if s.config.UseTLS {
			return check.Fail(check.Broken, "The gRPC connection to "+s.wire.address+" was interrupted.")
		}
		return check.Fail(check.Broken, "The gRPC connection to "+s.wire.address+" was interrupted. Does the server want TLS?")
	default:
		return check.Fail(check.WrongAnswer, "The gRPC server answered "+code.String()+": "+brief(status.Convert(err).Message())+".")
	}
}

// settings reports whether bytes begin like HTTP/2, with a SETTINGS frame.
func settings(head []byte) bool { return len(head) < 4 || head[3] == 4 }

// Sends implements check.Sender. The call is a POST, with metadata that a proxy may act on.
func (c *grpcConfig) Sends() check.Sending {
	line := "It calls grpc.health.v1.Health/Check of " + hostPort(c.Host, c.Port)
	if c.Authority != "" {
		line += " as " + c.Authority
	}
	var sent []string
	for _, values := range []map[string]string{c.Metadata, c.Secrets} {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			sent = append(sent, name+": "+values[name])
		}
	}
	if len(sent) > 0 {
		line += " with " + excerpt(strings.Join(sent, ", "))
	}
	return check.Sending{Lines: []string{line + "."}}
}

// Sends implements check.Sender.
func (c *grpcHealthConfig) Sends() check.Sending {
	if c.Service == "" {
		return check.Sending{}
	}
	return check.Sending{Lines: []string{"It asks about the service " + c.Service + "."}}
}
