package attack_test

import (
	"testing"

	"countersign/script/typescript"
)

func TestMain(m *testing.M) {
	// The compiler of scripts starts this binary again.
	typescript.RunIfChild()
	m.Run()
}
