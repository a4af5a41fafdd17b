import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { answer, api, type Schema } from "./client";
import type { operations } from "./schema";

export type Maintenance = Schema<"MaintenanceMaintenance">;
export type ListedMaintenance = Schema<"MaintenanceListed">;
export type Occurrence = Schema<"MaintenanceOccurrence">;
export type CalendarEntry = Schema<"MaintenanceEntry">;
export type MaintenanceStatus = Maintenance["status"];
export type MaintenanceUpdate = Schema<"NoteNote">;
export type NewMaintenance = Schema<"MaintenanceNewMaintenance">;

export const maintenanceRules = {
  read: "maintenance.maintenance.read",
  manage: "maintenance.maintenance.manage",
} as const;

/** Filter of a list of maintenances; undefined members do not restrict it. */
export type MaintenanceFilter = Pick<
  NonNullable<operations["list-maintenances"]["parameters"]["query"]>,
  "query" | "state" | "systemId"
>;

/** Every query of maintenances starts with this key. */
export const maintenancesKey = ["maintenances"] as const;

export const maintenancesQuery = (filter: MaintenanceFilter) =>
  infiniteQueryOptions({
    queryKey: [...maintenancesKey, "list", filter],
    queryFn: ({ signal, pageParam: cursor }) =>
      answer(api.GET("/api/maintenances", { params: { query: { limit: 50, ...filter, cursor } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });

export const maintenanceQuery = (id: string) =>
  queryOptions({
    queryKey: [...maintenancesKey, "one", id],
    queryFn: ({ signal }) => answer(api.GET("/api/maintenances/{id}", { params: { path: { id } }, signal })),
  });

export const maintenanceUpdatesQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...maintenancesKey, "updates", id],
    queryFn: ({ signal, pageParam: cursor }) =>
      answer(
        api.GET("/api/maintenances/{id}/updates", { params: { path: { id }, query: { limit: 20, cursor } }, signal }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });

/** Occurrences between two instants. */
export const calendarQuery = (from: string, to: string) =>
  queryOptions({
    queryKey: [...maintenancesKey, "calendar", from, to],
    queryFn: ({ signal }) => answer(api.GET("/api/maintenances/calendar", { params: { query: { from, to } }, signal })),
  });
