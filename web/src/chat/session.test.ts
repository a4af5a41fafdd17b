import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ChatSession } from "./session";

type Handler = (request: { method: string; path: string; body: Record<string, unknown> }) => Response;

const conversationId = "c1";
const finished = { type: "finish", finishReason: "stop", messageMetadata: { status: "done" } };

/** Answers requests one after another and records them. */
function serve(...handlers: Handler[]) {
  const requests: { method: string; path: string; body: Record<string, unknown> }[] = [];
  vi.stubGlobal("fetch", async (input: string | Request, init?: RequestInit) => {
    const sent = new Request(typeof input === "string" ? new URL(input, location.href) : input, init);
    const body = JSON.parse((await sent.text()) || "{}") as Record<string, unknown>;
    const request = { method: sent.method, path: new URL(sent.url).pathname, body };
    const handler = handlers[requests.length];
    requests.push(request);
    if (!handler) throw new Error(`unexpected request ${request.method} ${request.path}`);
    return handler(request);
  });
  return requests;
}

function chunks(parts: object[], end: "closed" | "broken" = "closed"): Handler {
  return () => {
    const encoder = new TextEncoder();
    const queue = parts.map((part) => encoder.encode(`data: ${JSON.stringify(part)}\n\n`));
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const next = queue.shift();
        if (next) controller.enqueue(next);
        else if (end === "closed") controller.close();
        else controller.error(new TypeError("network error"));
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}

const refused =
  (status: number, detail: string): Handler =>
  () =>
    new Response(JSON.stringify({ title: "Refused", detail }), { status });
const nothing: Handler = () => new Response(null, { status: 204 });
const silence: Handler = () => new Response(new ReadableStream());
const unreachable: Handler = () => {
  throw new TypeError("Failed to fetch");
};

function answer(messageId: string, text: string, tail: object[] = [finished]) {
  return [
    { type: "start", messageId, messageMetadata: { turnId: "t1", status: "running" } },
    { type: "start-step" },
    { type: "text-start", id: "x" },
    { type: "text-delta", id: "x", delta: text },
    ...(tail.length > 0 ? [{ type: "text-end", id: "x" }, { type: "finish-step" }] : []),
    ...tail,
  ];
}

function texts(session: ChatSession): string[] {
  return session.chat.messages.map((message) =>
    message.parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
  );
}

function idsOf(session: ChatSession): string[] {
  return session.chat.messages.map(({ id }) => id);
}

function open() {
  const onSettled = vi.fn<(session: ChatSession) => void>();
  return { session: new ChatSession(conversationId, [], onSettled), onSettled };
}

/** Lets every retry of the session come due. */
async function settled(onSettled: (session: ChatSession) => void) {
  await vi.advanceTimersByTimeAsync(30_000);
  expect(onSettled).toHaveBeenCalledOnce();
}

describe("ChatSession", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("sends one message without history and shows the answer", async () => {
    const requests = serve(chunks(answer("m1", "Hello.")));
    const { session, onSettled } = open();
    await session.send("Hi", { connectionId: "k1", model: "demo" });
    expect(requests[0]).toMatchObject({
      method: "POST",
      path: "/api/ai/chat",
      body: {
        conversationId,
        message: "Hi",
        connectionId: "k1",
        model: "demo",
        messageId: session.chat.messages[0]?.id,
      },
    });
    expect(requests[0]?.body).not.toHaveProperty("messages");
    expect(texts(session)).toEqual(["Hi", "Hello."]);
    expect(onSettled).toHaveBeenCalledOnce();
  });

  it("knows an answer as new that was there before the page of its conversation was", async () => {
    serve(chunks(answer("m1", "Hello.")));
    const { session } = open();
    await session.send("Hi", {});
    expect(session.isNew("m1")).toBe(true);
    expect(session.hasSent(session.chat.messages[0]!.id)).toBe(true);
    const [, reply] = session.chat.messages;
    const later = new ChatSession(conversationId, [reply!], () => {});
    expect([later.isNew("m1"), later.isNew("m2")]).toEqual([false, true]);
  });

  it("repeats an undelivered message under the same id", async () => {
    const requests = serve(unreachable, refused(503, "Starting."), chunks(answer("m1", "Hello.")));
    const { session, onSettled } = open();
    void session.send("Hi", {});
    await settled(onSettled);
    expect(new Set(requests.map((request) => request.body.messageId)).size).toBe(1);
    expect(texts(session)).toEqual(["Hi", "Hello."]);
  });

  it("says of a message that was not taken that it is on its way, and not that it is answered", async () => {
    serve(unreachable, chunks(answer("m1", "Hello.")));
    const { session } = open();
    const seen: string[] = [];
    session.subscribe(() => seen.push(session.state().connection));
    const sending = session.send("Hi", {});
    await vi.advanceTimersByTimeAsync(10);
    expect(session.state()).toMatchObject({ connection: "sending", outgoing: { text: "Hi" } });
    await vi.advanceTimersByTimeAsync(1_000);
    await sending;
    expect(seen).not.toContain("reconnecting");
    expect(session.state()).toMatchObject({ connection: "live", outgoing: null });
  });

  it("says so of one that a frozen server does not take, and sends it again under the same id", async () => {
    const ids: unknown[] = [];
    vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
      ids.push((JSON.parse(init.body as string) as { messageId: string }).messageId);
      if (ids.length > 1) return (chunks(answer("m1", "Hello.")) as () => Response)();
      return new Promise((_resolve, reject) => {
        init.signal?.addEventListener("abort", () => reject(new DOMException("given up", "AbortError")));
      });
    });
    const { session, onSettled } = open();
    void session.send("Hi", {});
    await vi.advanceTimersByTimeAsync(4_999);
    expect(session.state().connection).toBe("sending");
    await settled(onSettled);
    expect(new Set(ids).size).toBe(1);
    expect(ids).toHaveLength(2);
    expect(texts(session)).toEqual(["Hi", "Hello."]);
  });

  it("attaches again when the connection breaks, without doubling text", async () => {
    const requests = serve(chunks(answer("m1", "Hel", []), "broken"), chunks(answer("m1", "Hello.")));
    const { session, onSettled } = open();
    void session.send("Hi", {});
    await settled(onSettled);
    expect(requests[1]).toMatchObject({ method: "GET", path: `/api/ai/chat/${conversationId}/stream` });
    expect(texts(session)).toEqual(["Hi", "Hello."]);
    expect(session.state().connection).toBe("live");
  });

  it("attaches again when the stream ends before the turn does", async () => {
    serve(chunks(answer("m1", "Hel", [])), unreachable, chunks(answer("m1", "Hello.")));
    const { session, onSettled } = open();
    void session.send("Hi", {});
    await settled(onSettled);
    expect(texts(session)).toEqual(["Hi", "Hello."]);
  });

  it("takes a refused message back and says why", async () => {
    serve(refused(429, "The spend cap is used up."));
    const { session, onSettled } = open();
    await session.send("Hi", {});
    expect(session.chat.messages).toEqual([]);
    expect(session.state().rejected).toMatchObject({ text: "Hi", error: { message: "The spend cap is used up." } });
    expect(onSettled).toHaveBeenCalledOnce();
  });

  it("resends the text of an uncertain failure as the same message", async () => {
    const requests = serve(...Array<Handler>(6).fill(unreachable), chunks(answer("m1", "Hello.")));
    const { session, onSettled } = open();
    void session.send("Hi", {});
    await settled(onSettled);
    expect(session.state().rejected?.text).toBe("Hi");
    await session.send("Hi", {});
    expect(requests[6]?.body.messageId).toBe(requests[0]?.body.messageId);
    expect(texts(session)).toEqual(["Hi", "Hello."]);
  });

  it("shows the reaction to a decision as a message of its own", async () => {
    const requests = serve(chunks(answer("m1", "Please review.")), chunks(answer("m2", "Done.")));
    const { session } = open();
    await session.send("Add it", {});
    await session.react("p1", "apply");
    expect(requests[1]).toMatchObject({
      method: "POST",
      path: "/api/ai/chat",
      body: { conversationId, decision: { proposalId: "p1", kind: "apply" } },
    });
    expect(texts(session)).toEqual(["Add it", "Please review.", "Done."]);
  });

  it("reads the conversation when the reaction is written already", async () => {
    serve(refused(409, "Decided already."));
    const { session, onSettled } = open();
    await session.react("p1", "apply");
    expect(onSettled).toHaveBeenCalledOnce();
    expect(session.chat.error).toBeUndefined();
  });

  it("attaches to a running turn, and settles when there is none", async () => {
    serve(chunks(answer("m1", "Hello.")), nothing);
    const first = open();
    first.session.notice("t1");
    await vi.advanceTimersByTimeAsync(10);
    expect(texts(first.session)).toEqual(["Hello."]);
    first.session.notice(null);
    const second = open();
    second.session.notice("t1");
    await vi.advanceTimersByTimeAsync(10);
    expect(second.onSettled).toHaveBeenCalledOnce();
    expect(second.session.busy).toBe(false);
  });

  it("no longer says that another answer is in the way once that has ended", async () => {
    serve(
      refused(409, "The assistant is still answering."),
      chunks(answer("m1", "Asked in another window.")),
      refused(422, "Too long."),
      chunks(answer("m2", "Asked in another window again.")),
    );
    const { session } = open();
    await session.send("Mine", {});
    expect(session.state().rejected?.text).toBe("Mine");
    session.notice("t1");
    await vi.advanceTimersByTimeAsync(10);
    expect(texts(session)).toEqual(["Asked in another window."]);
    expect(session.state().rejected).toBeNull();
    // A refusal of the message itself stays.
    session.notice(null);
    await session.send("Mine is long", {});
    session.notice("t2");
    await vi.advanceTimersByTimeAsync(10);
    expect(session.state().rejected?.error.message).toContain("Too long.");
    session.dispose();
  });

  it("stops on the server and shows how the turn ended", async () => {
    const stopped = Promise.withResolvers<void>();
    const tail = [
      { type: "message-metadata", messageMetadata: { status: "stopped" } },
      { type: "abort", reason: "stopped" },
    ];
    const requests = serve(
      () => {
        const encoder = new TextEncoder();
        const write = (parts: object[]) =>
          encoder.encode(parts.map((part) => `data: ${JSON.stringify(part)}\n\n`).join(""));
        const body = new ReadableStream<Uint8Array>({
          async start(controller) {
            controller.enqueue(write(answer("m1", "Hel", [])));
            await stopped.promise;
            controller.enqueue(write(tail));
            controller.close();
          },
        });
        return new Response(body);
      },
      () => {
        stopped.resolve();
        return Response.json({ stopping: true }, { status: 202 });
      },
    );
    const { session, onSettled } = open();
    const sending = session.send("Hi", {});
    await vi.advanceTimersByTimeAsync(10);
    await session.stop();
    await sending;
    expect(requests[1]).toMatchObject({ method: "POST", path: `/api/ai/chat/${conversationId}/stop` });
    expect(texts(session)).toEqual(["Hi", "Hel"]);
    expect(session.chat.messages[1]?.metadata?.status).toBe("stopped");
    expect(session.state().stopping).toBe(false);
    expect(onSettled).toHaveBeenCalledOnce();
  });

  it("lets go of a turn that cannot be stopped", async () => {
    serve(silence, () => Response.json({ stopping: false }));
    const { session, onSettled } = open();
    void session.send("Hi", {});
    await vi.advanceTimersByTimeAsync(10);
    await session.stop();
    await vi.advanceTimersByTimeAsync(10);
    expect(session.busy).toBe(false);
    expect(onSettled).toHaveBeenCalledOnce();
  });

  it("passes on what the server says about a delay", async () => {
    const notice = { kind: "retrying", message: "The provider is busy.", attempt: 2 };
    const parts = answer("m1", "Hello.", []);
    serve(chunks([...parts, { type: "data-notice", id: "n", transient: true, data: notice }], "broken"), nothing);
    const { session } = open();
    const seen: unknown[] = [];
    session.subscribe(() => seen.push(session.state().notice));
    await session.send("Hi", {});
    expect(seen).toContainEqual(expect.objectContaining(notice));
  });

  it("leaves the messages alone while a turn is being watched", async () => {
    serve(chunks(answer("m1", "Hello.")));
    const { session } = open();
    const sending = session.send("Hi", {});
    session.adopt([]);
    expect(texts(session)).toEqual(["Hi"]);
    await sending;
    session.adopt([]);
    expect(texts(session)).toEqual([]);
  });
});

