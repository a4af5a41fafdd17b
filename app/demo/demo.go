// Package demo is a small fictitious company: its systems, their checks, and their behaviour from minute to minute. The
// servers' answers and the three weeks of history follow the same rules, so that a new user sees a product that has
// been in use.
package demo

// The company sells and ships goods. A system has endpoints with their own behaviour.
type system struct {
	name, description string
	tags              []string
	group             string
	// environments it runs in.
	environments []string
	// path is the template path after the base URL of an environment.
	path string
}

// Names of environments.
const (
	production = "Production"
	staging    = "Staging"
)

func systems() []system {
	both := []string{production, staging}
	live := []string{production}
	return []system{
		{"Storefront", "The shop that customers see.", []string{"customer-facing", "web"}, "Shop", both, "/storefront"},
		{"Checkout", "Basket, delivery and payment steps of an order.", []string{"customer-facing", "tier-1"}, "Shop", both, "/checkout"},
		{"Search", "Product search and suggestions.", []string{"customer-facing"}, "Shop", both, "/search"},
		{"Product Images", "Pictures of products, in all sizes.", []string{"customer-facing", "cdn"}, "Shop", live, "/images"},
		{"Payments", "Talks to the card processors.", []string{"tier-1", "pci"}, "Money", both, "/payments"},
		{"Invoicing", "Writes invoices and credit notes.", []string{"finance"}, "Money", live, "/invoicing"},
		{"Inventory", "What lies where, and how many of it.", []string{"tier-1"}, "Warehouse", both, "/inventory"},
		{"Label Printer Gateway", "Prints parcel labels at the packing stations.", []string{"warehouse"}, "Warehouse", live, "/labels"},
		{"Carrier Tracking", "Fetches where parcels are from the carriers.", []string{"third-party"}, "Warehouse", live, "/tracking"},
		{"Customer Accounts", "Sign-in, addresses and order history of customers.", []string{"tier-1", "privacy"}, "Shop", both, "/accounts"},
		{"Mail Relay", "Sends order confirmations and password mails.", []string{"mail"}, "Office", live, "/mail"},
		{"Reporting", "Nightly figures for everybody.", []string{"internal"}, "Office", live, "/reporting"},
		{"Staff Wiki", "How things are done here.", []string{"internal"}, "Office", live, "/wiki"},
	}
}

// team runs the systems of a group. Its phone numbers and addresses are fictitious.
type team struct {
	group, name, phone, chat, runbooks string
}

func teams() []team {
	return []team{
		{"Shop", "Shop team", "+1 555 010 0101", "https://chat.example.org/shop", "https://wiki.example.org/runbooks/shop"},
		{"Money", "Payments team", "+1 555 010 0102", "https://chat.example.org/payments", "https://wiki.example.org/runbooks/payments"},
		{"Warehouse", "Warehouse team", "+1 555 010 0103", "https://chat.example.org/warehouse", "https://wiki.example.org/runbooks/warehouse"},
		{"Office", "Office IT", "+1 555 010 0104", "https://chat.example.org/office-it", "https://wiki.example.org/runbooks/office"},
	}
}

func teamOf(s system) team {
	for _, t := range teams() {
		if t.group == s.group {
			return t
		}
	}
	return team{}
}

// temper are the parameters of an endpoint's behaviour.
type temper struct {
	// base is the median response time in milliseconds, spread the sigma of its lognormal distribution, busy the
	// slowdown factor of the busiest hour.
	base, spread, busy float64
	// errorRate is the share of requests that fail at random.
	errorRate float64
	// outages and slowdowns are the expected numbers per week.
	outages, slowdowns float64
}

// temperOf returns the parameters of an endpoint by its system's path; staging has worse ones.
func temperOf(environment, path string) temper {
	t, ok := map[string]temper{
		"/storefront": {38, .25, 1.6, .0004, .10, .4},
		"/checkout":   {62, .30, 1.8, .0010, .30, .9},
		"/search":     {24, .45, 1.5, .0006, .15, 1.1},
		"/images":     {11, .30, 1.2, .0002, .05, .1},
		"/payments":   {145, .35, 1.3, .0020, .55, .8},
		"/invoicing":  {80, .20, 1.1, .0003, .10, .2},
		"/inventory":  {31, .25, 1.4, .0005, .20, .5},
		"/labels":     {52, .50, 1.2, .0030, .90, .6},
		"/tracking":   {210, .60, 1.2, .0060, 1.4, 2.0},
		"/accounts":   {29, .22, 1.4, .0003, .08, .3},
		"/mail":       {18, .20, 1.1, .0004, .15, .2},
		"/reporting":  {95, .40, 1.0, .0005, .10, .3},
		"/wiki":       {45, .30, 1.2, .0005, .12, .2},
	}[path]
	if !ok {
		t = temper{30, .3, 1.2, .0005, .1, .2}
	}
	if environment == staging {
		t.base *= 1.3
		t.errorRate *= 3
		t.outages = t.outages*2 + .6
	}
	return t
}
