import { queryOptions } from "@tanstack/react-query";
import { answer, api, type Schema } from "./client";
import { signInWays } from "./entrance";

/** A browser in which the person is signed in. */
export type SignIn = Schema<"AuthSession">;

export const signInsQuery = queryOptions({
  queryKey: ["sign-ins"],
  queryFn: async ({ signal }) => (await answer(api.GET("/api/auth/sessions", { signal }))).sessions,
});

/** How people can sign in beside a password. */
export const signInWaysQuery = queryOptions({
  queryKey: ["sign-in-ways"],
  queryFn: ({ signal }) => signInWays(signal),
  staleTime: Infinity,
});

/** A token with which a program chats in the person's name. */
export type ChatToken = Schema<"AuthChatToken">;

export const chatTokensQuery = queryOptions({
  queryKey: ["chat-tokens"],
  queryFn: async ({ signal }) => (await answer(api.GET("/api/auth/chat-tokens", { signal }))).tokens,
});
