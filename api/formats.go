package api

import (
	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/text/strictjson"
)

// jsonFormats are huma's formats, with a JSON parser that refuses ambiguous bodies.
func jsonFormats() map[string]huma.Format {
	format := huma.DefaultJSONFormat
	format.Unmarshal = strictjson.Unmarshal
	return map[string]huma.Format{"application/json": format, "json": format}
}
