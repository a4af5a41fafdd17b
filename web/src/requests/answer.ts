import type { Schema } from "../api/client";
import { isRecord } from "../api/record";

/** Response to a request that the product has sent. */
export type RequestAnswer = Schema<"HttprequestAnswer">;

/** Reads the result of an applied request, or null: only the approver receives the response. */
export function answerOf(result: unknown): RequestAnswer | null {
  if (!isRecord(result)) return null;
  const { url, status, status_text, redirects, headers, body, body_truncated } = result;
  if (typeof url !== "string" || typeof status !== "number" || typeof body !== "string" || !isRecord(headers))
    return null;
  return {
    url,
    status,
    status_text: typeof status_text === "string" ? status_text : "",
    redirects: typeof redirects === "number" ? redirects : 0,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    body,
    body_truncated: body_truncated === true,
  };
}
