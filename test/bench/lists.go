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

// listGoal is the limit for a page of a list in milliseconds, at the 95th percentile.
const listGoal = 20

// lists measures pages of lists among 100,000 systems, as users with different ways of access, and prints their plans.
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

// errHidden marks a list of records that the person cannot see.
var errHidden = errors.New("not seen")

// list is a page to ask for.
type list struct{ name, path string }

func measuredLists() []list {
	const systems = "/api/catalog/systems"
	return []list{
		{"systems", systems},
		{"systems, a later page", systems + "?cursor=" + cursorAt(50_000)},
		{"systems with a tag", systems + "?tag=t7"},
		{"systems of a group", systems + "?groupId=" + groupID},
		{"systems of an environment", systems + "?environmentId=" + environmentID},
		{"systems of a team", systems + "?teamId=" + teamID(17)},
		{"systems of a large team", systems + "?teamId=" + teamID(200)},
		{"systems like a common word", systems + "?query=payments"},
		{"systems like a rare word", systems + "?query=zebra"},
		{"systems, last page", systems + "?cursor=" + cursorAt(99_900)},
		{"systems with a tag, last page", systems + "?tag=t7&cursor=" + cursorAt(99_900)},
		{"systems of a large team, last page", systems + "?teamId=" + teamID(200) + "&cursor=" + cursorAt(99_900)},
		{"systems like a common word, last page", systems + "?query=payments&cursor=" + cursorAt(99_900)},
		{"systems and how many", systems + "?count=true"},
		{"systems with a tag and how many", systems + "?count=true&tag=t7"},
		{"systems of a group and how many", systems + "?count=true&groupId=" + groupID},
		{"systems of a team and how many", systems + "?count=true&teamId=" + teamID(17)},
		{"systems of a large team and how many", systems + "?count=true&teamId=" + teamID(200)},
		{"systems like a common word and how many", systems + "?count=true&query=payments"},
		{"two: tag and large team", systems + "?count=true&tag=t7&teamId=" + teamID(200)},
		{"two: tag and environment", systems + "?count=true&tag=t7&environmentId=" + environmentID},
		{"two: group and environment", systems + "?count=true&groupId=" + groupID + "&environmentId=" + environmentID},
		{"two: large team and environment", systems + "?count=true&environmentId=" + environmentID + "&teamId=" + teamID(200)},
		{
			"all four, and a word",
			systems + "?count=true&query=payments&tag=t7&groupId=" + groupID + "&environmentId=" + environmentID + "&teamId=" + teamID(200),
		},
		{"systems of an environment and how many", systems + "?count=true&environmentId=" + environmentID},
		{"two: two teams' tag and team", systems + "?count=true&tag=team7&teamId=" + teamID(17)},
		{"two: large team and common word", systems + "?count=true&query=payments&teamId=" + teamID(200)},
		{"two: tag and rare word", systems + "?count=true&query=zebra&tag=t7"},
		{"two: tag and common word", systems + "?count=true&query=payments&tag=t7"},
		{"two: group and tag of others", systems + "?count=true&tag=t7&groupId=" + groupID},
		{"slip: in a rare name", systems + "?count=true&query=pyaroll"},
		{"slip: in every name", systems + "?count=true&query=sytsem"},
		{"slip: in every name, and another word", systems + "?count=true&query=sytsem+pyaroll"},
		{"slip: in every name, in a group", systems + "?count=true&query=sytsem&groupId=" + groupID},
		{"slip: in every name, in an environment", systems + "?count=true&query=sytsem&environmentId=" + environmentID},
		{"slip: in every name, with a tag", systems + "?count=true&query=sytsem&tag=t7"},
		{"slip: in every name, with a team", systems + "?count=true&query=sytsem&teamId=" + teamID(17)},
		{"slip: near to no name", systems + "?count=true&query=quxwyz"},
		{"groups", "/api/catalog/groups"},
		{"environments", "/api/catalog/environments"},
		{"memories", "/api/ai/memories"},
		{"memories about a word", "/api/ai/memories?query=window7"},
		{"memories with a part of a word", "/api/ai/memories?query=ndow77"},
	}
}

// warmUps are requests that are not measured.
const warmUps = 5

// listed measures the latency of a page after warming the caches. The minimum is the most reliable figure on a busy
// machine.
func (s *stack) listed(ctx context.Context, p viewer, l list, requests int) (least, p50, p95 float64, err error) {
	var times []time.Duration
	for i := range requests + warmUps {
		begun := time.Now()
		if err := s.page(ctx, p.client, l.path); err != nil {
			return 0, 0, 0, err
		}
		if i >= warmUps {
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
	if response.StatusCode == http.StatusNotFound || response.StatusCode == http.StatusForbidden {
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
