package connection

import (
	"countersign/modules/connection/connectiondb"
	"countersign/tool/spend"
)

// Price is the cost per million tokens, in the installation's one currency, which has no name here. Models with other
// prices need a connection of their own.
type Price struct {
	Input  float64 `json:"input" minimum:"0" maximum:"1000000" doc:"Per million tokens of input"`
	Output float64 `json:"output" minimum:"0" maximum:"1000000" doc:"Per million tokens of output"`
	// Cached is nil when cached input costs as much as other input.
	Cached *float64 `json:"cached,omitempty" minimum:"0" maximum:"1000000" doc:"Per million tokens of input that the provider had in its cache; the input price when left out"`
}

// ForLedger converts the price for the ledger, nil for none.
func (p *Price) ForLedger() *spend.Price {
	if p == nil {
		return nil
	}
	price := &spend.Price{Input: p.Input, Output: p.Output, Cached: p.Input}
	if p.Cached != nil {
		price.Cached = *p.Cached
	}
	return price
}

// maxPrice is the maximum per million tokens.
const maxPrice = 1_000_000

// price validates a price; one without numbers (null in a request) removes it.
func (v *validation) price(path string, p *Price) *Price {
	if p == nil || *p == (Price{}) {
		return nil
	}
	check := func(field string, value float64) {
		if !(value >= 0 && value <= maxPrice) {
			v.Report(path+"."+field, "must be from 0 to 1000000")
		}
	}
	check("input", p.Input)
	check("output", p.Output)
	if p.Cached != nil {
		check("cached", *p.Cached)
	}
	return p
}

func priceOf(r connectiondb.AiConnection) *Price {
	if r.InputPrice == nil || r.OutputPrice == nil {
		return nil
	}
	return &Price{Input: *r.InputPrice, Output: *r.OutputPrice, Cached: r.CachedPrice}
}

func setPrice(row *connectiondb.AiConnection, p *Price) {
	row.InputPrice, row.OutputPrice, row.CachedPrice = nil, nil, nil
	if p != nil {
		row.InputPrice, row.OutputPrice, row.CachedPrice = &p.Input, &p.Output, p.Cached
	}
}
