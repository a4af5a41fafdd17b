import { personHeader } from "./presence";

/** Requests that public/first.js sent while the app was loading. */
interface Early {
  path: string;
  answer: Promise<Response>;
}

declare global {
  // Only a var is one of the globals.
  var countersignEarly: Early | undefined;
}

/** An answer that is older says nothing of now. */
const freshMilliseconds = 20_000;

/**
 * The answer to a request that has been made early, once; undefined when it has to be made. One that names the person of the
 * page comes from a page that has begun already.
 */
export function takeEarly({ url, method, headers }: Request, signal: AbortSignal): Promise<Response> | undefined {
  const early = globalThis.countersignEarly;
  if (!early || method !== "GET" || url !== new URL(early.path, location.origin).href) return undefined;
  globalThis.countersignEarly = undefined;
  if (headers.has(personHeader) || performance.now() > freshMilliseconds) return undefined;
  return new Promise((resolve, reject) => {
    const give = () => reject(signal.reason as unknown);
    if (signal.aborted) give();
    signal.addEventListener("abort", give, { once: true });
    early.answer.then(resolve, reject);
  });
}
