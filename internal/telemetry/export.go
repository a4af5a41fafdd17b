package telemetry

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Exporter makes tracers and exports their spans to a collector.
type Exporter struct{ provider *sdktrace.TracerProvider }

// Open configures tracing from the standard variables: OTEL_EXPORTER_OTLP_ENDPOINT (or _TRACES_ENDPOINT) enables it,
// unless OTEL_SDK_DISABLED is true or OTEL_TRACES_EXPORTER is none. Otherwise the Exporter is nil, and does nothing.
func Open(ctx context.Context, variables map[string]string, version string) (*Exporter, error) {
	v := vars(variables)
	endpoint, err := v.endpoint()
	if endpoint == "" || err != nil {
		return nil, err
	}
	sampler, err := v.sampler()
	if err != nil {
		return nil, err
	}
	exporter, err := v.exporter(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(v.about(version)...))
	if err != nil {
		return nil, fmt.Errorf("describe the process for traces: %w", err)
	}
	return &Exporter{sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(reticent{exporter}), sdktrace.WithResource(about), sdktrace.WithSampler(sampler),
	)}, nil
}

// Tracer begins traces. It is nil when nothing is exported.
func (e *Exporter) Tracer() trace.Tracer {
	if e == nil {
		return nil
	}
	return e.provider.Tracer(Scope)
}

// On reports whether spans are exported.
func (e *Exporter) On() bool { return e != nil }

// Close exports the remaining spans.
func (e *Exporter) Close(ctx context.Context) error {
	if e == nil {
		return nil
	}
	return e.provider.Shutdown(ctx)
}

type vars map[string]string

// of is the value of a variable, for traces or for all signals.
func (v vars) of(name string) string {
	if value := v["OTEL_EXPORTER_OTLP_TRACES_"+name]; value != "" {
		return value
	}
	return v["OTEL_EXPORTER_OTLP_"+name]
}

func (v vars) endpoint() (string, error) {
	if strings.EqualFold(v["OTEL_SDK_DISABLED"], "true") {
		return "", nil
	}
	switch exporter := v["OTEL_TRACES_EXPORTER"]; exporter {
	case "none":
		return "", nil
	case "", "otlp":
	default:
		return "", fmt.Errorf("configuration: OTEL_TRACES_EXPORTER is %q; there are otlp and none", exporter)
	}
	endpoint := v.of("ENDPOINT")
	if endpoint == "" {
		return "", nil
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", errors.New("configuration: OTEL_EXPORTER_OTLP_ENDPOINT must look like http://host:port")
	}
	if v["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] == "" && v.protocol() != "grpc" {
		u = u.JoinPath("v1", "traces")
	}
	return u.String(), nil
}

func (v vars) protocol() string {
	if protocol := v.of("PROTOCOL"); protocol != "" {
		return protocol
	}
	return "http/protobuf"
}

// exporter leaves other settings, such as time limits, compression and certificates, to the libraries, which read the
// same variables.
func (v vars) exporter(ctx context.Context, endpoint string) (*otlptrace.Exporter, error) {
	headers, err := v.headers()
	if err != nil {
		return nil, err
	}
	switch v.protocol() {
	case "http/protobuf":
		return otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(endpoint), otlptracehttp.WithHeaders(headers))
	case "grpc":
		return otlptracegrpc.New(ctx, otlptracegrpc.WithEndpointURL(endpoint), otlptracegrpc.WithHeaders(headers))
	default:
		return nil, fmt.Errorf("configuration: OTEL_EXPORTER_OTLP_PROTOCOL is %q; there are http/protobuf and grpc", v.protocol())
	}
}

// headers often hold the key of the collector, so an error does not quote them.
func (v vars) headers() (map[string]string, error) {
	return pairs(v.of("HEADERS"), "OTEL_EXPORTER_OTLP_HEADERS")
}

func pairs(text, variable string) (map[string]string, error) {
	found := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !ok || err != nil || name == "" {
			return nil, fmt.Errorf("configuration: %s must look like name=value,name=value", variable)
		}
		found[name] = value
	}
	return found, nil
}

func (v vars) about(version string) []attribute.KeyValue {
	about := map[string]string{"service.name": "countersign", "service.version": version}
	// Invalid resource attributes are ignored: they are no reason not to start.
	if more, err := pairs(v["OTEL_RESOURCE_ATTRIBUTES"], "OTEL_RESOURCE_ATTRIBUTES"); err == nil {
		maps.Copy(about, more)
	}
	if name := v["OTEL_SERVICE_NAME"]; name != "" {
		about["service.name"] = name
	}
	var attributes []attribute.KeyValue
	for _, name := range slices.Sorted(maps.Keys(about)) {
		attributes = append(attributes, attribute.String(name, about[name]))
	}
	return attributes
}

func (v vars) sampler() (sdktrace.Sampler, error) {
	ratio := 1.0
	if text := v["OTEL_TRACES_SAMPLER_ARG"]; text != "" {
		var err error
		if ratio, err = strconv.ParseFloat(text, 64); err != nil || ratio < 0 || ratio > 1 {
			return nil, errors.New("configuration: OTEL_TRACES_SAMPLER_ARG must be 0 to 1")
		}
	}
	switch name := v["OTEL_TRACES_SAMPLER"]; name {
	case "", "parentbased_always_on":
		return sdktrace.ParentBased(sdktrace.AlwaysSample()), nil
	case "parentbased_always_off":
		return sdktrace.ParentBased(sdktrace.NeverSample()), nil
	case "parentbased_traceidratio":
		return sdktrace.ParentBased(sdktrace.TraceIDRatioBased(ratio)), nil
	case "always_on":
		return sdktrace.AlwaysSample(), nil
	case "always_off":
		return sdktrace.NeverSample(), nil
	case "traceidratio":
		return sdktrace.TraceIDRatioBased(ratio), nil
	default:
		return nil, fmt.Errorf(
			"configuration: OTEL_TRACES_SAMPLER is %q; there are always_on, always_off, traceidratio, and each with parentbased_ before it",
			name,
		)
	}
}

// reticent takes words out of spans: the messages of errors that libraries have recorded.
type reticent struct{ sdktrace.SpanExporter }

// ExportSpans implements sdktrace.SpanExporter.
func (r reticent) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	quiet := make([]sdktrace.ReadOnlySpan, len(spans))
	for i, s := range spans {
		quiet[i] = wordless{s}
	}
	return r.SpanExporter.ExportSpans(ctx, quiet)
}

type wordless struct{ sdktrace.ReadOnlySpan }

// Status is without its description.
func (w wordless) Status() sdktrace.Status {
	return sdktrace.Status{Code: w.ReadOnlySpan.Status().Code}
}

// Events are left out: the product makes none, and those of libraries are the messages and stacks of errors.
func (wordless) Events() []sdktrace.Event { return nil }
