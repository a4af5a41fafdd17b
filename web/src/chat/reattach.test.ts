import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { reach } from "../api/reach";
import { ChatSession } from "./session";

const event = (part: object, id?: number) =>
  new TextEncoder().encode(`${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(part)}\n\n`);

const start = event({ type: "start", messageId: "m1", messageMetadata: { turnId: "t1", status: "running" } });
const text = (delta: string, id: number) => event({ type: "text-delta", id: "x", delta }, id);
const opening = [start, event({ type: "start-step" }, 1), event({ type: "text-start", id: "x" }, 2)];
const ending = [
  event({ type: "text-end", id: "x" }, 90),
  event({ type: "finish-step" }, 91),
  event({ type: "finish", finishReason: "stop", messageMetadata: { status: "done" } }, 92),
];

type Answer = (signal: AbortSignal | null | undefined) => Promise<Response> | Response;

/** A stream that says this, and then closes, breaks, or stays open in silence. */
function stream(pieces: Uint8Array[], end: "closed" | "broken" | "open", headers: Record<string, string> = {}): Answer {
  return (signal) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece);
        if (end === "closed") controller.close();
        signal?.addEventListener("abort", () => controller.error(new DOMException("aborted", "AbortError")));
      },
      pull(controller) {
        if (end === "broken") controller.error(new TypeError("network error"));
        return end === "open" ? new Promise(() => {}) : undefined;
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream", ...headers } });
  };
}

const unreachable: Answer = () => Promise.reject(new TypeError("Failed to fetch"));
const refusal =
  (status: number, headers: Record<string, string> = {}) =>
  () =>
    new Response(JSON.stringify({ title: "Refused", detail: "Refused." }), { status, headers });

/** Answers requests one after another, the last answer again and again, and notes when each came and was aborted. */
function serve(...answers: Answer[]) {
  const served = { at: [] as number[], aborted: 0, open: 0, most: 0 };
  vi.stubGlobal("fetch", async (_: unknown, init?: RequestInit) => {
    const answer = answers[Math.min(served.at.length, answers.length - 1)]!;
    served.at.push(Date.now());
    served.most = Math.max(served.most, ++served.open);
    init?.signal?.addEventListener("abort", () => served.aborted++);
    try {
      return await answer(init?.signal);
    } finally {
      served.open--;
    }
  });
  return served;
}

const pauses = (at: number[]) => at.slice(1).map((time, index) => time - at[index]!);

const shown = ({ chat }: ChatSession) =>
  chat.messages.map(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : "")).join(""));

/** A session whose page tells it of the turn with every change, as a page does that is drawn again. */
function follow() {
  const session = new ChatSession("c1", [], () => {});
  session.subscribe(() => session.notice("t1"));
  session.notice("t1");
  return session;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("attaches once when the connection is back, however often a read says that the turn runs", async () => {
  const served = serve(
    stream([...opening, text("Hel", 3)], "broken"),
    unreachable,
    stream([...opening, text("Hello", 3)], "open"),
  );
  const session = follow();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(served.at).toHaveLength(3);
  expect([served.aborted, served.most]).toEqual([0, 1]);
  expect(session.state()).toMatchObject({ busy: true, connection: "live" });
  expect(shown(session)).toEqual(["Hello"]);
  session.dispose();
});

it("says that it reconnects until the first event, and not only until an answer begins", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      await promise;
      for (const piece of opening) controller.enqueue(piece);
    },
  });
  serve(stream(opening, "broken"), () => new Response(body));
  const session = follow();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(session.state()).toMatchObject({ busy: true, connection: "reconnecting" });
  resolve();
  await vi.advanceTimersByTimeAsync(10);
  expect(session.state()).toMatchObject({ busy: true, connection: "live" });
  session.dispose();
});

it("asks less and less often while the server cannot be reached", async () => {
  const served = serve(stream(opening, "broken"), unreachable);
  const session = follow();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(served.at.length).toBeLessThan(22);
  const waited = pauses(served.at);
  expect(waited[0]).toBeLessThanOrEqual(410);
  expect(Math.max(...waited)).toBeGreaterThan(7_000);
  expect(Math.max(...waited)).toBeLessThanOrEqual(15_010);
  expect(session.state().connection).toBe("reconnecting");
  session.dispose();
});

it("does not take a stream without a new event for a success", async () => {
  const served = serve(stream([...opening, text("Hel", 3)], "closed"));
  const session = follow();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(served.at.length).toBeLessThan(16);
  expect(pauses(served.at).at(-1)).toBeGreaterThan(5_000);
  session.dispose();
});

