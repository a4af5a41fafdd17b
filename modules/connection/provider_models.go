package connection

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/egress"
	"countersign/internal/principal"
	"countersign/internal/store/throttle"
	"countersign/model"
)

// offerTimeout bounds the request for a list of models.
const offerTimeout = 15 * time.Second

// offerRate is the rate limit on these requests, whose addresses the caller chooses (SSRF).
var offerRate = throttle.Rule{
	Name:         "connection/models",
	FreeFailures: 30,
	FirstWait:    2 * time.Second,
	MaxWait:      time.Minute,
	Window:       10 * time.Minute,
}

// ModelsQuestion selects the server: a stored connection, unsaved settings, or a stored one with unsaved changes.
type ModelsQuestion struct {
	ConnectionID *uuid.UUID `json:"connectionId,omitempty" format:"uuid" doc:"A stored connection, whose address and key are used where the request has none"`
	BaseURL      string     `json:"baseUrl,omitempty" maxLength:"2000" doc:"Ends before /chat/completions"`
	APIKey       string     `json:"apiKey,omitempty" maxLength:"4096" writeOnly:"true" doc:"Used for this question and not kept"`
}

// ModelsAnswer is the provider's list of models, or the reason for its absence.
type ModelsAnswer struct {
	Outcome string         `json:"outcome" enum:"listed,refused,unreachable,noList,unreadable,failed" doc:"refused: the key is not accepted; noList: the provider has no list, or none at this address; unreadable: what came is no list of models"`
	Message string         `json:"message" doc:"What was found"`
	Models  []OfferedModel `json:"models" nullable:"false" doc:"By name, at most 2,000"`
	// CorrectedURL is empty where the address needs no correction, or none helps.
	CorrectedURL string `json:"correctedUrl,omitempty" doc:"A base URL on the same server at which it has the API, where there is none at the given one, or the given one completed by its scheme"`
	LeftOut      int    `json:"leftOut,omitempty" doc:"How many entries of the list are not shown: those over 2,000, and those without a readable name"`
}

// OfferedModel is a model that a provider lists.
type OfferedModel struct {
	ID           string `json:"id"`
	WindowTokens *int   `json:"windowTokens,omitempty" doc:"The context window, where the list says it"`
}

// Outcomes of a request for models.
const (
	listed      = "listed"
	refused     = "refused"
	unreachable = "unreachable"
	noList      = "noList"
	unreadable  = "unreadable"
	failed      = "failed"
)

// AskModels requests a provider's models and stores nothing. A stored key is sent to the server that it is stored for
// only. Too many requests are problem.Throttled. It must not run in a transaction.
func (m *Module) AskModels(ctx context.Context, question ModelsQuestion) (ModelsAnswer, error) {
	probe, answer, err := m.resolveProbe(ctx, question)
	if err != nil || answer.Outcome != "" {
		return answer, err
	}
	const tooMany = "You have asked providers for their models many times in a short while. Wait %s and try again, or type the model's name."
	if err := m.throttle.Attempt(ctx, tooMany, offerRate.Bucket(principal.FromContext(ctx).Key())); err != nil {
		return ModelsAnswer{}, err
	}
	asking, cancel := context.WithTimeout(ctx, offerTimeout)
	defer cancel()
	models, leftOut, err := m.tester.Offer(asking, probe)
	var corrected string
	if question.BaseURL != "" && probe.BaseURL != written(question.BaseURL) {
		corrected = probe.BaseURL
	}
	if err != nil {
		answer = answerOf(err, asking.Err() != nil)
		switch {
		case isWrongAddress(err):
			if answer.CorrectedURL = m.tester.Correct(ctx, probe); answer.CorrectedURL != "" {
				answer.Message += " " + answersAt(answer.CorrectedURL)
			}
		case answer.Outcome == refused:
			answer.CorrectedURL = corrected
		}
		return answer, nil
	}
	answer = ModelsAnswer{Outcome: listed, Models: make([]OfferedModel, 0, len(models)), LeftOut: leftOut, CorrectedURL: corrected}
	for _, one := range models {
		offered := OfferedModel{ID: one.ID}
		if one.Window > 0 {
			offered.WindowTokens = &one.Window
		}
		answer.Models = append(answer.Models, offered)
	}
	slices.SortFunc(answer.Models, func(a, b OfferedModel) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a.ID), strings.ToLower(b.ID)), cmp.Compare(a.ID, b.ID))
	})
	answer.Models = slices.CompactFunc(answer.Models, func(a, b OfferedModel) bool { return a.ID == b.ID })
	answer.Message = "The provider lists " + number(len(answer.Models)) + " models."
	switch len(answer.Models) {
	case 0:
		answer.Outcome, answer.Message = noList, "The provider's list of models is empty. Type the model's name."
	case 1:
		answer.Message = "The provider lists one model."
	}
	return answer, nil
}

