import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { answer, api, once, seen, type Schema } from "./client";

/** A program that a person has let act for them. */
export type ConnectedProgram = Schema<"OauthConnectedProgram">;
export type ProgramScope = Schema<"OauthScope">;

const programsKey = ["programs"] as const;

const programs = (everybody: boolean) =>
  infiniteQueryOptions({
    queryKey: [...programsKey, everybody ? "everybody" : "own"],
    queryFn: ({ signal, pageParam: cursor }) =>
      answer(api.GET("/api/oauth/programs", { params: { query: { everybody, cursor, limit: 50 } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });

export const ownProgramsQuery = programs(false);
export const everyProgramQuery = programs(true);

export const disconnectProgram = ({ id }: ConnectedProgram, key: string) =>
  answer(api.DELETE("/api/oauth/programs/{id}", { params: { path: { id }, header: once(key) } }));

export const disconnectInvalidates = [programsKey];

/** Whether programs may register themselves. */
export const registrationQuery = queryOptions({
  queryKey: ["program-registration"],
  queryFn: ({ signal }) => answer(api.GET("/api/oauth/registration", { signal })),
});

export const setRegistration = ({ enabled, revision }: { enabled: boolean; revision: number }, key: string) =>
  answer(
    api.PUT("/api/oauth/registration", {
      params: { header: { ...seen({ revision }), ...once(key) } },
      body: { enabled },
    }),
  );

/** Which programs may decide for their people. */
export const trustQuery = queryOptions({
  queryKey: ["trusted-programs"],
  queryFn: ({ signal }) => answer(api.GET("/api/mcp/policy", { signal })),
});

export const setTrust = ({ trusted, revision }: { trusted: string[]; revision: number }, key: string) =>
  answer(
    api.PUT("/api/mcp/policy", {
      params: { header: { ...seen({ revision }), ...once(key) } },
      body: { trusted },
    }),
  );

/** Consent that a program requests from a person. */
export const questionQuery = (request: string) =>
  queryOptions({
    queryKey: ["program-question", request],
    queryFn: ({ signal }) => answer(api.POST("/api/oauth/question", { body: { request }, signal })),
    retry: false,
    staleTime: Infinity,
    gcTime: 0,
  });

/** Carries no idempotency key, as the server must not keep the code. */
export const decideProgram = async (body: Schema<"OauthDecision">): Promise<string> =>
  (await answer(api.POST("/api/oauth/decision", { body }))).redirect;
