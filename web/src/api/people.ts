import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { answer, api, of, once, seen, type Schema } from "./client";

export type User = Schema<"AuthUser">;
export type Role = Schema<"AuthListedRole">;
export type AccessRule = Schema<"PrincipalRule">;
export type Application = Schema<"AuthApplication">;
/** Values of a user's form. A new user needs a password, and is not disabled. */
export type UserFields = Required<Pick<Schema<"AuthUserChange">, "email" | "name" | "roleIds">> &
  Pick<Schema<"AuthUserChange">, "password" | "disabled" | "mustChangePassword">;
export type RoleFields = Schema<"AuthNewRole">;

export const usersKey = ["users"] as const;

/** The most that the server lists at once. */
const most = 500;

/** The first people by name, for a field that one is chosen in; where there are more, the answer has a cursor. */
export const usersQuery = queryOptions({
  queryKey: [...usersKey, "first"],
  queryFn: ({ signal }) => answer(api.GET("/api/users", { params: { query: { limit: most } }, signal })),
});

/** Those whom the server finds by parts of their name or address. */
export const searchedUsersQuery = (search: string) =>
  queryOptions({
    queryKey: [...usersKey, "searched", search],
    queryFn: ({ signal }) => answer(api.GET("/api/users", { params: { query: { search, limit: most } }, signal })),
  });

export type UserStatus = User["status"];
export interface UserFilter {
  search?: string;
  status?: UserStatus;
  role?: string;
}

/** The people that a filter leaves, by name and a page at a time. */
export const foundUsersQuery = ({ search, status, role: roleId }: UserFilter) =>
  infiniteQueryOptions({
    queryKey: [...usersKey, "found", { search, status, roleId }],
    queryFn: ({ signal, pageParam: cursor }) =>
      answer(api.GET("/api/users", { params: { query: { search, status, roleId, cursor, limit: 50 } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });

export const rolesQuery = queryOptions({
  queryKey: ["roles"],
  queryFn: async ({ signal }) => (await answer(api.GET("/api/roles", { signal }))).roles,
});

export const accessRulesQuery = queryOptions({
  queryKey: ["access-rules"],
  queryFn: async ({ signal }) => (await answer(api.GET("/api/access-rules", { signal }))).rules,
  staleTime: Number.POSITIVE_INFINITY,
});

export const applicationsQuery = queryOptions({
  queryKey: ["applications"],
  queryFn: async ({ signal }) => (await answer(api.GET("/api/applications", { signal }))).applications,
});

export const createUser = ({ email, name, password, roleIds, mustChangePassword }: UserFields, key: string) =>
  answer(
    api.POST("/api/users", {
      params: { header: once(key) },
      body: { email, name, password, roleIds, mustChangePassword },
    }),
  );

/** Fields that differ from the user's: sending the others too could require a second person for nothing. */
export function userChange(user: User, fields: UserFields): Schema<"AuthUserChange"> {
  const { roleIds, ...rest } = fields;
  const change: Schema<"AuthUserChange"> = Object.fromEntries(
    Object.entries(rest).filter(([name, value]) => value !== undefined && value !== user[name as keyof User]),
  );
  const held = new Set(user.roles.map(({ id }) => id));
  if (roleIds.length !== held.size || roleIds.some((id) => !held.has(id))) change.roleIds = roleIds;
  return change;
}

export const updateUser = (user: User, fields: UserFields, key: string) =>
  answer(api.PATCH("/api/users/{id}", { params: of(user, key), body: userChange(user, fields) }));

export const deleteUser = (user: User, key: string) => answer(api.DELETE("/api/users/{id}", { params: of(user, key) }));

export type MadeLink = Schema<"AuthMadeLink">;

/** The secret of the link is in this one answer only, so the server replays no answer to a repeat. */
export const makePasswordLink = (user: User) =>
  answer(api.POST("/api/users/{id}/password-link", { params: { path: { id: user.id }, header: seen(user) } }));

export const revokePasswordLink = ({ id }: User, key: string) =>
  answer(api.DELETE("/api/users/{id}/password-link", { params: { path: { id }, header: once(key) } }));

export const createRole = (body: RoleFields, key: string) =>
  answer(api.POST("/api/roles", { params: { header: once(key) }, body }));

export const updateRole = (role: Role, body: Schema<"AuthRoleChange">, key: string) =>
  answer(api.PATCH("/api/roles/{id}", { params: of(role, key), body }));

export const deleteRole = (role: Role, key: string) => answer(api.DELETE("/api/roles/{id}", { params: of(role, key) }));

/** The token is in this one answer only; the server keeps a hash, and so answers no repeat. */
export const createApplication = (body: Schema<"AuthNewApplication">) =>
  answer(api.POST("/api/applications", { body }));

/** The old token stops working; the new one is in this one answer only. */
export const replaceToken = (application: Application, body: Schema<"AuthTokenReplacement">) =>
  answer(
    api.POST("/api/applications/{id}/token", {
      params: { path: { id: application.id }, header: seen(application) },
      body,
    }),
  );

export const deleteApplication = (application: Application, key: string) =>
  answer(api.DELETE("/api/applications/{id}", { params: of(application, key) }));
