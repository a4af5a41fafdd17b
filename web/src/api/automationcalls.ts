import type { Automation, AutomationRun, ListedAutomation } from "./automations";
import { answer, api, of, once, type Schema } from "./client";

// Changes of automations stand apart from the queries, which area.ts brings into the first load.

export const validateAutomation = (body: Schema<"AutomationDraft">) =>
  answer(api.POST("/api/automations/validate", { body }));

export const createAutomation = (body: Schema<"AutomationNewAutomation">, key: string) =>
  answer(api.POST("/api/automations", { params: { header: once(key) }, body }));

export const updateAutomation = (automation: ListedAutomation, body: Schema<"AutomationChange">, key: string) =>
  answer(api.PATCH("/api/automations/{id}", { params: of(automation, key), body }));

export const deleteAutomation = (automation: ListedAutomation, key: string) =>
  answer(api.DELETE("/api/automations/{id}", { params: of(automation, key) }));

export const rollBackAutomation = (automation: Automation, revision: number, key: string) =>
  answer(api.POST("/api/automations/{id}/rollback", { params: of(automation, key), body: { revision } }));

export const runAutomation = (automation: Automation, body: Schema<"AutomationNewRun">, key: string) =>
  answer(api.POST("/api/automations/{id}/run", { params: of(automation, key), body }));

const ofRun = ({ id }: AutomationRun, key: string) => ({ path: { id }, header: once(key) });

export const cancelAutomationRun = (run: AutomationRun, key: string) =>
  answer(api.POST("/api/automation-runs/{id}/cancel", { params: ofRun(run, key) }));

export const runAutomationAgain = (run: AutomationRun, key: string) =>
  answer(api.POST("/api/automation-runs/{id}/again", { params: ofRun(run, key) }));
