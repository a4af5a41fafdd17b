package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/rest"
)

// Settings are the server settings that the web app needs.
type Settings struct {
	Version           string
	TemporalUIURL     string
	TemporalNamespace string
	MaxSteps          int
	ProposalTTL       time.Duration
}

type settingsBody struct {
	Version           string `json:"version"`
	TemporalUIURL     string `json:"temporalUiUrl" doc:"Where operators watch turns; empty when unknown"`
	TemporalNamespace string `json:"temporalNamespace"`
	Limits            struct {
		MaxSteps           int `json:"maxSteps"`
		ProposalTTLSeconds int `json:"proposalTtlSeconds"`
	} `json:"limits"`
}

// Routes declares the operation.
func (s *Settings) Routes(api huma.API) {
	huma.Register(api, rest.Op("get-settings", http.MethodGet, "/api/settings", "Read the server's settings"),
		func(context.Context, *struct{}) (*struct{ Body settingsBody }, error) {
			out := &struct{ Body settingsBody }{settingsBody{
				Version: s.Version, TemporalUIURL: s.TemporalUIURL, TemporalNamespace: s.TemporalNamespace,
			}}
			out.Body.Limits.MaxSteps = s.MaxSteps
			out.Body.Limits.ProposalTTLSeconds = int(s.ProposalTTL.Seconds())
			return out, nil
		})
}
