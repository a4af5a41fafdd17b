package app_test

import (
	"fmt"
	"testing"
	"time"

	"countersign/app/apptest"
	"countersign/auth"
	"countersign/internal/principal"
	"countersign/tool"
)

// BenchmarkAuthors is what it costs to ask who has written in the 200 systems that a tool answers: a turn with that one call,
// without the question, where nobody has fewer rights than the reader, and where ten others have; and the two parts of the
// question by themselves. The turns take turns, so that each bears the same load.
func BenchmarkAuthors(b *testing.B) {
	off := benched(b, "false", 0)
	own, others := benched(b, "true", 0), benched(b, "true", 10)
	spent := map[string]time.Duration{}
	b.Run("turns", func(b *testing.B) {
		clear(spent)
		for b.Loop() {
			for name, p := range map[string]*apptest.Product{"off": off, "own": own, "others": others} {
				chat := p.Admin.Conversation(b, apptest.Settings{"permissionMode": "auto"})
				begun := time.Now()
				chat.Perform(b, `tool=catalog.listSystems input={"limit":200} rounds=1 text=Read.`)
				spent[name] += time.Since(begun)
			}
		}
		for name, took := range spent {
			b.ReportMetric(float64(took.Microseconds())/1000/float64(b.N), name+"-ms/turn")
		}
		b.ReportMetric(float64(spent["own"])/float64(spent["off"]), "own/off")
		b.ReportMetric(float64(spent["others"])/float64(spent["off"]), "others/off")
	})
	answer := others.Admin.Call(b, "GET", "/api/catalog/systems?limit=200", nil).Body
	var told tool.DisclosedRecords
	b.Run("reading ids", func(b *testing.B) {
		for b.Loop() {
			told = tool.DisclosedRecords{}
			told.Note(answer)
		}
	})
	reader := principal.Principal{Kind: principal.User, ID: others.Admin.ID, Rules: []string{principal.Admin}}
	authors := auth.NewAuthors(others.DB)
	b.Run("asking", func(b *testing.B) {
		for b.Loop() {
			if found, err := authors.LessPrivileged(b.Context(), reader, told.IDs()); err != nil || len(found) != 200 {
				b.Fatal(len(found), err)
			}
		}
	})
}

// benched is a product with 200 systems, of the administrator's or of so many others with fewer rights.
func benched(b *testing.B, watch string, others int) *apptest.Product {
	b.Helper()
	p := apptest.Start(b, apptest.Options{Env: map[string]string{
		"COUNTERSIGN_WATCH_AUTHORS": watch, "COUNTERSIGN_TOOL_BUDGET_CALLS": "100000", "COUNTERSIGN_MAX_CONVERSATIONS": "100000",
	}})
	writers := []*apptest.Client{p.Admin}
	if others > 0 {
		writers = nil
		role := p.Role(b, "catalog.system.manage")
		for range others {
			writers = append(writers, p.Person(b, role))
		}
	}
	for n := range 200 {
		writers[n%len(writers)].Post(b, "/api/catalog/systems", map[string]any{
			"name": fmt.Sprintf(
				"System %03d",
				n,
			),
			"description": "Takes orders, hands them on, and tells who asks how far they are.",
			"tags":        []string{"core"},
		}, nil)
	}
	return p
}
