import { queryOptions } from "@tanstack/react-query";
import { catalogKey, type NamedFields } from "./catalog";
import { request } from "./client";

export interface TeamMember {
  id: string;
  name: string;
  email: string;
}

export interface Team {
  id: string;
  name: string;
  description: string;
  members?: TeamMember[] | null;
  memberCount: number;
  revision: number;
}

export const teamsKey = [...catalogKey, "teams"] as const;

export const teamsQuery = queryOptions({
  queryKey: teamsKey,
  queryFn: async ({ signal }) => (await request<{ teams: Team[] }>("GET", "/api/teams", { signal })).teams,
});

export const teamQuery = (id: string) =>
  queryOptions({
    queryKey: [...teamsKey, id],
    queryFn: ({ signal }) => request<Team>("GET", `/api/teams/${id}`, { signal }),
  });

export const createTeam = (fields: NamedFields, idempotencyKey: string) =>
  request<Team>("POST", "/api/teams", { body: fields, idempotencyKey });

export const updateTeam = (team: Team, fields: Partial<NamedFields>, idempotencyKey: string) =>
  request<Team>("PATCH", `/api/teams/${team.id}`, { body: fields, revision: team.revision, idempotencyKey });

export const deleteTeam = (team: Team, idempotencyKey: string) =>
  request<void>("DELETE", `/api/teams/${team.id}`, { revision: team.revision, idempotencyKey });

export const addTeamMember = (teamId: string, userId: string, idempotencyKey: string) =>
  request<unknown>("PUT", `/api/teams/${teamId}/members/${userId}`, { idempotencyKey });

export const removeTeamMember = (teamId: string, userId: string, idempotencyKey: string) =>
  request<void>("DELETE", `/api/teams/${teamId}/members/${userId}`, { idempotencyKey });
