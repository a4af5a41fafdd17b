package api

import (
	"fmt"
	"path"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// schemaNames names the types of the OpenAPI document, so that no two have one name.
//
// A named type is called after its package and itself: catalog.System is CatalogSystem. A struct without a name is
// called after the struct around it: the body of skillList is SkillListBody. Where another type has that name already,
// the module whose operations are being declared comes before it, and after that a number. Modules are declared in a
// fixed order, so a name changes only when types change.
type schemaNames struct {
	module string
	byName map[string]reflect.Type
	given  map[givenName]string
}

// givenName is a type, and what it would be called if it were alone.
type givenName struct {
	of    reflect.Type
	plain string
}

func newSchemaNames() *schemaNames {
	return &schemaNames{byName: map[string]reflect.Type{}, given: map[givenName]string{}}
}

// declaring says whose operations come next.
func (n *schemaNames) declaring(module any) {
	t := reflect.TypeOf(module)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	n.module = packageName(t)
}

// name implements the namer of a huma registry. Only structs become components; other types are named in passing.
func (n *schemaNames) name(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	plain := huma.DefaultSchemaNamer(t, hint)
	if t.Kind() != reflect.Struct {
		return plain
	}
	if t.Name() != "" {
		plain = packageName(t) + plain
	}
	key := givenName{t, plain}
	if name, ok := n.given[key]; ok {
		return name
	}
	name := plain
	for i := 1; n.byName[name] != nil && n.byName[name] != t; i++ {
		name = n.module + plain
		if i > 1 {
			name = fmt.Sprintf("%s%d", name, i)
		}
	}
	n.byName[name], n.given[key] = t, name
	return name
}

// packageName is the last part of a type's package path, with a capital letter. A type that lies with the SQL of a package, because
// a column has it, is called after that package.
func packageName(t reflect.Type) string {
	within, name := path.Split(t.PkgPath())
	if owner := path.Base(within); name == owner+"db" {
		name = owner
	}
	return strings.ToUpper(name[:1]) + name[1:]
}
