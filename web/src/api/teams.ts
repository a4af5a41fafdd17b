import { queryOptions } from "@tanstack/react-query";
import { catalogKey } from "./catalog";
import { answer, api, of, once, type Schema } from "./client";

export type Team = Schema<"AuthTeam">;

export const teamsKey = [...catalogKey, "teams"] as const;

export const teamsQuery = queryOptions({
  queryKey: teamsKey,
  queryFn: async ({ signal }) => (await answer(api.GET("/api/teams", { signal }))).teams,
});

export const teamQuery = (id: string) =>
  queryOptions({
    queryKey: [...teamsKey, id],
    queryFn: ({ signal }) => answer(api.GET("/api/teams/{id}", { params: { path: { id } }, signal })),
  });

export const createTeam = (body: Schema<"AuthNewTeam">, key: string) =>
  answer(api.POST("/api/teams", { params: { header: once(key) }, body }));

export const updateTeam = (team: Team, body: Schema<"AuthTeamChange">, key: string) =>
  answer(api.PATCH("/api/teams/{id}", { params: of(team, key), body }));

export const deleteTeam = (team: Team, key: string) => answer(api.DELETE("/api/teams/{id}", { params: of(team, key) }));

export const addTeamMember = (id: string, userId: string, key: string) =>
  answer(api.PUT("/api/teams/{id}/members/{userId}", { params: { path: { id, userId }, header: once(key) } }));

export const removeTeamMember = (id: string, userId: string, key: string) =>
  answer(api.DELETE("/api/teams/{id}/members/{userId}", { params: { path: { id, userId }, header: once(key) } }));
