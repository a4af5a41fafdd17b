import { isRecord } from "../api/record";

/** A request that a tool makes, as it stands in its call. Secrets are placeholders in it. */
export interface HttpRequest {
  method: string;
  url: string;
  headers: [name: string, value: string][];
  body?: string;
}

/** The tool that makes requests, as the product or a provider writes its name. */
export const isRequestTool = (name: string) => name === "http.request" || name === "http_request";

/** Request that a call of the tool asks for, or null when it is malformed. */
export function requestOf(input: unknown): HttpRequest | null {
  if (!isRecord(input) || typeof input.url !== "string") return null;
  const { method, headers, body } = input;
  return {
    method: typeof method === "string" && method !== "" ? method.toUpperCase() : "GET",
    url: input.url,
    headers: isRecord(headers) ? Object.entries(headers).map(([name, value]) => [name, textOf(value)]) : [],
    ...(body !== undefined && body !== null && body !== "" && { body: textOf(body) }),
  };
}

const textOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));
