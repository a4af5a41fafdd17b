package stream_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain checks that logs, readers and listeners leave no goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
