package healthcheck

import (
	"context"
	"net/http"
	"strconv"

	"countersign/tool"
	"countersign/tool/kit"
)

type validateConfigurationInput struct {
	Configuration Definition `json:"configuration" jsonschema:"description=The whole check; as healthcheck_propose takes it."`
}

func validateConfigurationTool() tool.Tool {
	d := kit.Define(texts, "healthcheck.validateConfiguration", tool.Read, Manage)
	return kit.NewRead(d, func(ctx context.Context, c tool.Caller, in validateConfigurationInput) (out Verdict, err error) {
		var v validation
		for i, kept := range in.Configuration.Kept {
			v.named("configuration.keptFields["+strconv.Itoa(i)+"]", kept, 2*maxID)
		}
		for i, name := range in.Configuration.Locations {
			v.named("configuration.locations["+strconv.Itoa(i)+"]", name, maxLocationName)
		}
		if err := v.Err(); err != nil {
			return out, err
		}
		_, err = c.Client.Do(ctx, http.MethodPost, validatePath, in.Configuration, &out)
		return out, err
	})
}
