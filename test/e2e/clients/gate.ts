import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Person } from "../stack/person";
import { freePort, Process } from "../stack/process";

/** A model that does what the directives of a message say. */
export const scriptedModel = "countersign-demo-script";
const assistantModel = "countersign-demo";

const key = "key-of-the-demo-model";

const passedHeaders = new Set(["content-type", "retry-after", "retry-after-ms"]);

/**
 * The demo model behind a gate: a test can hold its answers after their first words, so that whatever has to happen in
 * the middle of a turn does happen there, however slow the machine is.
 */
export class Gate {
  readonly #model: Process;
  readonly #upstream: string;
  readonly #server: Server;
  readonly #holds = new Map<string, Hold>();

  private constructor(model: Process, upstream: string) {
    this.#model = model;
    this.#upstream = upstream;
    this.#server = createServer((request, response) => {
      this.#pass(request, response).catch(() => response.destroy());
    });
  }

  static async open(): Promise<Gate> {
    const address = `127.0.0.1:${await freePort()}`;
    const upstream = `http://${address}`;
    const headers = { authorization: `Bearer ${key}` };
    const env = { ...process.env, COUNTERSIGN_DEMO_KEY: key };
    const model = await Process.start({
      args: ["demo-model", address],
      env,
      ready: { url: `${upstream}/v1/models`, headers },
    });
    const gate = new Gate(model, upstream);
    gate.#server.listen(0, "127.0.0.1");
    await once(gate.#server, "listening");
    return gate;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await this.#model.stop();
  }

  /** Makes a connection of its own through the gate; its id is also that of its holds. */
  async connect(administrator: Person): Promise<{ connectionId: string; gateId: string }> {
    const gateId = randomUUID();
    const { port } = this.#server.address() as AddressInfo;
    const { id } = await administrator.post<{ id: string }>("/api/ai/connections", {
      name: `Gate ${gateId}`,
      baseUrl: `http://127.0.0.1:${port}/${gateId}/v1`,
      apiKey: key,
      defaultModel: assistantModel,
      availableModels: [scriptedModel],
    });
    return { connectionId: id, gateId };
  }

  /** Holds the answers that follow after their first words, but lets so many pass before. */
  hold(gateId: string, passing = 0): Hold {
    const hold = new Hold(passing);
    this.#holds.set(gateId, hold);
    return hold;
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, gateId = "", ...path] = (request.url ?? "").split("/");
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const { authorization = "", "content-type": type = "application/json" } = request.headers;
    const { method = "GET" } = request;
    const body = method === "POST" ? await text(request) : undefined;
    const answer = await fetch(`${this.#upstream}/${path.join("/")}`, {
      method,
      headers: { authorization, "content-type": type },
      ...(body !== undefined && { body }),
      signal: gone.signal,
    });
    response.writeHead(answer.status, headersOf(answer));
    // Only a turn's own answers stream; the small calls beside it, such as the off-topic check, are never held.
    let held = !body?.includes('"stream":true');
    for await (const event of eventsOf(answer)) {
      response.write(event);
      if (!held && saysSomething(event)) {
        held = true;
        await this.#holds.get(gateId)?.pass(gone.signal);
      }
    }
    response.end();
  }
}

/** Answers that wait for a test. */
export class Hold {
  #passing: number;
  readonly #released = Promise.withResolvers<void>();

  constructor(passing: number) {
    this.#passing = passing;
  }

  release(): void {
    this.#released.resolve();
  }

  async pass(gone: AbortSignal): Promise<void> {
    if (this.#passing-- > 0) return;
    const left = Promise.withResolvers<void>();
    gone.addEventListener("abort", () => left.resolve(), { once: true });
    await Promise.race([this.#released.promise, left.promise]);
  }
}

function headersOf(answer: Response): Record<string, string> {
  return Object.fromEntries([...answer.headers].filter(([name]) => passedHeaders.has(name)));
}

/** The events of a stream, each as soon as it has come; anything else comes in one piece. */
async function* eventsOf({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pending = "";
  for await (const piece of body ?? []) {
    const events = (pending + decoder.decode(piece, { stream: true })).split(/(?<=\n\n)/);
    pending = events.at(-1)?.endsWith("\n\n") ? "" : (events.pop() ?? "");
    yield* events;
  }
  if (pending !== "") yield pending;
}

/** Reports whether an event holds words of the model, be they thoughts. */
function saysSomething(event: string): boolean {
  return /"(reasoning_)?content":"[^"]/.test(event);
}
