package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"time"
	"unsafe"

	"countersign/sandbox/shell/guest/command"
)

//go:wasmimport env host_interrupt
func hostInterrupt() int32

// hostJob copies the job as JSON to at when it fits, and returns its size.
//
//go:wasmimport env host_job
func hostJob(at unsafe.Pointer, space uint32) uint32

// hostWrite takes output: stream 1 or 2.
//
//go:wasmimport env host_write
func hostWrite(stream uint32, at unsafe.Pointer, size uint32)

// hostFetch begins a request and returns its number. Requests and answers are the length of a JSON text, four bytes with the
// lowest first, this text, and the body as it is.
//
//go:wasmimport env host_fetch
func hostFetch(at unsafe.Pointer, size uint32) uint32

// hostFetched returns the size of the answer to a request, -1 while there is none.
//
//go:wasmimport env host_fetched
func hostFetched(request uint32) int32

// hostTake copies the answer to a request to at. The space is what hostFetched returned.
//
//go:wasmimport env host_take
func hostTake(request uint32, at unsafe.Pointer, space uint32)

// hostEnd says how the script ended, as JSON.
//
//go:wasmimport env host_end
func hostEnd(at unsafe.Pointer, size uint32)

type job struct {
	Source string            `json:"source"`
	Name   string            `json:"name"`
	Env    map[string]string `json:"env"`
	Stdin  []byte            `json:"stdin"`
	Memory int64             `json:"memory"`
}

type ending struct {
	ExitCode int    `json:"exitCode"`
	Failure  string `json:"failure,omitempty"`
	Line     uint   `json:"line,omitempty"`
	Column   uint   `json:"column,omitempty"`
}

// pointer is where bytes are, for a host function that returns before anything else runs.
func pointer(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) } //nolint:gosec // the host takes nothing else

func takeJob() (job, error) {
	text := make([]byte, hostJob(nil, 0))
	hostJob(pointer(text), uint32(len(text)))
	var j job
	return j, json.Unmarshal(text, &j)
}

func (e ending) report() {
	text, _ := json.Marshal(e)
	hostEnd(pointer(text), uint32(len(text)))
}

type stream uint32

func (s stream) Write(b []byte) (int, error) {
	if len(b) > 0 {
		hostWrite(uint32(s), pointer(b), uint32(len(b)))
	}
	return len(b), nil
}

type answer struct {
	command.Response

	Refusal string `json:"refusal"`
}

// fetch makes a request. Others run while it waits.
func fetch(ctx context.Context, r command.Request) (command.Response, error) {
	body := r.Body
	r.Body = nil
	head, err := json.Marshal(r)
	if err != nil {
		return command.Response{}, err
	}
	text := append(append(binary.LittleEndian.AppendUint32(nil, uint32(len(head))), head...), body...)
	number := hostFetch(pointer(text), uint32(len(text)))
	pause := 100 * time.Microsecond
	for {
		if size := hostFetched(number); size >= 0 {
			text := make([]byte, size)
			hostTake(number, pointer(text), uint32(size))
			var a answer
			end := 4 + int(binary.LittleEndian.Uint32(text))
			if err := json.Unmarshal(text[4:end], &a); err != nil {
				return command.Response{}, err
			}
			a.Body = text[end:]
			if a.Refusal != "" {
				return command.Response{}, errors.New(a.Refusal)
			}
			return a.Response, nil
		}
		select {
		case <-ctx.Done():
			return command.Response{}, ctx.Err()
		case <-time.After(pause):
		}
		pause = min(2*pause, 5*time.Millisecond)
	}
}
