// Package workercomponent adds nothing to the system workers of a namespace.
package workercomponent

import "go.uber.org/fx"

// Module is empty.
var Module = fx.Options()
