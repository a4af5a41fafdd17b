package check

import (
	"encoding/json"

	"github.com/google/uuid"

	"countersign/check/assertion"
)

// Limits of a configuration.
const (
	MaxCollectors = 20
	MaxAssertions = 64 // over all collectors: one bit each
	MaxKept       = 8
	MinInterval   = 1      // seconds
	MaxInterval   = 86_400 // seconds
)

// Configuration is the executed part of a check.
type Configuration struct {
	Strategy   string      `json:"strategyId"`
	Version    int         `json:"configVersion,omitempty"`
	Config     Config      `json:"config"`
	Collectors []Collected `json:"collectors"`
	// Kept names the fields whose values every run stores for charts, as collectors[].id + "." + field; nil for the
	// default ones of the kinds.
	Kept []string `json:"keptFields,omitempty"`
}

// Config is a JSON object.
type Config = json.RawMessage

// Collected is one collector of a configuration.
type Collected struct {
	ID          uuid.UUID   `json:"id"`
	CollectorID string      `json:"collectorId"`
	Version     int         `json:"configVersion,omitempty"`
	Config      Config      `json:"config"`
	Assertions  []Assertion `json:"assertions,omitempty"`
}

// Assertion is a condition on a result.
type Assertion = assertion.Assertion
