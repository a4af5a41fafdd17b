import { queryOptions } from "@tanstack/react-query";
import { request } from "./client";
import type { Reference } from "./session";

export interface User {
  id: string;
  email: string;
  name: string;
  disabled: boolean;
  roles: Reference[] | null;
  revision: number;
  createdAt?: string;
}

export interface Role {
  id: string;
  name: string;
  rules: string[];
  builtin: boolean;
  revision: number;
}

export interface AccessRule {
  id: string;
  description: string;
}

export interface Application {
  id: string;
  name: string;
  roles: Reference[] | null;
  createdAt: string;
  lastUsedAt?: string | null;
  revision: number;
}

export interface UserFields {
  email: string;
  name: string;
  password?: string;
  roleIds: string[];
  disabled?: boolean;
}

export interface RoleFields {
  name: string;
  rules: string[];
}

export const usersQuery = queryOptions({
  queryKey: ["users"],
  queryFn: async ({ signal }) => (await request<{ users: User[] }>("GET", "/api/users?limit=500", { signal })).users,
});

export const rolesQuery = queryOptions({
  queryKey: ["roles"],
  queryFn: async ({ signal }) => (await request<{ roles: Role[] }>("GET", "/api/roles", { signal })).roles,
});

export const accessRulesQuery = queryOptions({
  queryKey: ["access-rules"],
  queryFn: async ({ signal }) => (await request<{ rules: AccessRule[] }>("GET", "/api/access-rules", { signal })).rules,
  staleTime: Number.POSITIVE_INFINITY,
});

export const applicationsQuery = queryOptions({
  queryKey: ["applications"],
  queryFn: async ({ signal }) =>
    (await request<{ applications: Application[] }>("GET", "/api/applications", { signal })).applications,
});

export const createUser = (fields: UserFields, idempotencyKey: string) =>
  request<User>("POST", "/api/users", { body: fields, idempotencyKey });

export const updateUser = (user: User, fields: Partial<UserFields>, idempotencyKey: string) =>
  request<User>("PATCH", `/api/users/${user.id}`, { body: fields, revision: user.revision, idempotencyKey });

export const deleteUser = (user: User, idempotencyKey: string) =>
  request<void>("DELETE", `/api/users/${user.id}`, { revision: user.revision, idempotencyKey });

export const createRole = (fields: RoleFields, idempotencyKey: string) =>
  request<Role>("POST", "/api/roles", { body: fields, idempotencyKey });

export const updateRole = (role: Role, fields: Partial<RoleFields>, idempotencyKey: string) =>
  request<Role>("PATCH", `/api/roles/${role.id}`, { body: fields, revision: role.revision, idempotencyKey });

export const deleteRole = (role: Role, idempotencyKey: string) =>
  request<void>("DELETE", `/api/roles/${role.id}`, { revision: role.revision, idempotencyKey });

/** The token is in this one answer only; the server keeps a hash. */
export const createApplication = (fields: { name: string; roleIds: string[] }, idempotencyKey: string) =>
  request<{ application: Application; token: string }>("POST", "/api/applications", { body: fields, idempotencyKey });

/** The old token stops working; the new one is in this one answer only. */
export const replaceToken = (application: Application, idempotencyKey: string) =>
  request<{ application: Application; token: string }>("POST", `/api/applications/${application.id}/token`, {
    body: {},
    revision: application.revision,
    idempotencyKey,
  });

export const deleteApplication = (application: Application, idempotencyKey: string) =>
  request<void>("DELETE", `/api/applications/${application.id}`, { revision: application.revision, idempotencyKey });
