package worker

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/opentelemetry"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	tlog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"countersign/worker/payload"
)

// ClientOptions configure the connection to a Temporal server.
type ClientOptions struct {
	Address   string
	Namespace string
	Log       *slog.Logger
	// TLS encrypts the connection; nil leaves it readable.
	TLS *TLS
	// APIKey is sent with every request, over TLS only.
	APIKey string
	// Codec encrypts and decrypts workflow payloads in Temporal; nil leaves them readable.
	Codec *payload.Codec
	// Tracer traces workflows and activities; nil does not.
	Tracer trace.Tracer
}

// TLS configures how the server and this process authenticate to each other.
type TLS struct {
	// ServerName is the name in the server's certificate, when it is not that of the address.
	ServerName string
	// CA is the path of the certificates that sign the server's; those of the system when empty.
	CA string
	// Cert and Key are the paths of this process's own certificate, for servers that ask for one. They are read for each
	// connection, so a certificate can be renewed while the process runs.
	Cert, Key string
}

func (t *TLS) config() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName}
	if t.CA != "" {
		pem, err := os.ReadFile(t.CA)
		if err != nil {
			return nil, fmt.Errorf("read TEMPORAL_TLS_SERVER_CA_CERT_PATH: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("TEMPORAL_TLS_SERVER_CA_CERT_PATH: there is no certificate in %s", t.CA)
		}
	}
	if t.Cert != "" {
		// Fails at start rather than at the first reconnect.
		if _, err := tls.LoadX509KeyPair(t.Cert, t.Key); err != nil {
			return nil, fmt.Errorf("read TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH: %w", err)
		}
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
			return &pair, err
		}
	}
	return config, nil
}

// Dial connects to Temporal.
func Dial(ctx context.Context, o ClientOptions) (client.Client, error) {
	options, err := o.options()
	if err != nil {
		return nil, fmt.Errorf("connect to Temporal at %s: %w", o.Address, err)
	}
	c, err := client.DialContext(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("connect to Temporal at %s: %w", o.Address, err)
	}
	return c, nil
}

// DialLazy is Dial for a process that starts during an outage of Temporal: it connects with the first call.
func DialLazy(o ClientOptions) (client.Client, error) {
	options, err := o.options()
	if err != nil {
		return nil, fmt.Errorf("connect to Temporal at %s: %w", o.Address, err)
	}
	c, err := client.NewLazyClient(options)
	if err != nil {
		return nil, fmt.Errorf("connect to Temporal at %s: %w", o.Address, err)
	}
	return c, nil
}

// Unavailable reports whether err says that Temporal cannot be reached at this moment, a dependency outage. A server
// that refuses this process, or fails the TLS handshake, is available.
func Unavailable(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	for _, handshake := range []string{"x509:", "tls:"} {
		if strings.Contains(err.Error(), handshake) {
			return false
		}
	}
	if _, ok := errors.AsType[*serviceerror.Unavailable](err); ok {
		return true
	}
	if _, ok := errors.AsType[*serviceerror.DeadlineExceeded](err); ok {
		return true
	}
	code := status.Code(err)
	return code == codes.Unavailable || code == codes.DeadlineExceeded || errors.Is(err, context.DeadlineExceeded)
}

func (o ClientOptions) options() (client.Options, error) {
	options := client.Options{
		HostPort: o.Address, Namespace: o.Namespace, Logger: tlog.NewStructuredLogger(slog.New(quiet{o.Log.Handler()}).With("part", "temporal")),
	}
	// Keepalive detects a machine that vanished within these, not within 45 seconds.
	options.ConnectionOptions.KeepAliveTime, options.ConnectionOptions.KeepAliveTimeout = 15*time.Second, 5*time.Second
	// Only ids and small results pass: compression costs more time than it saves.
	options.ConnectionOptions.GrpcCompression = &client.GrpcCompressionNone{}
	options.ConnectionOptions.DialOptions = []grpc.DialOption{grpc.WithChainUnaryInterceptor(boundShutdownRPC)}
	if o.TLS != nil {
		config, err := o.TLS.config()
		if err != nil {
			return options, err
		}
		options.ConnectionOptions.TLS = config
	}
	if o.APIKey != "" {
		if o.TLS == nil {
			return options, errors.New("an API key is sent over TLS only")
		}
		options.Credentials = client.NewAPIKeyStaticCredentials(o.APIKey)
	}
	if o.Codec != nil {
		options.DataConverter = DataConverter(*o.Codec)
		options.FailureConverter = temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{
			DataConverter: options.DataConverter, EncodeCommonAttributes: o.Codec.Encrypt,
		})
	}
	if o.Tracer != nil {
		tracing, err := opentelemetry.NewTracingInterceptor(opentelemetry.TracerOptions{
			Tracer: o.Tracer, DisableBaggage: true, DisableQueryTracing: true, AllowInvalidParentSpans: true,
		})
		if err != nil {
			return options, fmt.Errorf("trace: %w", err)
		}
		options.Interceptors = []interceptor.ClientInterceptor{tracing}
	}
	return options, nil
}

// boundShutdownRPC bounds the call by which a stopping worker signs off at Temporal: it stops its activities only after
// it.
func boundShutdownRPC(
	ctx context.Context,
	method string,
	req, reply any,
	c *grpc.ClientConn,
	next grpc.UnaryInvoker,
	opts ...grpc.CallOption,
) error {
	if method == workflowservice.WorkflowService_ShutdownWorker_FullMethodName {
		limited, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		ctx = limited
	}
	return next(ctx, method, req, reply, c, opts...)
}

// DataConverter encrypts and decrypts payloads with the codec.
func DataConverter(c payload.Codec) converter.DataConverter {
	return converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), c)
}

// quiet drops the SDK's warning about long workflow tasks: a turn's task lasts as long as its model call, by design. It
// lowers failed attempts at activities to info, since they are retried.
type quiet struct{ slog.Handler }

// Handle implements slog.Handler.
func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	if strings.HasPrefix(r.Message, "[TMPRL1104]") {
		return nil
	}
	if r.Message == "Activity error." {
		r.Level = min(r.Level, slog.LevelInfo)
	}
	return q.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(attrs)} }

// WithGroup implements slog.Handler.
func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.Handler.WithGroup(name)} }