it("attaches quickly again after a new event", async () => {
  let last = 2;
  const served = serve(unreachable, unreachable, unreachable, unreachable, unreachable, unreachable, (signal) =>
    stream([...opening, text("more", ++last)], "broken")(signal),
  );
  const session = follow();
  await vi.advanceTimersByTimeAsync(40_000);
  const waited = pauses(served.at).slice(6);
  expect(waited.length).toBeGreaterThan(10);
  expect(Math.max(...waited)).toBeLessThanOrEqual(410);
  session.dispose();
});

it.each([
  ["503", refusal(503, { "retry-after": "20" })],
  ["429", refusal(429, { "retry-after": "20" })],
])("waits as long as a %s asks for", async (_, answer) => {
  const served = serve(stream(opening, "broken"), answer, stream([...opening, text("Hi", 3), ...ending], "closed"));
  const session = new ChatSession("c1", [], () => {});
  session.notice("t1");
  await vi.advanceTimersByTimeAsync(19_900);
  expect(served.at).toHaveLength(2);
  expect(session.state().connection).toBe("reconnecting");
  await vi.advanceTimersByTimeAsync(1_500);
  expect(served.at).toHaveLength(3);
  expect(shown(session)).toEqual(["Hi"]);
  expect(session.state()).toMatchObject({ busy: false, connection: "live" });
});

it("waits for a server that is known to be away, and attaches at once when it is back", async () => {
  const back = Promise.withResolvers<void>();
  vi.spyOn(reach, "state").mockReturnValue("away");
  vi.spyOn(reach, "back").mockReturnValue(back.promise);
  const served = serve(stream(opening, "broken"), stream([...opening, text("Hi", 3)], "open"));
  const session = follow();
  await vi.advanceTimersByTimeAsync(300_000);
  expect(served.at).toHaveLength(1);
  back.resolve();
  await vi.advanceTimersByTimeAsync(10);
  expect(served.at).toHaveLength(2);
  session.dispose();
});

it("takes three missed heartbeats for a lost connection, by the rate that the server names", async () => {
  const served = serve(stream([...opening, text("Hel", 3)], "open", { "countersign-heartbeat": "2000" }));
  const session = follow();
  await vi.advanceTimersByTimeAsync(5_900);
  expect(session.state().connection).toBe("live");
  await vi.advanceTimersByTimeAsync(200);
  expect(session.state().connection).toBe("reconnecting");
  await vi.advanceTimersByTimeAsync(500);
  expect(served.at).toHaveLength(2);
  session.dispose();
});

it("gives an attempt up that is not answered", async () => {
  const served = serve(stream(opening, "broken"), (signal) => {
    const { promise, reject } = Promise.withResolvers<Response>();
    signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
    return promise;
  });
  const session = follow();
  await vi.advanceTimersByTimeAsync(40_000);
  expect(served.at.length).toBeGreaterThan(2);
  expect(served.most).toBe(1);
  expect(session.state()).toMatchObject({ busy: true, connection: "reconnecting" });
  session.dispose();
});

it("rests after a refusal, although a read goes on saying that the turn runs", async () => {
  const served = serve(refusal(404));
  const session = follow();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(session.state()).toMatchObject({ busy: false, connection: "live" });
  expect(served.at.length).toBeLessThan(9);
  session.dispose();
});

it("shows that a reaction to a decision was refused", async () => {
  const served = serve(refusal(429));
  const session = new ChatSession("c1", [], () => {});
  await session.react("p1", "apply");
  await vi.advanceTimersByTimeAsync(30_000);
  expect(served.at).toHaveLength(1);
  expect(session.chat.error).toMatchObject({ document: { status: 429 } });
  expect(session.state()).toMatchObject({ busy: false, connection: "live" });
  session.dispose();
});

it("stops asking when it is stopped between two attempts, and when it is put away", async () => {
  const served = serve(stream(opening, "broken"), unreachable);
  const settled = vi.fn<(session: ChatSession) => void>();
  const session = new ChatSession("c1", [], settled);
  session.notice("t1");
  await vi.advanceTimersByTimeAsync(3_000);
  vi.stubGlobal("fetch", async () => Response.json({ stopping: false }));
  await session.stop();
  expect(session.busy).toBe(false);
  expect(settled).toHaveBeenCalledOnce();
  session.notice(null);
  const before = served.at.length;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(served.at).toHaveLength(before);
  session.dispose();
});
