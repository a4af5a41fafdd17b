package healthcheck

import (
	"context"

	"countersign/tool"
	"countersign/tool/kit"
)

type listLocationsInput struct{}

func listLocationsTool() tool.Tool {
	d := kit.Define(texts, "healthcheck.listLocations", tool.Read, StatusRead)
	return kit.NewRead(d, func(ctx context.Context, c tool.Caller, _ listLocationsInput) (locationList, error) {
		list, _, err := kit.Page[Location](ctx, c, locationsPath, "locations", nil)
		return locationList{list}, err
	})
}
