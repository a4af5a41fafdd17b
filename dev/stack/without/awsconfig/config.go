// Package config finds no account of AWS: the embedded server uses none.
package config

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
)

var errLeftOut = errors.New("the embedded server uses no account of AWS")

// LoadOptions are options of a configuration.
type LoadOptions struct{}

// EnvConfig is a configuration from the environment.
type EnvConfig struct{ Credentials aws.Credentials }

// WithRegion and WithClientLogMode change nothing.
func WithRegion(string) func(*LoadOptions) error                   { return nil }
func WithClientLogMode(aws.ClientLogMode) func(*LoadOptions) error { return nil }

// LoadDefaultConfig finds no configuration.
func LoadDefaultConfig(context.Context, ...func(*LoadOptions) error) (aws.Config, error) {
	return aws.Config{}, errLeftOut
}

// NewEnvConfig finds no configuration.
func NewEnvConfig() (EnvConfig, error) { return EnvConfig{}, errLeftOut }
