package memory_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/modules/memory"
)

func TestHintsAboutTheSameThingOverlap(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"deploy window of payments", "Payments: deploy windows"},
		{"When I ask about time zones", "time zone"},
		{"Größe der Datenbank", "grösse der datenbank"},
		{"policies", "policy"},
		{"???", "???"},
		{"What is this?", "what this is"},
	} {
		require.GreaterOrEqual(t, memory.Overlap(pair[0], pair[1]), memory.NearDuplicate, pair)
		require.InDelta(t, memory.Overlap(pair[1], pair[0]), memory.Overlap(pair[0], pair[1]), 0, pair)
	}
}

func TestHintsAboutOtherThingsDoNot(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"deploy window of the payments service in production", "deploy window of the payments service in staging"},
		{"time zone", "time format"},
		{"runbook 1", "runbook 2"},
		{"status", "bus"},
		{"???", "!!!"},
		{"payments", ""},
		{"when to deploy", "when to sleep"},
	} {
		require.Less(t, memory.Overlap(pair[0], pair[1]), memory.NearDuplicate, pair)
	}
}

func FuzzOverlap(f *testing.F) {
	f.Add("deploy window", "deploy windows")
	f.Add("", "\xff")
	f.Fuzz(func(t *testing.T, a, b string) {
		o := memory.Overlap(a, b)
		if o < 0 || o > 1 || o != memory.Overlap(b, a) {
			t.Fatalf("overlap of %q and %q is %v", a, b, o)
		}
		if memory.Overlap(a, a) != 1 {
			t.Fatalf("%q does not overlap itself", a)
		}
	})
}
