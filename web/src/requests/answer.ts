import type { Schema } from "../api/client";
import { isRecord } from "../api/record";

/** What came back of a request that the product has sent. */
export type RequestAnswer = Schema<"HttprequestAnswer">;

/** The result of an applied request as that, or null: whoever has not decided about it is not told what came back. */
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
