// Command bleve asks Bleve the questions of the documentation, for test/bench to compare. It is a module of its own, so
// that the product does not depend on Bleve.
//
// It reads documents and questions as JSON and writes, for each way of asking, what was found and how long each took.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/search/query"
)

type input struct {
	Documents []document `json:"documents"`
	Questions []string   `json:"questions"`
	Rounds    int        `json:"rounds"`
	Limit     int        `json:"limit"`
}

type document struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Heading     string `json:"heading"`
	Description string `json:"description"`
	Body        string `json:"body"`
}

type way struct {
	Name        string     `json:"name"`
	Found       [][]string `json:"found"`
	Nanoseconds []int64    `json:"nanoseconds"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bleve:", err)
		os.Exit(1)
	}
}

func run() error {
	var in input
	if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
		return err
	}
	mapping := bleve.NewIndexMapping()
	mapping.DefaultAnalyzer = en.AnalyzerName
	index, err := bleve.NewMemOnly(mapping)
	if err != nil {
		return err
	}
	defer index.Close()
	batch := index.NewBatch()
	for _, d := range in.Documents {
		fields := map[string]any{"title": d.Title, "heading": d.Heading, "description": d.Description, "body": d.Body}
		if err := batch.Index(d.ID, fields); err != nil {
			return err
		}
	}
	if err := index.Batch(batch); err != nil {
		return err
	}
	ways := []struct {
		name string
		ask  func(string) query.Query
	}{
		{"as it comes", func(text string) query.Query { return bleve.NewMatchQuery(text) }},
		{"title and heading weighted", weighted},
	}
	var out []way
	for _, w := range ways {
		measured := way{Name: w.name}
		for round := range in.Rounds {
			for _, text := range in.Questions {
				began := time.Now()
				result, err := index.Search(bleve.NewSearchRequestOptions(w.ask(text), in.Limit, 0, false))
				if err != nil {
					return err
				}
				measured.Nanoseconds = append(measured.Nanoseconds, time.Since(began).Nanoseconds())
				if round > 0 {
					continue
				}
				found := []string{}
				for _, hit := range result.Hits {
					found = append(found, hit.ID)
				}
				measured.Found = append(measured.Found, found)
			}
		}
		out = append(out, measured)
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}

func weighted(text string) query.Query {
	field := func(name string, boost float64) query.Query {
		q := bleve.NewMatchQuery(text)
		q.SetField(name)
		q.SetBoost(boost)
		return q
	}
	return bleve.NewDisjunctionQuery(field("title", 3), field("heading", 4), field("description", 2), field("body", 1))
}
