import type { BrowserContext, Page, Route } from "playwright-core";

/** Connection between a browser and the server, for a test to break and to mend. */
export class Network {
  readonly #context: BrowserContext;
  #held: Route[] = [];
  #state: "well" | "frozen" | "absent" = "well";

  private constructor(context: BrowserContext) {
    this.#context = context;
  }

  static async of(page: Page): Promise<Network> {
    const network = new Network(page.context());
    await network.#context.route("**/*", (route) => network.#pass(route));
    return network;
  }

  /** Requests are taken and not answered, as by a process that hangs. */
  freeze(): void {
    this.#state = "frozen";
  }

  /** Requests are refused at once, as where no process listens. */
  remove(): void {
    this.#state = "absent";
  }

  /** Restores the server; requests sent meanwhile are answered now. */
  async mend(): Promise<void> {
    this.#state = "well";
    const held = this.#held;
    this.#held = [];
    // A page may have given up some of them.
    await Promise.all(held.map((route) => route.continue().catch(() => {})));
  }

  async #pass(route: Route): Promise<void> {
    if (this.#state === "frozen") this.#held.push(route);
    else if (this.#state === "absent") await route.abort("connectionrefused");
    else await route.continue();
  }
}
