package catalog

import "github.com/danielgtaylor/huma/v2"

// Routes declares the REST operations of the catalog. Which records a caller sees and may change is decided by the
// service, as grants on single records add to the rules of roles.
func (m *Module) Routes(api huma.API) {
	m.systemRoutes(api)
	m.partRoutes(api)
	m.groupRoutes(api)
	m.environmentRoutes(api)
}
