import type { Page } from "playwright-core";

/** The requests that a page may make in any interval, in total and to one address. */
interface Limits {
  total: number;
  oneAddress: number;
}

const intervalMilliseconds = 10_000;

/** The limits of a page while nobody touches it: polls, probes of a server that is away, and attempts to attach. */
const quiet: Limits = { total: 60, oneAddress: 18 };

/** The limits of a page that a test drives as fast as it can. */
export const driven: Limits = { total: 400, oneAddress: 60 };

/** Counts what a page requests of the API and of the probes, whether or not it is answered. */
export class RequestBudget {
  readonly #requests: { at: number; path: string; address: string }[] = [];

  constructor(page: Page) {
    page.on("request", (request) => {
      const { pathname, search } = new URL(request.url());
      const path = `${request.method()} ${pathname}`;
      if (pathname.startsWith("/api/") || pathname === "/healthz")
        this.#requests.push({ at: Date.now(), path, address: path + search });
    });
  }

  /** How many requests to paths like this the page has made. */
  count(path: RegExp): number {
    return this.#requests.filter((request) => path.test(request.path)).length;
  }

  /** The requests over the budget of the page; empty when it has kept to it. */
  excess({ total, oneAddress }: Limits = quiet): string[] {
    const found: string[] = [];
    for (const [index, { at }] of this.#requests.entries()) {
      const within = this.#requests.slice(index).filter((request) => request.at - at < intervalMilliseconds);
      const addresses = Map.groupBy(within, ({ address }) => address);
      const most = [...addresses].toSorted((a, b) => b[1].length - a[1].length)[0];
      if (within.length > total) found.push(`${within.length} requests in ${intervalMilliseconds / 1_000} s`);
      if (most && most[1].length > oneAddress) found.push(`${most[1].length} times ${most[0]}`);
      if (found.length > 0) break;
    }
    return found;
  }

  toString(): string {
    const first = this.#requests[0]?.at ?? 0;
    return this.#requests.map(({ at, address }) => `${String(at - first).padStart(6)} ms ${address}`).join("\n");
  }
}
