import { answer, api, of, once, type Schema } from "./client";
import type { ListedMaintenance, Maintenance, NewMaintenance } from "./maintenances";

// Changes of maintenances stand apart from the queries, which area.ts brings into the first load.

export const createMaintenance = (body: NewMaintenance, key: string) =>
  answer(api.POST("/api/maintenances", { params: { header: once(key) }, body }));

export const updateMaintenance = (maintenance: Maintenance, body: Schema<"MaintenanceChange">, key: string) =>
  answer(api.PATCH("/api/maintenances/{id}", { params: of(maintenance, key), body }));

export const deleteMaintenance = (maintenance: ListedMaintenance, key: string) =>
  answer(api.DELETE("/api/maintenances/{id}", { params: of(maintenance, key) }));

export const closeMaintenance = (maintenance: ListedMaintenance, body: Schema<"MaintenanceClosing">, key: string) =>
  answer(api.POST("/api/maintenances/{id}/close", { params: of(maintenance, key), body }));

export const addMaintenanceUpdate = (id: string, body: Schema<"MaintenanceNewUpdate">, key: string) =>
  answer(api.POST("/api/maintenances/{id}/updates", { params: { path: { id }, header: once(key) }, body }));

export const makeFeed = (key: string) => answer(api.POST("/api/maintenances/feed", { params: { header: once(key) } }));
