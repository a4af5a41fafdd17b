package api

import (
	"fmt"
	"path"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// schemaNames assigns unique names to the types of the OpenAPI document.
//
// A named type is called after its package and itself: catalog.System is CatalogSystem. An unnamed struct is called
// after its parent: the body of skillList is SkillListBody. On a collision the name of the module that declares the
// operation is prefixed, then a number appended. Modules are declared in a fixed order, so a name changes only when
// types change.
type schemaNames struct {
	module string
	byName map[string]reflect.Type
	given  map[givenName]string
}

// givenName is a type with its name without collisions.
type givenName struct {
	of    reflect.Type
	plain string
}

func newSchemaNames() *schemaNames {
	return &schemaNames{byName: map[string]reflect.Type{}, given: map[givenName]string{}}
}

// declaring sets the module whose operations come next.
func (n *schemaNames) declaring(module any) {
	t := reflect.TypeOf(module)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	n.module = packageName(t)
}

// name implements the namer of a huma registry. Only structs become components.
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

// packageName is the last part of a type's package path, capitalised. A type in a package of generated SQL code is
// called after the package around that, and one in a package of the folder api after that.
func packageName(t reflect.Type) string {
	within, name := path.Split(t.PkgPath())
	if owner := path.Base(within); name == owner+"db" || owner == "api" {
		name = owner
	}
	return strings.ToUpper(name[:1]) + name[1:]
}
