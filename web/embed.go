// Package web carries the built browser application inside the binary.
//
// The application is a React program under web/src. `npm run build` writes it
// to web/dist, and this package embeds that folder. A checkout that has not
// been built yet embeds an empty folder: the server then answers with a page
// that says how to build it.
package web

import (
	"embed"
	"fmt"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Dist returns the built application: index.html at its root, and beside it sign-in.html for those who have no session. Files
// under assets/ carry a content hash in their name and never change; all others must be revalidated. Before the first build it
// holds only .gitkeep.
func Dist() fs.FS {
	built, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(fmt.Sprintf("web: embedded folder dist: %v", err))
	}
	return built
}
