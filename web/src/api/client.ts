import { observeServerDate } from "./clock";
import { online, parseProblem } from "./problem";

export interface RequestOptions {
  body?: unknown;
  /** The revision that the caller has seen; sent as If-Match. */
  revision?: number;
  /** Repeating a write with the same key returns the first answer. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Sends one JSON request and throws a Problem when the server refuses it. */
export async function request<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (options.body !== undefined) headers["content-type"] = "application/json";
  if (options.revision !== undefined) headers["if-match"] = `"${options.revision}"`;
  if (options.idempotencyKey) headers["idempotency-key"] = options.idempotencyKey;

  const body = options.body === undefined ? undefined : JSON.stringify(options.body);
  const response = await online(() =>
    fetch(path, { method, headers, body, credentials: "same-origin", signal: options.signal }),
  );
  observeServerDate(response.headers.get("date"));

  const text = await online(() => response.text());
  if (!response.ok) throw parseProblem(response.status, text);
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

/** A random identifier. Also works on plain HTTP, where randomUUID is missing. */
export function newId(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
