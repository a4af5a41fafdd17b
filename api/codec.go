package api

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"

	"countersign/internal/problem"
	"countersign/internal/rest"
)

// PayloadRule allows reading the encrypted payloads of workflows in Temporal.
const PayloadRule = "temporal.payload.read"

// codecPath is the remote codec endpoint for the Temporal Web UI and command line.
const codecPath = "/api/temporal/codec/"

// Codec is the remote codec of Temporal: it decrypts payloads for operators, and encrypts what they send to a workflow.
type Codec struct{ Codec converter.PayloadCodec }

// payloadBody is the JSON form of temporal.api.common.v1.Payloads.
type payloadBody struct {
	Body struct {
		Payloads []TemporalPayload `json:"payloads" maxItems:"10000" nullable:"false"`
	}
}

// TemporalPayload is the JSON form of temporal.api.common.v1.Payload.
type TemporalPayload struct {
	Metadata map[string][]byte `json:"metadata,omitempty"`
	Data     []byte            `json:"data,omitempty"`
}

const maxCodecBytes = 8 << 20

// Routes declares the operations.
func (c *Codec) Routes(api huma.API) {
	register := func(id, path, summary string, do func([]*common.Payload) ([]*common.Payload, error)) {
		op := rest.Op(id, http.MethodPost, codecPath+path, summary, rest.Rules(PayloadRule), rest.SelfIdempotent(), rest.Status(http.StatusOK),
			rest.Doc("The remote codec of Temporal's Web UI and command line. Payloads that are not encrypted pass as they are."))
		op.MaxBodyBytes = maxCodecBytes
		huma.Register(api, op, func(_ context.Context, in *payloadBody) (*payloadBody, error) {
			payloads := make([]*common.Payload, len(in.Body.Payloads))
			for i, p := range in.Body.Payloads {
				payloads[i] = &common.Payload{Metadata: p.Metadata, Data: p.Data}
			}
			done, err := do(payloads)
			if err != nil {
				return nil, problem.Errorf(
					problem.Invalid,
					"A payload cannot be read: it is damaged, or its key is not in the keyset of this installation.",
				).WithCause(
					err,
				)
			}
			out := &payloadBody{}
			out.Body.Payloads = make([]TemporalPayload, len(done))
			for i, p := range done {
				out.Body.Payloads[i] = TemporalPayload{Metadata: p.GetMetadata(), Data: p.GetData()}
			}
			return out, nil
		})
	}
	register("decode-payloads", "decode", "Decrypt payloads of Temporal", c.Codec.Decode)
	register("encode-payloads", "encode", "Encrypt payloads for Temporal", c.Codec.Encode)
}

// allowTemporalUI lets the Temporal Web UI at address call the codec with the session of its user: open serves its
// requests, closed all others.
func allowTemporalUI(address string, open, closed http.Handler) http.Handler {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return closed
	}
	origin := u.Scheme + "://" + u.Host
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, codecPath) || r.Header.Get("Origin") != origin {
			closed.ServeHTTP(w, r)
			return
		}
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Allow-Credentials", "true")
		h.Add("Vary", "Origin")
		if r.Method == http.MethodOptions {
			h.Set("Access-Control-Allow-Methods", http.MethodPost)
			h.Set("Access-Control-Allow-Headers", "Content-Type, Authorization, X-Namespace")
			h.Set("Access-Control-Max-Age", "600")
			w.WriteHeader(http.StatusNoContent)
			return
		}
		open.ServeHTTP(w, r)
	})
}
