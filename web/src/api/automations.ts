import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { answer, api, type Schema } from "./client";
import type { operations } from "./schema";

export type Automation = Schema<"AutomationAutomation">;
export type ListedAutomation = Schema<"AutomationListed">;
export type AutomationRevision = Schema<"AutomationRevision">;
export type AutomationRun = Schema<"AutomationRun">;
export type AutomationStep = Schema<"AutomationRunStep">;
export type RunStatus = AutomationRun["status"];
export type StepStatus = AutomationStep["status"];
export type DefinitionIssue = Schema<"DefinitionIssue">;

export const automationRules = {
  read: "automation.automation.read",
  manage: "automation.automation.manage",
} as const;

/** Filter of a list of automations; undefined members do not restrict it. */
export type AutomationFilter = Pick<
  NonNullable<operations["list-automations"]["parameters"]["query"]>,
  "query" | "status" | "group"
>;

/** Queries of automations and of their revisions start with this key, and those of runs with the other. */
export const automationsKey = ["automations"] as const;
export const automationRunsKey = ["automation-runs"] as const;

export const automationsQuery = (filter: AutomationFilter) =>
  infiniteQueryOptions({
    queryKey: [...automationsKey, "list", filter],
    queryFn: ({ signal, pageParam: cursor }) =>
      answer(api.GET("/api/automations", { params: { query: { limit: 50, ...filter, cursor } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });

export const automationQuery = (id: string) =>
  queryOptions({
    queryKey: [...automationsKey, "one", id],
    queryFn: ({ signal }) => answer(api.GET("/api/automations/{id}", { params: { path: { id } }, signal })),
  });

export const automationRevisionsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...automationsKey, "revisions", id],
    queryFn: ({ signal, pageParam: cursor }) =>
      answer(
        api.GET("/api/automations/{id}/revisions", {
          params: { path: { id }, query: { limit: 10, cursor } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });

export const automationRunsQuery = (automationId: string, status?: RunStatus) =>
  infiniteQueryOptions({
    queryKey: [...automationRunsKey, "list", automationId, status],
    queryFn: ({ signal, pageParam: cursor }) =>
      answer(
        api.GET("/api/automation-runs", { params: { query: { limit: 20, automationId, status, cursor } }, signal }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });

export const automationRunQuery = (id: string) =>
  queryOptions({
    queryKey: [...automationRunsKey, "one", id],
    queryFn: ({ signal }) => answer(api.GET("/api/automation-runs/{id}", { params: { path: { id } }, signal })),
  });

export const automationStepsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...automationRunsKey, "steps", id],
    queryFn: ({ signal, pageParam: cursor }) =>
      answer(
        api.GET("/api/automation-runs/{id}/steps", {
          params: { path: { id }, query: { limit: 100, cursor } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });
