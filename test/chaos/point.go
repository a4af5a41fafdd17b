package main

import (
	"regexp"
	"slices"
)

// kind is the role of a process.
type kind string

const (
	api    kind = "api"
	worker kind = "worker"
	// whole is both in one process, as `make run` starts it. It starts the first model call before the workflow.
	whole kind = "all"
)

// apart and together are the processes of the two ways to run the product.
var (
	apart    = []kind{api, api, worker, worker}
	together = []kind{whole, whole}
)

// point is a step at which processes are killed: a call of crash.Point in the product.
type point struct {
	name string
	// kinds are the processes that reach the point when API and workers are separate; together every point is in every
	// process.
	kinds []kind
	// scenarios are those that lead to the point.
	scenarios []string
	// visits bounds how often a process passes the point before it dies; the number is drawn for each kill.
	visits int
	// after is a point that creates work for this one: the reconciler needs a process that died there.
	after string
}

// points are the steps of a turn and of an apply, in the order in which they happen.
func points() []point {
	everywhere := []kind{api, worker}
	talk := []string{"read", "create", "auto"}
	writes := []string{"create", "auto", "update", "stopwrite"}
	decided := []string{"create", "update", "delete", "rival"}
	return []point{
		// A message comes in and its answer goes out.
		{name: "chat.before-accept", kinds: []kind{api}, scenarios: talk},
		{name: "chat.after-accept", kinds: []kind{api}, scenarios: talk},
		{name: "chat.after-start", kinds: []kind{api}, scenarios: talk},
		{name: "stream.after-send", kinds: []kind{api}, scenarios: []string{"read"}, visits: 8},
		{name: "stop.after-request", kinds: []kind{api}, scenarios: []string{"stop"}},
		{name: "stop.after-signal", kinds: []kind{api}, scenarios: []string{"stop"}},
		{name: "stop.heard", kinds: []kind{worker}, scenarios: []string{"stop", "stopwrite"}},

		// A worker takes the turn and calls the model.
		{name: "turn.before-claim", kinds: []kind{worker}, scenarios: talk},
		{name: "turn.after-claim", kinds: []kind{worker}, scenarios: talk},
		{name: "model.before-request", kinds: []kind{worker}, scenarios: talk, visits: 3},
		{name: "model.after-delta", kinds: []kind{worker}, scenarios: talk, visits: 40},
		{name: "model.before-retry", kinds: []kind{worker}, scenarios: []string{"retry"}},
		{name: "model.before-record", kinds: []kind{worker}, scenarios: talk, visits: 3},
		{name: "model.after-record", kinds: []kind{worker}, scenarios: talk, visits: 3},
		{name: "stream.before-commit", kinds: []kind{worker}, scenarios: talk, visits: 6},
		{name: "stream.after-commit", kinds: []kind{worker}, scenarios: talk, visits: 6},

		// It runs the tools that the model asks for.
		{name: "tool.before-reserve", kinds: []kind{worker}, scenarios: talk, visits: 3},
		{name: "tool.after-reserve", kinds: []kind{worker}, scenarios: talk, visits: 3},
		{name: "tool.after-run", kinds: []kind{worker}, scenarios: talk, visits: 3},
		{name: "tool.after-record", kinds: []kind{worker}, scenarios: talk, visits: 3},

		// A write becomes a proposal: made by a turn, or by a program through the API.
		{name: "proposal.before-store", kinds: everywhere, scenarios: append([]string{"program"}, writes...)},
		{name: "proposal.after-store", kinds: everywhere, scenarios: append([]string{"program"}, writes...)},
		{name: "proposal.after-start", kinds: everywhere, scenarios: append([]string{"program"}, writes...)},

		// Deciders are a person at the API, or auto mode in the worker.
		{name: "apply.before-begin", kinds: everywhere, scenarios: append([]string{"auto"}, decided...)},
		{name: "apply.after-begin", kinds: everywhere, scenarios: append([]string{"auto"}, decided...)},
		{name: "apply.after-signal", kinds: everywhere, scenarios: append([]string{"auto"}, decided...)},
		{name: "apply.before-answer", kinds: everywhere, scenarios: append([]string{"auto"}, decided...)},
		{name: "decline.before-row", kinds: []kind{api}, scenarios: []string{"decline"}},
		{name: "decline.after-row", kinds: []kind{api}, scenarios: []string{"decline"}},
		{name: "decline.after-signal", kinds: []kind{api}, scenarios: []string{"decline"}},

		// Several proposals of one answer are decided together, and the plan's workflow carries them out in order.
		{name: "plan.before-begin", kinds: []kind{api}, scenarios: []string{"plan"}},
		{name: "plan.after-begin", kinds: []kind{api}, scenarios: []string{"plan"}},
		{name: "plan.after-start", kinds: []kind{api}, scenarios: []string{"plan"}},
		{name: "plan.before-decline", kinds: []kind{api}, scenarios: []string{"plandecline"}},
		{name: "plan.after-decline", kinds: []kind{api}, scenarios: []string{"plandecline"}},
		{name: "plan.before-decision", kinds: []kind{api}, scenarios: []string{"plan"}},
		{name: "plan.before-next", kinds: []kind{worker}, scenarios: []string{"plan"}, visits: 3},
		{name: "plan.after-next", kinds: []kind{worker}, scenarios: []string{"plan"}, visits: 3},

		// The proposal's workflow looks at the row, carries the change out and records it.
		{name: "settle.before-row", kinds: []kind{worker}, scenarios: []string{"create", "decline", "expire"}, visits: 2},
		{name: "settle.after-row", kinds: []kind{worker}, scenarios: []string{"create", "decline", "expire"}, visits: 2},
		{name: "apply.before-effect", kinds: []kind{worker}, scenarios: decided},
		{name: "apply.after-effect", kinds: []kind{worker}, scenarios: decided},
		{name: "apply.after-record", kinds: []kind{worker}, scenarios: decided},

		// The model acknowledges it in a turn that the browser or the workflow asks for, whichever comes first.
		{name: "chat.before-decision", kinds: []kind{api}, scenarios: []string{"create", "decline"}},
		{name: "followup.before-accept", kinds: []kind{worker}, scenarios: []string{"create", "decline"}},
		{name: "followup.after-accept", kinds: []kind{worker}, scenarios: []string{"create", "decline"}},
		{name: "turn.after-start", kinds: []kind{worker}, scenarios: []string{"create", "decline"}},

		// A script is tested, or a tool of an agent is called: the API stores and starts it, a worker runs it and answers.
		{name: "script.before-start", kinds: []kind{api}, scenarios: []string{"script", "tool"}},
		{name: "script.after-start", kinds: []kind{api}, scenarios: []string{"script", "tool"}},
		{name: "script.before-begin", kinds: []kind{worker}, scenarios: []string{"script", "tool"}},
		{name: "script.after-begin", kinds: []kind{worker}, scenarios: []string{"script", "tool"}},
		{name: "script.after-run", kinds: []kind{worker}, scenarios: []string{"script", "tool"}},
		{name: "script.after-settle", kinds: []kind{worker}, scenarios: []string{"script", "tool"}},

		// A tool of an agent is written: it is compiled, and then stored in one transaction.
		{name: "agent.compiled", kinds: []kind{api}, scenarios: []string{"agent"}, visits: 2},
		{name: "agent.tool-written", kinds: []kind{api}, scenarios: []string{"agent"}, visits: 2},

		// An incident calls people, one step of its policy after another.
		{name: "escalation.before-advance", kinds: []kind{worker}, scenarios: []string{"escalate"}, visits: 3},
		{name: "escalation.after-advance", kinds: []kind{worker}, scenarios: []string{"escalate"}, visits: 3},

		// A worker sends messages.
		{name: "notification.after-claim", kinds: []kind{worker}, scenarios: []string{"escalate"}, visits: 3},
		{name: "notification.after-begin", kinds: []kind{worker}, scenarios: []string{"escalate"}, visits: 3},
		{name: "notification.after-send", kinds: []kind{worker}, scenarios: []string{"escalate"}, visits: 3},
		{name: "notification.after-record", kinds: []kind{worker}, scenarios: []string{"escalate"}, visits: 3},

		// The turn ends.
		{name: "turn.before-finish", kinds: []kind{worker}, scenarios: talk, visits: 2},
		{name: "turn.after-finish", kinds: []kind{worker}, scenarios: talk, visits: 2},

		// The reconciler starts and signals what a dead process did not.
		{name: "reconcile.before-start", kinds: []kind{worker}, scenarios: []string{"read"}, after: "chat.after-accept"},
		{name: "reconcile.before-drive", kinds: []kind{worker}, scenarios: []string{"create"}, after: "apply.after-begin"},
	}
}

// matching are the points whose name fits the pattern.
func matching(pattern string) ([]point, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(points(), func(p point) bool { return !re.MatchString(p.name) }), nil
}
