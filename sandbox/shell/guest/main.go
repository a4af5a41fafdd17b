//go:build wasip1

// Command guest is the shell that runs inside WebAssembly. It is a reactor: the host calls prepare once, keeps the state
// of the instance, and calls run in copies of this state, once in each.
package main

import (
	"runtime"
	"runtime/debug"
)

func main() {}

// Linters do not know what is exported to the host.
var _ = [...]func(){prepare, run}

// prepare runs a script that touches what most scripts do, so that they find it set up, and clean memory.
//
//go:wasmexport prepare
func prepare() {
	hostInterrupt()
	runJob()
	debug.SetGCPercent(400)
	// Room that scripts find, so that few of them need to make the memory grow.
	room := make([]byte, 4<<20)
	runtime.KeepAlive(room)
	runtime.GC()
	runtime.GC()
}

// run runs the job of the host to its end.
//
//go:wasmexport run
func run() { runJob() }

func runJob() {
	j, err := takeJob()
	if err != nil {
		ending{ExitCode: -1, Failure: "the job is not readable: " + err.Error()}.report()
		return
	}
	// The collector works harder when the limit comes near instead of running into it.
	debug.SetMemoryLimit(j.Memory * 3 / 4)
	interpret(j).report()
}
