package healthcheck

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/rest"
)

const (
	importPath  = base + "/import"
	previewPath = importPath + "/preview"
	exportPath  = base + "/export"
)

// maxImport bounds the body of an import: the document, escaped as JSON.
const maxImport = 3 << 20

type exportQuery struct {
	Query    string `query:"query" maxLength:"200" doc:"Text to look for in names and descriptions."`
	Strategy string `query:"strategyId" maxLength:"100"`
	SystemID string `query:"systemId" format:"uuid" doc:"Only checks that are assigned to this system."`
	Format   string `query:"format" enum:"json,yaml" default:"json"`
}

type exportOfOne struct {
	rest.ByID
	Format string `query:"format" enum:"json,yaml" default:"json"`
}

// importRoutes declares the export and import of checks.
func (m *Module) importRoutes(api huma.API) {
	s := m.service
	document := rest.Doc(
		"A document of checks with their assignments to systems that the caller may see. Secrets are in it by name alone. " +
			"With format=yaml it is YAML.",
	)
	huma.Register(api, rest.Op("export-checks", http.MethodGet, exportPath, "Export health checks", document,
		rest.Doc("Those that the caller may see, by name, 200 at most: narrow it where there are more.")),
		func(ctx context.Context, in *exportQuery) (*huma.StreamResponse, error) {
			system, err := rest.OptionalID("systemId", in.SystemID)
			if err != nil {
				return nil, err
			}
			d, err := s.Export(ctx, Filter{Query: in.Query, Strategy: in.Strategy, SystemID: system})
			return download(d, "health-checks", in.Format, err)
		})
	huma.Register(api, rest.Op("export-check", http.MethodGet, checksPath+"/{id}/export", "Export a health check", document),
		func(ctx context.Context, in *exportOfOne) (*huma.StreamResponse, error) {
			c, err := s.Check(ctx, in.ID)
			if err != nil {
				return nil, err
			}
			all, err := s.portable(ctx, []Check{c})
			return download(Document{Version: DocumentVersion, Checks: all}, "health-check", in.Format, err)
		})
	preview := rest.Op(
		"preview-import",
		http.MethodPost,
		previewPath,
		"See what an import of health checks would do",
		rest.Rules(Manage),
		rest.SelfIdempotent(),
		rest.Status(http.StatusOK),
		rest.Doc(
			"For each check whether it would be created, updated, left as it is, or refused and why. The document can be a file of "+
				"Gatus, Uptime Kuma, the blackbox exporter with Prometheus, or Checkly, too: the answer has the document to import, what "+
				"changes its meaning and what is left out, by line. Nothing is stored.",
		),
	)
	preview.MaxBodyBytes = maxImport
	huma.Register(api, preview, func(ctx context.Context, in *struct{ Body ImportDraft }) (*rest.Body[ImportPreview], error) {
		return rest.With(s.PreviewImport(ctx, in.Body))
	})
	all := rest.Op(
		"import-checks",
		http.MethodPost,
		importPath,
		"Import health checks",
		rest.Rules(Manage),
		rest.Status(http.StatusOK),
		rest.Doc(
			"Checks are known by their names: those that are there become what the document says, the others are made, and "+
				"those that it does not name stay. "+
				"All of it is done or, when one is refused, nothing. Each needs what creating or changing it would need.",
		),
	)
	all.MaxBodyBytes = maxImport
	huma.Register(api, all, func(ctx context.Context, in *struct{ Body Import }) (*rest.Body[ImportReport], error) {
		return rest.With(s.Import(ctx, in.Body))
	})
}

// download makes a file of a document.
func download(d Document, name, format string, err error) (*huma.StreamResponse, error) {
	if err != nil {
		return nil, err
	}
	content, err := d.As(format)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		kind := "application/json"
		if format == "yaml" {
			kind = "application/yaml"
		}
		ctx.SetHeader("Content-Type", kind)
		ctx.SetHeader("Content-Disposition", `attachment; filename="`+name+"."+format+`"`)
		_, _ = ctx.BodyWriter().Write(content)
	}}, nil
}
