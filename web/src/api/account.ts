import { queryOptions } from "@tanstack/react-query";
import { answer, api, once, type Schema } from "./client";
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

export const endSignIn = (id: string, key: string) =>
  answer(api.DELETE("/api/auth/sessions/{id}", { params: { path: { id }, header: once(key) } }));

/** Ends all but the one that asks, and says how many there were. */
export const endOtherSignIns = async (key: string): Promise<number> =>
  (await answer(api.DELETE("/api/auth/sessions", { params: { header: once(key) } }))).revoked;

/** A token with which a program chats in the person's name. */
export type ChatToken = Schema<"AuthChatToken">;

export const chatTokensQuery = queryOptions({
  queryKey: ["chat-tokens"],
  queryFn: async ({ signal }) => (await answer(api.GET("/api/auth/chat-tokens", { signal }))).tokens,
});

/** Carries no idempotency key, as the server must not keep the token. */
export const makeChatToken = (body: Schema<"AuthNewChatToken">) => answer(api.POST("/api/auth/chat-tokens", { body }));

export const revokeChatToken = ({ id }: ChatToken, key: string) =>
  answer(api.DELETE("/api/auth/chat-tokens/{id}", { params: { path: { id }, header: once(key) } }));

/** Carries no idempotency key, as the server must not keep a fast hash of a password. */
export const changePassword = (body: Schema<"ChangePasswordInputBody">) =>
  answer(api.POST("/api/auth/password", { body }));

/** "Chrome on Linux", as far as the browser says so. */
export function browserName(userAgent: string): string {
  const browser = browsers.find(([, sign]) => sign.test(userAgent))?.[0];
  const system = systems.find(([, sign]) => sign.test(userAgent))?.[0];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? (userAgent.slice(0, 60) || "Unknown browser");
}

// The first that fits counts: most browsers claim to be several others too.
const browsers: [string, RegExp][] = [
  ["Edge", /\bEdg(e|A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Firefox", /\b(Firefox|FxiOS)\//],
  ["Chrome", /\b(Headless)?(Chrome|CriOS)\//],
  ["Safari", /\bSafari\//],
];
const systems: [string, RegExp][] = [
  ["iPhone", /iPhone/],
  ["iPad", /iPad/],
  ["Android", /Android/],
  ["Windows", /Windows/],
  ["macOS", /Mac OS X|Macintosh/],
  ["Linux", /Linux|X11/],
];
