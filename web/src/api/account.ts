import { queryOptions } from "@tanstack/react-query";
import { request } from "./client";

/** A browser in which the person is signed in. */
export interface SignIn {
  id: string;
  /** The one that asks. */
  current: boolean;
  userAgent: string;
  address: string;
  createdAt: string;
  /** Renewed at most once a minute. */
  lastSeenAt: string;
  expiresAt: string;
}

export const signInsQuery = queryOptions({
  queryKey: ["sign-ins"],
  queryFn: async ({ signal }) =>
    (await request<{ sessions: SignIn[] }>("GET", "/api/auth/sessions", { signal })).sessions,
});

export const endSignIn = (id: string, idempotencyKey: string) =>
  request<void>("DELETE", `/api/auth/sessions/${id}`, { idempotencyKey });

/** Ends all but the one that asks, and says how many there were. */
export const endOtherSignIns = async (idempotencyKey: string): Promise<number> =>
  (await request<{ revoked: number }>("DELETE", "/api/auth/sessions", { idempotencyKey })).revoked;

/** Carries no idempotency key, as the server must not keep a fast hash of a password. */
export const changePassword = (passwords: { currentPassword: string; newPassword: string }) =>
  request<void>("POST", "/api/auth/password", { body: passwords });

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
