package run_test

import (
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"
)

// decode reads the input of a continued history.
func decode(again *workflow.ContinueAsNewError, into any) error {
	return converter.GetDefaultDataConverter().FromPayloads(again.Input, into)
}
