package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"countersign/docsindex"
	"countersign/docsindex/question"
)

// bleveFolder is the module with the Bleve search.
const bleveFolder = "dev/bleve"

// passage is a section of the documentation for the Bleve search.
type passage struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Heading     string `json:"heading"`
	Description string `json:"description"`
	Body        string `json:"body"`
}

// answered are the results and latencies of one search engine by question.
type answered struct {
	Name        string     `json:"name"`
	Found       [][]string `json:"found"`
	Nanoseconds []int64    `json:"nanoseconds"`
}

// docsSearch measures the quality and latency of the documentation search beside Bleve with the same sections.
func docsSearch(ctx context.Context, o options) error {
	ix, err := docsindex.Load()
	if err != nil {
		return err
	}
	asked, err := question.Asked()
	if err != nil {
		return err
	}
	heldOut, err := question.HeldOut()
	if err != nil {
		return err
	}
	passages, err := passagesOf(ix)
	if err != nil {
		return err
	}
	rounds := 50
	if o.quick {
		rounds = 10
	}
	all := slices.Concat(asked, heldOut)
	texts := make([]string, len(all))
	for i, q := range all {
		texts[i] = q.Text
	}
	searches := []answered{searchOurs(ix, texts, rounds)}
	others, err := searchBleve(ctx, passages, texts, rounds)
	if err != nil {
		return err
	}
	other := func(q question.Question) bool { return !q.Own }
	sets := []struct {
		name      string
		questions []question.Question
	}{
		{"asked", asked},
		{"held out", heldOut},
		{"all in the words of the page", slices.DeleteFunc(slices.Clone(all), other)},
		{"all in other words", slices.DeleteFunc(slices.Clone(all), func(q question.Question) bool { return q.Own })},
	}
	fmt.Fprintf(
		os.Stdout,
		"# Search of the documentation, %s\n\n%d sections, each question %d times.\n\n",
		time.Now().Format(time.DateOnly),
		len(passages),
		rounds,
	)
	fmt.Fprintln(os.Stdout, "| search | questions | recall@1 | recall@3 | p50 / p95 / p99 µs |\n|---|---|--:|--:|--:|")
	for _, s := range append(searches, others...) {
		slices.Sort(s.Nanoseconds)
		at := func(share float64) float64 {
			return float64(s.Nanoseconds[int(share*float64(len(s.Nanoseconds)-1))]) / 1000
		}
		for _, set := range sets {
			r := question.Measure(set.questions, func(text string) []string { return s.Found[slices.Index(texts, text)] })
			fmt.Fprintf(os.Stdout, "| %s | %s, %d | %.1f %% | %.1f %% | %.0f / %.0f / %.0f |\n",
				s.Name, set.name, r.Questions, r.Of(r.First), r.Of(r.Third), at(0.5), at(0.95), at(0.99))
		}
	}
	return nil
}

func searchOurs(ix *docsindex.Index, texts []string, rounds int) answered {
	a := answered{Name: "the product"}
	for round := range rounds {
		for _, text := range texts {
			began := time.Now()
			results := ix.Search(text, docsindex.DefaultLimit)
			a.Nanoseconds = append(a.Nanoseconds, time.Since(began).Nanoseconds())
			if round > 0 {
				continue
			}
			found := []string{}
			for _, hit := range results.Hits {
				found = append(found, place(hit.Slug, hit.Anchor))
			}
			a.Found = append(a.Found, found)
		}
	}
	return a
}

func searchBleve(ctx context.Context, passages []passage, texts []string, rounds int) ([]answered, error) {
	in, err := json.Marshal(map[string]any{"documents": passages, "questions": texts, "rounds": rounds, "limit": docsindex.DefaultLimit})
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "go", "run", "-C", bleveFolder, ".")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("search with Bleve: %w", err)
	}
	var answers []answered
	if err := json.Unmarshal(out, &answers); err != nil {
		return nil, err
	}
	for i := range answers {
		answers[i].Name = "Bleve, " + answers[i].Name
	}
	return answers, nil
}

// passagesOf are the sections that the product searches, with what it knows of each.
func passagesOf(ix *docsindex.Index) ([]passage, error) {
	var passages []passage
	for _, ref := range ix.List("").Pages {
		doc, err := ix.Get(ref.Slug)
		if err != nil {
			return nil, err
		}
		add := func(heading, anchor, body string) {
			if strings.TrimSpace(body) != "" {
				passages = append(passages, passage{place(doc.Slug, anchor), doc.Title, heading, doc.Description, body})
			}
		}
		headings := docsindex.Headings(doc.Content)
		end := len(doc.Content)
		if len(headings) > 0 {
			end = headings[0].Offset
		}
		add("", "", doc.Content[:end])
		for i, h := range headings {
			to := len(doc.Content)
			if i+1 < len(headings) {
				to = headings[i+1].Offset
			}
			_, body, _ := strings.Cut(doc.Content[h.Offset:to], "\n")
			add(h.Text, doc.Headings[i].Anchor, body)
		}
	}
	return passages, nil
}

func place(slug, anchor string) string {
	if anchor == "" {
		return slug
	}
	return slug + "#" + anchor
}
