import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { request } from "./client";
import type { Reference } from "./session";

/** What the reader may do with a record; each level includes those before it. */
export type Access = "viewer" | "editor" | "owner";

export interface Contact {
  id: string;
  label?: string | null;
  type: "user" | "mailbox";
  userId?: string | null;
  userName?: string | null;
  userEmail?: string | null;
  email?: string | null;
}

export interface Link {
  id: string;
  label?: string | null;
  url: string;
}

export interface System {
  id: string;
  name: string;
  description: string;
  metadata: Record<string, unknown> | null;
  tags: string[] | null;
  owners: { teamId: string; teamName: string }[] | null;
  groups: Reference[] | null;
  environments: Reference[] | null;
  contacts: Contact[] | null;
  links: Link[] | null;
  access: Access;
  revision: number;
  createdAt: string;
  updatedAt: string;
}

export interface Group {
  id: string;
  name: string;
  description: string;
  systemIds: string[] | null;
  access: Access;
  revision: number;
}

export interface Environment {
  id: string;
  name: string;
  description: string;
  fields: Record<string, unknown> | null;
  access: Access;
  revision: number;
}

export interface SystemFields {
  name: string;
  description: string;
  tags: string[];
  metadata: Record<string, unknown>;
  ownerTeamId?: string;
}

export interface NamedFields {
  name: string;
  description: string;
  /** Only environments have free fields. */
  fields?: Record<string, unknown> | null;
}

export type NewContact = { label: string } & ({ type: "user"; userId: string } | { type: "mailbox"; email: string });

/** Every catalog query starts with this key: names appear on each other's pages. */
export const catalogKey = ["catalog"] as const;

interface SystemsPage {
  systems: System[];
  nextCursor?: string;
}

const pageSize = 100;
/** The most that the server lists at once. */
const wholeList = 500;

export const systemsQuery = (query: string) =>
  infiniteQueryOptions({
    queryKey: [...catalogKey, "systems", query],
    queryFn: ({ signal, pageParam }) => {
      const filter = new URLSearchParams({ limit: String(pageSize) });
      if (query) filter.set("query", query);
      if (pageParam) filter.set("cursor", pageParam);
      return request<SystemsPage>("GET", `/api/catalog/systems?${filter}`, { signal });
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
  });

export const systemNamesQuery = queryOptions({
  queryKey: [...catalogKey, "system-names"],
  queryFn: async ({ signal }) => {
    const page = await request<SystemsPage>("GET", `/api/catalog/systems?limit=${wholeList}`, { signal });
    return new Map(page.systems.map((system) => [system.id, system.name]));
  },
});

export const systemQuery = (id: string) =>
  queryOptions({
    queryKey: [...catalogKey, "system", id],
    queryFn: ({ signal }) => request<System>("GET", `/api/catalog/systems/${id}`, { signal }),
  });

export const groupsQuery = queryOptions({
  queryKey: [...catalogKey, "groups"],
  queryFn: async ({ signal }) =>
    (await request<{ groups: Group[] }>("GET", `/api/catalog/groups?limit=${wholeList}`, { signal })).groups,
});

export const environmentsQuery = queryOptions({
  queryKey: [...catalogKey, "environments"],
  queryFn: async ({ signal }) =>
    (await request<{ environments: Environment[] }>("GET", `/api/catalog/environments?limit=${wholeList}`, { signal }))
      .environments,
});

export const createSystem = (fields: SystemFields, idempotencyKey: string) =>
  request<System>("POST", "/api/catalog/systems", { body: fields, idempotencyKey });

export const updateSystem = (system: System, fields: Partial<SystemFields>, idempotencyKey: string) =>
  request<System>("PATCH", `/api/catalog/systems/${system.id}`, {
    body: fields,
    revision: system.revision,
    idempotencyKey,
  });

export const deleteSystem = (system: System, idempotencyKey: string) =>
  request<void>("DELETE", `/api/catalog/systems/${system.id}`, { revision: system.revision, idempotencyKey });

export const addContact = (systemId: string, contact: NewContact, idempotencyKey: string) =>
  request<unknown>("POST", `/api/catalog/systems/${systemId}/contacts`, { body: contact, idempotencyKey });

export const removeContact = (systemId: string, contactId: string, idempotencyKey: string) =>
  request<void>("DELETE", `/api/catalog/systems/${systemId}/contacts/${contactId}`, { idempotencyKey });

export const addLink = (systemId: string, link: { label: string; url: string }, idempotencyKey: string) =>
  request<unknown>("POST", `/api/catalog/systems/${systemId}/links`, { body: link, idempotencyKey });

export const removeLink = (systemId: string, linkId: string, idempotencyKey: string) =>
  request<void>("DELETE", `/api/catalog/systems/${systemId}/links/${linkId}`, { idempotencyKey });

export const setEnvironments = (system: System, environmentIds: string[], idempotencyKey: string) =>
  request<System>("PUT", `/api/catalog/systems/${system.id}/environments`, {
    body: { environmentIds },
    revision: system.revision,
    idempotencyKey,
  });

export const setOwner = (system: System, teamId: string | null, idempotencyKey: string) =>
  request<System>("PUT", `/api/catalog/systems/${system.id}/owner`, {
    body: { teamId },
    revision: system.revision,
    idempotencyKey,
  });

export const createGroup = (fields: NamedFields, idempotencyKey: string) =>
  request<Group>("POST", "/api/catalog/groups", { body: fields, idempotencyKey });

export const updateGroup = (group: Group, fields: Partial<NamedFields>, idempotencyKey: string) =>
  request<Group>("PATCH", `/api/catalog/groups/${group.id}`, {
    body: fields,
    revision: group.revision,
    idempotencyKey,
  });

export const deleteGroup = (group: Group, idempotencyKey: string) =>
  request<void>("DELETE", `/api/catalog/groups/${group.id}`, { revision: group.revision, idempotencyKey });

export const addGroupMember = (groupId: string, systemId: string, idempotencyKey: string) =>
  request<unknown>("PUT", `/api/catalog/groups/${groupId}/systems/${systemId}`, { idempotencyKey });

export const removeGroupMember = (groupId: string, systemId: string, idempotencyKey: string) =>
  request<void>("DELETE", `/api/catalog/groups/${groupId}/systems/${systemId}`, { idempotencyKey });

export const createEnvironment = (fields: NamedFields, idempotencyKey: string) =>
  request<Environment>("POST", "/api/catalog/environments", { body: fields, idempotencyKey });

export const updateEnvironment = (environment: Environment, fields: Partial<NamedFields>, idempotencyKey: string) =>
  request<Environment>("PATCH", `/api/catalog/environments/${environment.id}`, {
    body: fields,
    revision: environment.revision,
    idempotencyKey,
  });

export const deleteEnvironment = (environment: Environment, idempotencyKey: string) =>
  request<void>("DELETE", `/api/catalog/environments/${environment.id}`, {
    revision: environment.revision,
    idempotencyKey,
  });
