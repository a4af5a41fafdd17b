import type { UIMessageChunk } from "ai";

/** One server-sent event; `id` is empty for the first chunk, which is not an event of the log. */
export interface ServerEvent {
  id: string;
  data: string;
}

export const endMarker = "[DONE]";

/** The events in a piece of an event stream; an event that has not ended is left out. */
export function parseEvents(text: string): ServerEvent[] {
  const blocks = text.split("\n\n").slice(0, -1);
  return blocks.flatMap((block) => {
    const event: ServerEvent = { id: "", data: "" };
    for (const line of block.split("\n")) {
      if (line.startsWith("id: ")) event.id = line.slice(4);
      else if (line.startsWith("data: ")) event.data = line.slice(6);
      else if (!line.startsWith(":")) throw new Error(`not a line of an event stream: ${JSON.stringify(line)}`);
    }
    return event.data === "" ? [] : [event];
  });
}

/** The event stream that a list of events came from. */
export function formatEvents(events: ServerEvent[]): string {
  return events.map(({ id, data }) => `${id === "" ? "" : `id: ${id}\n`}data: ${data}\n\n`).join("");
}

/** Decodes the chunks of a client from events. */
export function chunksOf(events: ServerEvent[]): UIMessageChunk[] {
  return events.filter(({ data }) => data !== endMarker).map(({ data }) => JSON.parse(data) as UIMessageChunk);
}

/** A wiretap: what has come over the connections of one client, as it came. */
export class Wire {
  readonly responses: Response[] = [];
  readonly #texts: string[] = [];
  readonly #waiting = new Set<() => void>();

  /** A fetch that keeps what it reads. */
  readonly fetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (!response.ok || !response.body) return response;
    const [kept, passed] = response.body.tee();
    const { status, statusText, headers } = response;
    this.responses.push(response);
    void this.#keep(kept, this.#texts.push("") - 1);
    return new Response(passed, { status, statusText, headers });
  };

  /** The events of the last response. */
  get events(): ServerEvent[] {
    return parseEvents(this.#texts.at(-1) ?? "");
  }

  get chunks(): UIMessageChunk[] {
    return chunksOf(this.events);
  }

  /** Waits until a chunk has come that fits; a stream that ends without it is an error. */
  async until(fits: (chunk: UIMessageChunk) => boolean): Promise<void> {
    while (!this.chunks.some((chunk) => fits(chunk))) {
      if (this.events.at(-1)?.data === endMarker) throw new Error(`the stream ended before:\n${this}`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  toString(): string {
    return this.events.map(({ id, data }) => `${id.padStart(12)} ${data}`).join("\n");
  }

  async #keep(body: ReadableStream<Uint8Array>, index: number): Promise<void> {
    try {
      for await (const text of body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)) {
        this.#texts[index] += text;
        this.#wake();
      }
    } catch {
      // The reader of the other branch reports a broken connection.
    }
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
