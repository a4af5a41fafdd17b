package automation

import (
	"context"
	"strings"

	"countersign/tool"
	"countersign/tool/capability"
)

// capabilities are what automations can be made of.
func (s *service) capabilities(context.Context, tool.Caller) ([]capability.Entry, error) {
	var list []capability.Entry
	for _, t := range s.Types().Types() {
		list = append(list, capability.Entry{
			ID: t.ID, Name: t.Name, Description: t.Description, Role: "trigger", Category: "event", ConfigSchema: t.Schema,
		})
	}
	for id, e := range builtIn() {
		list = append(list, capability.Entry{
			ID: id, Name: strings.TrimPrefix(id, "automation."), Role: "trigger", Category: "built in", ConfigSchema: e.Config,
			Description: "A built-in trigger; its members go into config.",
		})
	}
	artifacts := map[string]bool{}
	for _, a := range s.Actions() {
		list = append(list, capability.Entry{
			ID: a.ID, Name: a.Name, Description: a.Description, Role: "action", Category: a.Category, ConfigSchema: a.Config,
		})
		for _, of := range a.Produces {
			if !artifacts[of.ID] {
				artifacts[of.ID] = true
				list = append(list, capability.Entry{
					ID: of.ID, Name: of.Name, Description: of.Description, Role: "artifact-type", ConfigSchema: of.Schema,
				})
			}
		}
	}
	return list, nil
}
