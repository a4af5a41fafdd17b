package healthcheck

import (
	"context"
	"encoding/json"

	"countersign/check"
	"countersign/check/assertion"
)

// CollectorKind is a collector that checks can have.
type CollectorKind struct {
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	Category     string          `json:"category,omitempty"`
	Version      int             `json:"version" doc:"Of configs that are written now."`
	ConfigSchema json.RawMessage `json:"configSchema" doc:"A closed JSON schema."`
	ResultSchema json.RawMessage `json:"resultSchema" doc:"Its members are what assertions can be about."`
	Defaults     []Assertion     `json:"defaultAssertions" nullable:"false" doc:"Those of a new collector that leaves assertions out."`
	Needs        string          `json:"needsAssertions,omitempty" doc:"What to say in assertions, because a new collector that leaves them out is refused. Absent for a kind that has defaults or judges its result itself."`
}

// StrategyKind is a strategy with its collectors.
type StrategyKind struct {
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	Category     string          `json:"category,omitempty"`
	Version      int             `json:"version" doc:"Of configs that are written now."`
	ConfigSchema json.RawMessage `json:"configSchema" doc:"A closed JSON schema."`
	Collectors   []CollectorKind `json:"collectors" nullable:"false"`
}

// Operator is an operator of assertions.
type Operator struct {
	ID    string `json:"id"`
	Words string `json:"words" doc:"What stands between the field and the value in a sentence."`
	Takes string `json:"takes" enum:"nothing,number,string,pattern,count,scalar,range,list"`
}

// operators converts the operators of package assertion, by type.
func operators() map[string][]Operator {
	all := map[string][]Operator{}
	for t, list := range assertion.Table() {
		for _, o := range list {
			all[string(t)] = append(all[string(t)], Operator{ID: o.ID, Words: o.Words, Takes: string(o.Takes)})
		}
	}
	return all
}

// Catalog lists the strategies, collectors and operators for configurations.
type Catalog struct {
	Strategies []StrategyKind        `json:"strategies" nullable:"false"`
	Operators  map[string][]Operator `json:"operators" doc:"What assertions can ask, by the JSON type of the field: number, string, boolean, array; timeThreshold for times in milliseconds, jsonPath for what a path finds."`
}

// Catalog returns the catalog. It requires the right to read checks.
func (s *service) Catalog(ctx context.Context) (Catalog, error) {
	if _, _, err := checkKind.Listing(ctx, s.DB); err != nil {
		return Catalog{}, err
	}
	catalog := Catalog{Operators: operators()}
	for _, strategy := range s.Kinds.Strategies() {
		catalog.Strategies = append(catalog.Strategies, strategyKind(strategy))
	}
	return catalog, nil
}

// defaultAssertions are those of a new collector for which none are given; never nil.
func defaultAssertions(c *check.Collector) []Assertion {
	all := []Assertion{}
	if c == nil {
		return all
	}
	for _, a := range c.Defaults {
		all = append(all, Assertion(a))
	}
	return all
}

func strategyKind(s check.Strategy) StrategyKind {
	kind := StrategyKind{
		ID: s.ID, Name: s.Name, Description: s.Description, Category: s.Category, Version: s.Version(), ConfigSchema: s.Config.JSON(),
		Collectors: make([]CollectorKind, 0, len(s.Collectors)),
	}
	for _, c := range s.Collectors {
		kind.Collectors = append(kind.Collectors, CollectorKind{
			ID: c.ID, Name: c.Name, Description: c.Description, Category: c.Category, Version: c.Version(), ConfigSchema: c.Config.JSON(),
			ResultSchema: c.Result.JSON(), Defaults: defaultAssertions(&c), Needs: c.Unjudged.Needs(),
		})
	}
	return kind
}
