package analysis

import (
	"slices"

	"github.com/microsoft/typescript-go/internal/ast"
)

// localized records the arguments of methods that take a locale elsewhere: the type checker decides whether to report
// them.
func (u *unit) localized() {
	methods := []string{"toLocaleString", "toLocaleDateString", "toLocaleTimeString", "localeCompare"}
	for _, n := range u.visited {
		if n.Kind != ast.KindCallExpression {
			continue
		}
		callee := skip(n.Expression())
		if callee.Kind != ast.KindPropertyAccessExpression && callee.Kind != ast.KindElementAccessExpression {
			continue
		}
		if name := u.member(callee); !name.ok || !slices.Contains(methods, name.text) {
			continue
		}
		for _, argument := range n.Arguments() {
			if len(u.result.Localized) < most {
				u.result.Localized = append(u.result.Localized, u.span(argument))
			}
		}
	}
}