describe("An answer that is had again", () => {
  const stored = [
    { id: "u1", role: "user" as const, parts: [{ type: "text" as const, text: "Which?" }] },
    { id: "a1", role: "assistant" as const, parts: [{ type: "text" as const, text: "These." }] },
  ];

  it("takes the place of the one before", async () => {
    const requests = serve(chunks(answer("a2", "Those.")));
    const session = new ChatSession(conversationId, stored, () => {});
    await session.regenerate("a1", { model: "m" });
    expect(idsOf(session)).toEqual(["u1", "a2"]);
    expect(requests[0]?.body).toMatchObject({
      id: conversationId,
      trigger: "regenerate-message",
      messageId: "a1",
      model: "m",
      message: { id: "u1", role: "user", parts: [{ type: "text", text: "Which?" }] },
    });
    session.dispose();
  });

  it("follows a message that was edited", async () => {
    const requests = serve(chunks(answer("a2", "Those.")));
    const session = new ChatSession(conversationId, stored, () => {});
    const sending = session.edit("u1", "Which now?", {});
    expect(session.state().outgoing).toEqual({ id: "u1", text: "Which now?", before: "Which?" });
    await sending;
    expect(session.state().outgoing).toBeNull();
    expect(idsOf(session)).toEqual(["u1", "a2"]);
    expect(requests[0]?.body).toMatchObject({
      trigger: "submit-message",
      messageId: "u1",
      message: { id: "u1", parts: [{ type: "text", text: "Which now?" }] },
    });
    session.dispose();
  });

  it("leaves everything as it was when it is refused, with the text in the box", async () => {
    serve(refused(409, "The assistant is still answering."), refused(409, "The assistant is still answering."));
    const session = new ChatSession(conversationId, stored, () => {});
    await session.regenerate("a1", {});
    expect(idsOf(session)).toEqual(["u1", "a1"]);
    expect(session.state().rejected).toBeNull();
    await session.edit("u1", "Which now?", {});
    expect(idsOf(session)).toEqual(["u1", "a1"]);
    expect(session.state().rejected?.text).toBe("Which now?");
    expect(session.state().rejected?.id).not.toBe("u1");
    session.dispose();
  });

  it("takes what was said before at any time, and does not take it for new", async () => {
    serve(chunks(answer("m1", "Hello.")));
    const { session } = open();
    const sending = session.send("Hi", {});
    const sent = session.chat.messages[0];
    if (!sent) throw new Error("nothing was sent");
    const before = { id: "before", role: "user" as const, parts: [{ type: "text" as const, text: "Once" }] };
    session.adopt([before, sent]);
    expect(texts(session)).toEqual(["Once", "Hi"]);
    expect([session.isNew("before"), session.isNew(sent.id)]).toEqual([false, true]);
    await sending;
    expect(texts(session)).toEqual(["Once", "Hi", "Hello."]);
  });
});
