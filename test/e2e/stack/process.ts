import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

export const binary =
  process.env.COUNTERSIGN_BINARY ?? fileURLToPath(new URL("../../../bin/countersign", import.meta.url));

const readyLimit = 180_000;
const readyPoll = 50;
const keptOutput = 200;

/** How to run the product's binary. */
export interface Launch {
  args: string[];
  env: NodeJS.ProcessEnv;
  /** Answers with 200 once the process is ready. */
  ready: { url: string; headers?: Record<string, string> };
}

/** A running process of the product. */
export class Process {
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #output: string[] = [];

  private constructor({ args, env }: Launch) {
    this.#name = `countersign ${args.join(" ")}`;
    this.#child = spawn(binary, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    this.#exited = once(this.#child, "exit");
    // A binary that is missing is reported by #ready, which finds no process.
    this.#exited.catch((error: unknown) => this.#keep(String(error)));
    for (const pipe of [this.#child.stdout, this.#child.stderr]) {
      pipe?.setEncoding("utf8").on("data", (text: string) => this.#keep(text));
    }
  }

  /** Starts a process and waits until it is ready. */
  static async start(launch: Launch): Promise<Process> {
    const process = new Process(launch);
    await process.#ready(launch.ready);
    return process;
  }

  /** Kills it as a failing machine would: nothing is drained or written. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exited;
  }

  /** Freezes it as a machine that stands still would: connections stay open, and nothing is sent or answered. */
  freeze(): void {
    this.#child.kill("SIGSTOP");
  }

  /** Lets a frozen process go on. */
  thaw(): void {
    this.#child.kill("SIGCONT");
  }

  /** Ends it as an operator would; one that does not end well is an error. */
  async stop(): Promise<void> {
    if (!this.#running) return;
    this.#child.kill("SIGTERM");
    await this.#exited;
    if (this.#child.exitCode !== 0) {
      throw new Error(
        `${this.#name} ended with ${this.#child.exitCode ?? this.#child.signalCode}:\n${this.#output.join("")}`,
      );
    }
  }

  get #running(): boolean {
    return this.#child.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async #ready({ url, headers }: Launch["ready"]): Promise<void> {
    const deadline = Date.now() + readyLimit;
    while (this.#running && Date.now() < deadline) {
      const response = await fetch(url, { headers: headers ?? {} }).catch(() => null);
      if (response?.ok) return;
      await new Promise((resolve) => setTimeout(resolve, readyPoll));
    }
    this.#child.kill("SIGKILL");
    throw new Error(`${this.#name} did not get ready:\n${this.#output.join("")}`);
  }

  #keep(text: string): void {
    this.#output.push(text);
    if (this.#output.length > keptOutput) this.#output.shift();
  }
}

/** A port that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port is free");
  return address.port;
}
