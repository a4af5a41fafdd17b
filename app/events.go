package app

import (
	"countersign/app/config"
	"countersign/check/history"
	"countersign/event"
)

// events are the outbox and its readers.
type events struct {
	types    *event.Registry
	outbox   *event.Outbox
	notifier *event.Notifier
	log      *event.Log
	operator *event.Operator
	pruner   *event.Pruner
}

// buildEvents constructs the event log and the history of checks.
func (a *App) buildEvents(p *parts) error {
	types, err := event.NewRegistry()
	if err != nil {
		return err
	}
	notifier := event.NewNotifier()
	p.events = events{
		types:    types,
		outbox:   event.NewOutbox(a.db, types),
		notifier: notifier,
		log:      event.NewLog(a.db, types, notifier),
		operator: event.NewOperator(a.db),
		pruner: event.NewPruner(a.db, a.log, func() []string {
			names := []string{}
			for _, c := range p.list.Consumers() {
				names = append(names, c.Name)
			}
			return names
		}),
	}
	p.history = history.NewReader(a.db, history.ReaderOptions{})
	p.keeper = history.NewKeeper(a.db, a.log, history.KeeperOptions{})
	return nil
}

// buildConsumers constructs the runner of event consumers.
func (a *App) buildConsumers(p *parts) error {
	if !a.works(config.QueueTurns) {
		return nil
	}
	var err error
	a.consumers, err = event.NewRunner(event.Options{
		DB: a.db, Log: a.log, Registry: p.events.types, Notifier: p.events.notifier, Consumers: p.list.Consumers(),
		Starter: p.engine.Dispatcher(p.list.Workflows()...),
	})
	return err
}
