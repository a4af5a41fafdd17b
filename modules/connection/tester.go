package connection

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"countersign/model"
)

// Probe is a connection to test, with its key in the clear.
type Probe struct {
	BaseURL string
	APIKey  string
	Model   string
}

// TestResult is what a test has found, in the provider's own words where it failed.
type TestResult struct {
	OK        bool     `json:"ok"`
	Message   string   `json:"message"`
	LatencyMS int64    `json:"latencyMs" doc:"How long the model took to answer"`
	Models    []string `json:"models,omitempty" nullable:"false" doc:"The models that the provider lists, if it does"`
}

// Tester checks whether a provider answers.
type Tester interface {
	Test(ctx context.Context, p Probe) TestResult
}

// testStall is how long a test waits for a provider that sends nothing.
const testStall = 20 * time.Second

type modelTester struct{ http *http.Client }

// NewTester makes a Tester that asks the model for one word; client replaces the default one of package model when it is
// not nil.
func NewTester(client *http.Client) Tester { return modelTester{client} }

// Test calls the model, as only that proves key, address and model id together; then it asks for the list of models,
// which many providers do not have, to help with a model id that is wrong.
func (t modelTester) Test(ctx context.Context, p Probe) TestResult {
	client := model.New(model.Options{BaseURL: p.BaseURL, APIKey: p.APIKey, HTTPClient: t.http, StallTimeout: testStall})
	began := time.Now()
	_, err := client.Complete(ctx, model.Request{
		Model: p.Model, MaxTokens: 16,
		Messages: []model.Message{{Role: model.RoleUser, Content: "Reply with the word: ready"}},
	})
	result := TestResult{OK: err == nil, LatencyMS: time.Since(began).Milliseconds()}
	result.Message = fmt.Sprintf("The model %s answered in %d ms.", p.Model, result.LatencyMS)
	if err != nil {
		result.Message = err.Error()
		if failure, ok := errors.AsType[*model.Error](err); ok {
			result.Message = failure.Message
			if failure.Detail != "" {
				result.Message += " Detail: " + failure.Detail
			}
		}
	}
	if models, err := client.Models(ctx); err == nil {
		result.Models = models
	}
	return result
}

var _ Tester = modelTester{}
