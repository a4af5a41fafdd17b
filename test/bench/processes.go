package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"
)

// other is a process of the product beside the first one, with an API or a worker.
type other struct {
	kind string
	cmd  *exec.Cmd
	url  string
}

// another starts a process of the product that is an "api" or a "worker".
func (s *stack) another(kind string) (*other, error) {
	port := strconv.Itoa(freePort())
	cmd := exec.Command(s.binary, kind)
	// Profiles are those of the first process: the others would want the same address.
	own := []string{"PORT=" + port, "COUNTERSIGN_URL=" + s.url, "COUNTERSIGN_DEBUG_ADDRESS="}
	cmd.Env, cmd.Stdout, cmd.Stderr = slices.Concat(s.env, own), io.Discard, os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start another process: %w", err)
	}
	return &other{kind, cmd, "http://localhost:" + port}, nil
}

func (o *other) ready(ctx context.Context) error {
	for deadline := time.Now().Add(60 * time.Second); time.Now().Before(deadline) && ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		if readyAt(ctx, o.url) {
			return nil
		}
	}
	return errors.New("another process did not become ready: " + o.kind)
}

// readyLimit bounds the readiness check of a process.
const readyLimit = 5 * time.Second

// readyAt reports whether a process is ready. An unresponsive one counts as not ready.
func readyAt(ctx context.Context, url string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/readyz", nil)
	if err != nil {
		return false
	}
	response, err := (&http.Client{Timeout: readyLimit, Transport: transport}).Do(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

func (o *other) stop() {
	_ = o.cmd.Process.Kill()
	_ = o.cmd.Wait()
}

// startOthers adds to the first API what makes a split installation: another API and two workers.
func (s *stack) startOthers(ctx context.Context) error {
	if !s.split {
		return nil
	}
	for _, kind := range []string{"api", "worker", "worker"} {
		o, err := s.another(kind)
		if err != nil {
			return err
		}
		s.others = append(s.others, o)
		if err := o.ready(ctx); err != nil {
			return err
		}
	}
	return nil
}

// api is the API address of a person: people are spread over all APIs.
func (s *stack) api(person int) string {
	urls := []string{s.url}
	for _, o := range s.others {
		if o.kind == "api" {
			urls = append(urls, o.url)
		}
	}
	return urls[person%len(urls)]
}

// running is one process of the product with its name in tables.
type running struct {
	name, url string
	pid       int
}

// running are all processes of the product.
func (s *stack) running() []running {
	if !s.split {
		return []running{{"all", s.url, s.product.Process.Pid}}
	}
	list, count := []running{{"API 1", s.url, s.product.Process.Pid}}, map[string]int{"api": 1}
	for _, o := range s.others {
		count[o.kind]++
		name := "API"
		if o.kind == "worker" {
			name = "worker"
		}
		list = append(list, running{fmt.Sprintf("%s %d", name, count[o.kind]), o.url, o.cmd.Process.Pid})
	}
	return list
}
