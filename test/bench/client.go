package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// sample is one turn as measured by its client.
type sample struct {
	// first is the time to the first text of the answer, total to the end of the stream.
	first, total time.Duration
	// deltas are when pieces of text arrived.
	deltas []arrival
	turn   string
}

type arrival struct {
	text string
	at   time.Time
}

// follow reads a stream to its end. Its last chunk must be a finish.
func follow(response *http.Response, begun time.Time, keep bool) (sample, error) {
	var s sample
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(response.Body)
		return s, fmt.Errorf("%s: %s", response.Status, body)
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(make([]byte, 64<<10), 4<<20)
	finished := false
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok {
			continue
		}
		switch {
		case bytes.HasPrefix(data, []byte(`{"type":"text-delta"`)):
			if s.first == 0 {
				s.first = time.Since(begun)
			}
			if keep {
				var d struct{ Delta string }
				if err := json.Unmarshal(data, &d); err != nil {
					return s, err
				}
				s.deltas = append(s.deltas, arrival{d.Delta, time.Now()})
			}
		case bytes.HasPrefix(data, []byte(`{"type":"start"`)):
			var start struct {
				Meta struct {
					Turn string `json:"turnId"`
				} `json:"messageMetadata"`
			}
			_ = json.Unmarshal(data, &start)
			s.turn = start.Meta.Turn
		case bytes.HasPrefix(data, []byte(`{"type":"finish","finishReason":"stop"`)):
			finished = true
		}
	}
	s.total = time.Since(begun)
	if !finished {
		return s, errors.Join(errors.New("the stream ended without an answer"), lines.Err())
	}
	return s, nil
}

// turn sends a question in a new conversation, at the person's API.
func (s *stack) turn(ctx context.Context, person int, script string, keep bool) (sample, error) {
	return s.turnAt(ctx, s.api(person), person, script, keep)
}

// turnAt is turn at one of several processes.
func (s *stack) turnAt(ctx context.Context, url string, person int, script string, keep bool) (sample, error) {
	client := s.people[person%len(s.people)]
	var conversation struct{ ID string }
	if err := post(ctx, client, url, "/api/ai/conversations", map[string]string{"connectionId": s.connection}, &conversation); err != nil {
		return sample{}, err
	}
	return s.ask(ctx, client, url+"/api/ai/chat", map[string]string{
		"conversationId": conversation.ID, "messageId": uuid.NewString(), "message": script,
	}, keep)
}

// floorTurn sends a question to the floor.
func (s *stack) floorTurn(ctx context.Context, _ int, script string, keep bool) (sample, error) {
	return s.ask(ctx, s.people[0], s.floorURL, map[string]string{"message": script}, keep)
}

func (s *stack) ask(ctx context.Context, client *http.Client, url string, body map[string]string, keep bool) (sample, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return sample{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(raw))
	if err != nil {
		return sample{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	begun := time.Now()
	response, err := client.Do(request)
	if err != nil {
		return sample{}, err
	}
	return follow(response, begun, keep)
}

// script makes the model do a number of rounds with one tool call, then answer. Each is unique, so that no fault
// counter or cache is shared.
func script(rounds int) string {
	return fmt.Sprintf(
		"script: rounds=%d tool=%s tokens=20 delay_first=0s delay_token=0s id=%s",
		rounds,
		toolName,
		strings.ReplaceAll(uuid.NewString(), "-", ""),
	)
}

// quantile of sorted or unsorted durations, in milliseconds.
func quantile(ds []time.Duration, q float64) float64 {
	if len(ds) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(ds))
	return float64(sorted[min(int(q*float64(len(sorted))), len(sorted)-1)].Microseconds()) / 1000
}
