package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// listGoal is what a page of a list may take, in milliseconds, at the 95th percentile.
const listGoal = 20

// lists measures pages of lists in an installation of 100,000 systems, as people who see them in different ways, and
// shows how the database finds each page.
func lists(ctx context.Context, o options) error {
	s, err := startStack(ctx, o)
	if err != nil {
		return err
	}
	defer s.stop()
	conn, err := pgx.Connect(ctx, s.database)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	people, err := s.seedLists(ctx, conn)
	if err != nil {
		return fmt.Errorf("seed: %w", err)
	}
	fmt.Printf("# Pages of lists, %s\n\n", time.Now().Format(time.DateOnly))
	fmt.Println("100,000 systems in 10,000 groups, 20 environments of 10 systems, 100,000 memories of systems; pages of 200 (memories 50).")
	fmt.Println("\n| list | " + strings.Join(names(people), " | ") + " |")
	fmt.Println("|---|" + strings.Repeat("--:|", len(people)))
	requests := 100
	if o.quick {
		requests = 30
	}
	missed := 0
	for _, list := range measuredLists() {
		if !strings.Contains(list.name, o.list) {
			continue
		}
		cells := []string{list.name}
		for _, p := range people {
			least, p50, p95, err := s.listed(ctx, p, list, requests)
			if errors.Is(err, errHidden) {
				cells = append(cells, "not seen")
				continue
			}
			if err != nil {
				return fmt.Errorf("%s, %s: %w", list.name, p.name, err)
			}
			mark := ""
			if p95 > listGoal {
				mark = " (!)"
				missed++
			}
			cells = append(cells, fmt.Sprintf("%.1f / %.1f / %.1f%s", least, p50, p95, mark))
		}
		fmt.Println("| " + strings.Join(cells, " | ") + " |")
	}
	fmt.Printf("\nmin / p50 / p95 ms over HTTP, %d requests each; (!) is over the goal of %d ms: %d times.\n", requests, listGoal, missed)
	return explainLists(ctx, s.database, people)
}

// errHidden says that a list is of something that the person does not see.
var errHidden = errors.New("not seen")

// list is a page to ask for.
type list struct{ name, path string }

func measuredLists() []list {
	const systems = "/api/catalog/systems"
	return []list{
		{"systems", systems},
		{"systems, a later page", systems + "?cursor=" + cursorAt(50_000)},
		{"systems with a tag", systems + "?tag=t7"},
		{"systems of a group", systems + "?groupId=" + groupID(4_000)},
		{"systems of an environment", systems + "?environmentId=" + environmentID(3)},
		{"systems like a common word", systems + "?query=payments"},
		{"systems like a rare word", systems + "?query=zebra"},
		{"groups", "/api/catalog/groups"},
		{"environments", "/api/catalog/environments"},
		{"memories", "/api/ai/memories"},
		{"memories about a word", "/api/ai/memories?query=window7"},
		{"memories with a part of a word", "/api/ai/memories?query=ndow77"},
	}
}

// listed is how long a person waits for a page. The first requests are for the caches. The least says most on a machine
// that does other work beside it.
func (s *stack) listed(ctx context.Context, p viewer, l list, requests int) (least, p50, p95 float64, err error) {
	var times []time.Duration
	for i := range requests + 5 {
		begun := time.Now()
		if err := s.page(ctx, p.client, l.path); err != nil {
			return 0, 0, 0, err
		}
		if i >= 5 {
			times = append(times, time.Since(begun))
		}
	}
	return quantile(times, 0), quantile(times, .5), quantile(times, .95), nil
}

func (s *stack) page(ctx context.Context, client *http.Client, path string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode == http.StatusNotFound {
		return errHidden
	}
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status + ": " + string(body))
	}
	return nil
}

func names(people []viewer) []string {
	var list []string
	for _, p := range people {
		list = append(list, p.name)
	}
	return list
}
