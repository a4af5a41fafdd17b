package app_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"

	"countersign/app/apptest"
	"countersign/script/typescript"
)

// TestMain lets many tests run side by side, as they wait more than they compute, and checks at the end that every
// process that was stopped has left nothing behind: no goroutine, and so no connection, timer or server.
func TestMain(m *testing.M) {
	// The compiler of scripts starts this binary again.
	typescript.RunIfChild()
	apptest.RunIfProcess()
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}
