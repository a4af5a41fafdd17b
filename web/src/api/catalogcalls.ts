import { answer, api, of, once, type Schema } from "./client";
import type { Environment, Group, NewContact, System, SystemFields } from "./catalog";

// Changes of the catalog stand apart from the queries, which area.ts brings into the first load.

export const createSystem = (body: SystemFields, key: string) =>
  answer(api.POST("/api/catalog/systems", { params: { header: once(key) }, body }));

export const updateSystem = (system: System, body: Schema<"CatalogSystemChange">, key: string) =>
  answer(api.PATCH("/api/catalog/systems/{id}", { params: of(system, key), body }));

export const deleteSystem = (system: System, key: string) =>
  answer(api.DELETE("/api/catalog/systems/{id}", { params: of(system, key) }));

export const addContact = (id: string, body: NewContact, key: string) =>
  answer(api.POST("/api/catalog/systems/{id}/contacts", { params: { path: { id }, header: once(key) }, body }));

export const removeContact = (id: string, contactId: string, key: string) =>
  answer(
    api.DELETE("/api/catalog/systems/{id}/contacts/{contactId}", {
      params: { path: { id, contactId }, header: once(key) },
    }),
  );

export const addLink = (id: string, body: Schema<"CatalogNewLink">, key: string) =>
  answer(api.POST("/api/catalog/systems/{id}/links", { params: { path: { id }, header: once(key) }, body }));

export const removeLink = (id: string, linkId: string, key: string) =>
  answer(
    api.DELETE("/api/catalog/systems/{id}/links/{linkId}", { params: { path: { id, linkId }, header: once(key) } }),
  );

export const setEnvironments = (system: System, environmentIds: string[], key: string) =>
  answer(api.PUT("/api/catalog/systems/{id}/environments", { params: of(system, key), body: { environmentIds } }));

export const setOwner = (system: System, teamId: string | null, key: string) =>
  answer(api.PUT("/api/catalog/systems/{id}/owner", { params: of(system, key), body: { teamId } }));

export const createGroup = (body: Schema<"CatalogNewGroup">, key: string) =>
  answer(api.POST("/api/catalog/groups", { params: { header: once(key) }, body }));

export const updateGroup = (group: Group, body: Schema<"CatalogGroupChange">, key: string) =>
  answer(api.PATCH("/api/catalog/groups/{id}", { params: of(group, key), body }));

export const deleteGroup = (group: Group, key: string) =>
  answer(api.DELETE("/api/catalog/groups/{id}", { params: of(group, key) }));

export const addGroupMember = (id: string, systemId: string, key: string) =>
  answer(
    api.PUT("/api/catalog/groups/{id}/systems/{systemId}", { params: { path: { id, systemId }, header: once(key) } }),
  );

export const removeGroupMember = (id: string, systemId: string, key: string) =>
  answer(
    api.DELETE("/api/catalog/groups/{id}/systems/{systemId}", {
      params: { path: { id, systemId }, header: once(key) },
    }),
  );

export const createEnvironment = (body: Schema<"CatalogNewEnvironment">, key: string) =>
  answer(api.POST("/api/catalog/environments", { params: { header: once(key) }, body }));

export const updateEnvironment = (environment: Environment, body: Schema<"CatalogEnvironmentChange">, key: string) =>
  answer(api.PATCH("/api/catalog/environments/{id}", { params: of(environment, key), body }));

export const deleteEnvironment = (environment: Environment, key: string) =>
  answer(api.DELETE("/api/catalog/environments/{id}", { params: of(environment, key) }));
