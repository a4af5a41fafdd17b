import type { Page } from "playwright-core";

/** What a page may request: so many requests in any interval, and so many of them to one path. */
interface Limits {
  total: number;
  onePath: number;
}

const intervalMilliseconds = 10_000;

/** The limits of a page while nobody touches it: polls, probes of a server that is away, and attempts to attach. */
const quiet: Limits = { total: 60, onePath: 18 };

/** The limits of a page that a test drives as fast as it can. */
export const driven: Limits = { total: 400, onePath: 60 };

/** Counts what a page requests of the API and of the probes, whether or not it is answered. */
export class RequestBudget {
  readonly #requests: { at: number; path: string }[] = [];

  constructor(page: Page) {
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith("/api/") || pathname === "/healthz")
        this.#requests.push({ at: Date.now(), path: `${request.method()} ${pathname}` });
    });
  }

  /** How many requests to paths like this the page has made. */
  count(path: RegExp): number {
    return this.#requests.filter((request) => path.test(request.path)).length;
  }

  /** What the page has requested too often; nothing if it has kept to its budget. */
  excess({ total, onePath }: Limits = quiet): string[] {
    const found: string[] = [];
    for (const [index, { at }] of this.#requests.entries()) {
      const within = this.#requests.slice(index).filter((request) => request.at - at < intervalMilliseconds);
      const paths = Map.groupBy(within, ({ path }) => path);
      const most = [...paths].toSorted((a, b) => b[1].length - a[1].length)[0];
      if (within.length > total) found.push(`${within.length} requests in ${intervalMilliseconds / 1_000} s`);
      if (most && most[1].length > onePath) found.push(`${most[1].length} times ${most[0]}`);
      if (found.length > 0) break;
    }
    return found;
  }

  toString(): string {
    const first = this.#requests[0]?.at ?? 0;
    return this.#requests.map(({ at, path }) => `${String(at - first).padStart(6)} ms ${path}`).join("\n");
  }
}
