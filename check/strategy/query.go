package strategy

import (
	"encoding/json"
	"math"

	"countersign/check"
	"countersign/check/assertion"
)

// Limits of a query's result.
const (
	mostRows    = 10_000
	mostColumns = 100
	mostRow     = 64 << 10
)

// queryConfig is a query of a database.
type queryConfig struct {
	Query   string `json:"query,omitempty" jsonschema:"maxLength=20000,default=SELECT 1" jsonschema_description:"One SQL statement. Its first row is what assertions can be about." check:"editor=sql,template,label=Query"`
	Timeout int    `json:"timeout,omitempty" jsonschema:"minimum=100,maximum=300000" jsonschema_description:"After how many milliseconds the server is to give the statement up; the time of the run when empty" check:"unit=ms,label=Timeout"`
	// AllowWrites is off by default: a check only reads.
	AllowWrites bool `json:"allowWrites,omitempty" jsonschema_description:"Let the statement write. Otherwise it runs in a transaction that can only read." check:"label=Let it write"`
}

// queryResult is the result of a query.
type queryResult struct {
	Success         bool             `json:"success" jsonschema_description:"Whether the statement succeeded" check:"label=Success"`
	RowCount        int              `json:"rowCount" jsonschema_description:"How many rows came, at most 10,000" check:"chart=line,label=Rows"`
	Value           string           `json:"value" jsonschema_description:"First column of the first row, as text; empty for NULL and when there is no row" check:"jsonpath,label=Value"`
	Number          *assertion.Exact `json:"number,omitempty" jsonschema_description:"The same as a number, when it is one" check:"chart=line,label=Number"`
	Row             string           `json:"row" jsonschema_description:"The first row as a JSON object by column name, for a JSONPath such as $.total" check:"jsonpath,label=First row"`
	Truncated       bool             `json:"truncated,omitempty" jsonschema_description:"Whether there were more rows than are counted" check:"label=Truncated"`
	ConnectTimeMs   float64          `json:"connectTimeMs" jsonschema_description:"Until the session stood: connection, TLS and login" check:"chart=line,unit=ms,label=Connect time"`
	ExecutionTimeMs float64          `json:"executionTimeMs" jsonschema_description:"From the statement until its last row" check:"chart=line,unit=ms,label=Execution time,keep"`
	ServerVersion   string           `json:"serverVersion,omitempty" jsonschema_description:"The version that the server tells" check:"label=Server version"`
	CertificateDays
	cutFields
}

// unjudgedQuery holds for statements that ask for data. SELECT 1 asks whether the server answers.
func unjudgedQuery() *check.Unjudged {
	return &check.Unjudged{
		Finds: "the first row", Example: check.Assertion{Field: "number", Operator: "lessThan", Value: json.RawMessage("1000")},
		Member: "query", Alive: []string{"SELECT 1"},
	}
}

// column is one column of a row: its name, its value as JSON or null, and its text.
type column struct {
	name string
	text string
	null bool
	// bare is set when text is valid JSON: a number, a boolean, a document.
	bare bool
}

// take sets the result from the first row.
func (r *queryResult) take(row []column) {
	fields, size := make(map[string]json.RawMessage, len(row)), 0
	if len(row) > mostColumns {
		r.note("only the first "+itoa(mostColumns)+" columns were looked at", "row")
	}
	for i, c := range row[:min(len(row), mostColumns)] {
		c.text = clip(c.text, math.MaxInt)
		if i == 0 && !c.null {
			r.Value = r.clip("value", c.text, mostRow)
			r.Number = r.numberOf(r.Value, "value")
		}
		value := json.RawMessage(c.text)
		switch {
		case c.null:
			value = json.RawMessage("null")
		case !c.bare || !json.Valid(value):
			value, _ = json.Marshal(c.text) // a text always has a JSON form
		}
		if size+len(c.name)+len(value) > mostRow {
			// Values that are there are whole, so that paths find no part of one.
			r.note("columns beyond the first "+itoa(mostRow>>10)+" KiB of the row were not looked at", "row")
			continue
		}
		size += len(c.name) + len(value)
		fields[c.name] = value
	}
	document, _ := json.Marshal(fields) // all of it is JSON
	r.Row = string(document)
}

// truncate notes that there are more rows than are counted.
func (r *queryResult) truncate() {
	r.Truncated = true
	r.note("only the first 10,000 rows were counted", "rowCount")
}

// refused is the failure of a statement that the server rejected.
func refused(cause check.Cause, message string) *check.Failure {
	return check.Fail(cause, "The query failed: "+brief(message)+".")
}
