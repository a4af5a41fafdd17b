package definition

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"countersign/internal/calendar"
	"countersign/internal/text/search"
)

var triggerMembers = []string{"id", "event", "filter", "config", "for", "window", "catchUp", "enabled"}

func (c *compiler) triggers(o *object, d *Definition) {
	n := o.members["triggers"]
	if n == nil || n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		c.places["triggers"] = n
		c.add("triggers", "The automation needs a trigger at least; automation.manual lets people start it.")
		return
	}
	seen := map[string]bool{}
	c.list(n, "triggers", func(n *yaml.Node, path string) {
		t := c.trigger(n, path)
		if t.ID != "" && seen[t.ID] {
			c.add(join(path, "id"), "The id %s stands at two triggers.", t.ID)
		}
		seen[t.ID] = true
		d.Triggers = append(d.Triggers, t)
	})
	for i := range d.Triggers {
		for k := i + 1; d.Triggers[i].ID == ""; k++ {
			if id := fmt.Sprintf("t%d", k); !seen[id] {
				d.Triggers[i].ID = id
				seen[id] = true
			}
		}
	}
	if len(d.Triggers) > MaxTriggers {
		c.add("triggers", "At most %d triggers are possible; these are %d.", MaxTriggers, len(d.Triggers))
	}
}

func (c *compiler) trigger(n *yaml.Node, path string) Trigger {
	t := Trigger{Enabled: true, CatchUp: CatchNone}
	o := c.object(n, path, triggerMembers...)
	if o == nil {
		return t
	}
	if t.ID = o.text("id", 0); t.ID != "" && !slug.MatchString(t.ID) {
		c.add(join(path, "id"), "An id has 1 to 64 small letters, digits, hyphens and underscores, and begins with a letter or digit.")
	}
	t.Enabled = o.bool("enabled", true)
	t.Event = o.text("event", 200)
	if o.members["event"] == nil {
		c.add(join(path, "event"), "A trigger needs an event, such as incident.created or automation.cron.")
	}
	t.Filter = o.expression(c, "filter")
	t.For = o.duration("for", 0, Duration(MaxWait), 0)
	if w := o.members["window"]; w != nil {
		t.Window = c.window(w, join(path, "window"))
	}
	t.CatchUp = oneOf(o, "catchUp", CatchNone, CatchNone, CatchLast, CatchAll)
	scheduled := t.Event == TriggerCron || t.Event == TriggerInterval
	if t.CatchUp != CatchNone && !scheduled {
		c.add(join(path, "catchUp"), "catchUp is for schedules, which are automation.cron and automation.interval.")
	}
	config := map[string]any{}
	if m := o.members["config"]; m != nil {
		if c.object(m, join(path, "config")) != nil {
			config, _ = c.json(m, join(path, "config")).(map[string]any)
		}
	}
	c.triggerConfig(&t, o, path, config)
	return t
}

// triggerConfig checks the event with its config.
func (c *compiler) triggerConfig(t *Trigger, o *object, path string, config map[string]any) {
	at := join(path, "config")
	e, known := c.catalog.Events[t.Event]
	if !known && t.Event != "" {
		c.unknownEvent(join(path, "event"), t.Event)
		return
	}
	if t.For > 0 && known && len(e.Opposites) == 0 {
		c.add(join(path, "for"), "%s announces no state that could last, so `for` has no meaning here.", t.Event)
	}
	if o.members["config"] == nil && known && e.Config != nil {
		c.places[at] = o.node
	}
	switch {
	case !known:
	case e.Config == nil && len(config) > 0:
		c.add(at, "%s has no config; write a filter to choose among its events.", t.Event)
	case e.Config != nil:
		before := len(c.issues)
		c.fits(e.Config, config, at, nil)
		if t.Event == TriggerCron {
			c.cron(config, at)
		}
		if t.Event == TriggerNumeric && len(c.issues) == before {
			var n NumericConfig
			if json.Unmarshal(raw(config), &n) == nil {
				c.bounds(at, n.Above, n.Below)
			}
		}
		t.Config = raw(config)
	}
}

func (c *compiler) unknownEvent(path, name string) {
	i := c.add(path, "There is no event %q.", clip(name))
	names := slices.Sorted(maps.Keys(c.catalog.Events))
	if i.Nearest = search.Nearest(name, names); i.Nearest != "" {
		i.Message += " Did you mean " + i.Nearest + "?"
	}
}

// cron checks a schedule, and stores the default time zone where the author gave none.
func (c *compiler) cron(config map[string]any, at string) {
	zone, _ := config["timezone"].(string)
	path := join(at, "timezone")
	if zone == "" {
		if c.catalog.DefaultZone == "" {
			c.add(path, "A schedule needs a timezone, such as Europe/Berlin.")
			return
		}
		zone = c.catalog.DefaultZone
		config["timezone"] = zone
	}
	location, err := calendar.Zone(zone)
	if err != nil {
		c.add(path, "The time zone %s.", calendar.Issue(path, err).Message)
		return
	}
	pattern, ok := config["cronPattern"].(string)
	if !ok {
		return // The schema says so.
	}
	if _, err := calendar.ParseCron(pattern, location); err != nil {
		path = join(at, "cronPattern")
		c.add(path, "The schedule %s.", calendar.Issue(path, err).Message)
	}
}

// zone reads a time zone, which the installation may have a default of.
func (c *compiler) zone(o *object, name string) string {
	path := join(o.path, name)
	text := o.text(name, 64)
	if text == "" {
		if o.members[name] != nil && c.failed(path) {
			return ""
		}
		if c.catalog.DefaultZone == "" {
			c.add(path, "A time of day needs a timezone, such as Europe/Berlin.")
		}
		return c.catalog.DefaultZone
	}
	if _, err := calendar.Zone(text); err != nil {
		c.add(path, "The time zone %s.", calendar.Issue(path, err).Message)
	}
	return text
}