// resolveProbe returns the server and key, or an answer without a request.
func (m *Module) resolveProbe(ctx context.Context, question ModelsQuestion) (Probe, ModelsAnswer, error) {
	v := validation{own: m.own}
	probe := Probe{Options: model.Options{APIKey: v.key(question.APIKey)}}
	if question.ConnectionID == nil || question.BaseURL != "" {
		probe.BaseURL = v.baseURL(withScheme(question.BaseURL))
	}
	if err := v.Err(); err != nil || question.ConnectionID == nil {
		return probe, ModelsAnswer{}, err
	}
	c, err := m.Get(ctx, *question.ConnectionID)
	if err != nil {
		return Probe{}, ModelsAnswer{}, err
	}
	if c.Kind == Demo {
		c, probe = m.withAddress(c), Probe{}
	}
	if probe.BaseURL == "" {
		probe.BaseURL = c.BaseURL
	}
	if probe.APIKey == "" && sameServer(c.BaseURL, probe.BaseURL) {
		key, unopened := m.OpenKey(c)
		if unopened != nil {
			answer := ModelsAnswer{Outcome: failed, Models: []OfferedModel{}, Message: "The stored API key cannot be opened. Enter it again."}
			return Probe{}, answer, nil //nolint:nilerr // the answer tells the person
		}
		probe.APIKey = key
	}
	if sameServer(c.BaseURL, probe.BaseURL) {
		// Without headers that cannot be opened the provider's answer tells that they are missing.
		probe.Headers, _ = m.OpenHeaders(c)
	}
	return probe, ModelsAnswer{}, nil
}

// answerOf describes a failure without quoting the server: the address is chosen by the caller and may be internal
// (SSRF).
func answerOf(err error, late bool) ModelsAnswer {
	answer := ModelsAnswer{
		Outcome: failed, Models: []OfferedModel{},
		Message: "The provider could not be asked for its models. Check the address and the key.",
	}
	status := statusOf(err)
	if status != 0 {
		answer.Message = "The provider answered with status " + strconv.Itoa(status) +
			" in place of its models. Check the address and the key."
	}
	switch class := model.ClassOf(err); {
	case late:
		answer.Outcome, answer.Message = unreachable, "The provider did not answer within 15 seconds."
	case errors.Is(err, egress.ErrRefused):
		answer.Message = "The address leads to where no model is: a link-local address, a metadata service or a " +
			"server of this installation."
	case class == model.Unauthorized:
		answer.Outcome, answer.Message = refused, "The provider does not accept the key."
	case status >= http.StatusMultipleChoices && status < http.StatusBadRequest:
		answer.Message = "The provider redirects to another address. Use that address."
	case class == model.NotFound, status == http.StatusNotFound, status == http.StatusMethodNotAllowed, status == http.StatusNotImplemented:
		answer.Outcome = noList
		answer.Message = "There is no list of models at this address. The address may be incomplete, which a test " +
			"tells, or the provider has none: then type the model's name."
	case class == model.Malformed || class == model.Cut || class == model.Invalid && status == 0 && !isTransportError(err):
		answer.Outcome, answer.Message = unreadable,
			"What the address answered is no list of models. Check that it is the base URL of an OpenAI-compatible API."
	case class == model.Unavailable || class == model.Stalled || class == model.Canceled || isTransportError(err):
		answer.Outcome = unreachable
		if status == 0 {
			answer.Message = "The provider could not be reached: " + egress.Reason(err) + "."
		}
	}
	return answer
}

func statusOf(err error) int {
	if failure, ok := errors.AsType[*model.Error](err); ok {
		return failure.Status
	}
	return 0
}

// isTransportError reports whether the request failed before an answer, such as on an invalid certificate.
func isTransportError(err error) bool { return errors.Unwrap(err) != nil }
