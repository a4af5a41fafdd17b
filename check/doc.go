// Package check is what a health check is made of and how one run of it is made: strategies, collectors, configurations,
// assertions, verdicts. It knows no database and no schedule. The strategies lie in check/strategy, what runs
// them on time in check/engine, what is kept of runs in check/history.
package check
