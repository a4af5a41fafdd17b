import type { UIMessage, UIMessageChunk } from "ai";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { Person } from "../stack/person";
import { Conversation, converse, script, type Turn } from "./conversation";

let person: Person;
beforeAll(async () => {
  const { url, ...credentials } = inject("product");
  person = await Person.signIn(url, credentials);
});

async function answer(directives: string, midway?: (chunk: UIMessageChunk) => boolean): Promise<Turn> {
  return converse(await Conversation.start(person), script(`delay_token=30ms ${directives}`), midway ? { midway } : {});
}

function textsOf(message: UIMessage): string[] {
  return message.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

function types(chunks: UIMessageChunk[]): string[] {
  return chunks.map(({ type }) => type);
}

const isReset = (chunk: UIMessageChunk): boolean => chunk.type === "reset-step";
const isNotice = (chunk: UIMessageChunk): boolean => chunk.type === "data-notice";

/** Requires that the message says what went wrong, to plain clients and to ours. */
function expectFailure({ stored, chunks }: Turn, code: string): void {
  const { status, error } = stored.metadata as { status: string; error: { code: string; message: string } };
  expect(status).toBe("failed");
  expect(error.code).toBe(code);
  expect(textsOf(stored).at(-1)).toBe(error.message);
  expect(stored.parts.at(-1)).toMatchObject({ type: "data-error", data: error });
  expect(chunks.at(-1)).toMatchObject({ type: "finish", finishReason: "error" });
  expect(types(chunks)).not.toContain("error");
}

/** Stops an answer in the middle. */
async function stopped(directives: string, midway?: (chunk: UIMessageChunk) => boolean): Promise<Turn> {
  const conversation = await Conversation.start(person);
  const turn = await converse(conversation, script(`delay_token=30ms ${directives}`), {
    ...(midway && { midway }),
    meanwhile: async () => expect(await conversation.stop()).toMatchObject({ stopping: true }),
  });
  expect(turn.chunks.at(-1)).toEqual({ type: "abort", reason: "stopped" });
  expect(turn.stored.metadata).toMatchObject({ status: "stopped" });
  return turn;
}

describe.concurrent("When the provider fails for a while, a stock client reduces to the stored message", () => {
  it.for(["cut", "reset", "stream_error", "stall"])("an answer that is begun anew after a %s", async (fault) => {
    const { stored, chunks } = await answer(`text="Only once." tokens=30 fault=${fault}@1`);
    expect(types(chunks)).toContain("reset-step");
    expect(textsOf(stored)).toHaveLength(1);
    expect(textsOf(stored)[0]?.match(/Only once\./g)).toHaveLength(1);
  });

  it("an answer that was begun anew before the client came", async () => {
    const { stored } = await answer('text="Only once." tokens=30 fault=cut@1', isReset);
    expect(textsOf(stored)).toHaveLength(1);
  });

  it("reasoning and tool calls that are begun anew", async () => {
    const { stored, chunks } = await answer('tool=ai.listDocs tool=catalog.listSystems reasoning=10 r1.text="Let me look." tokens=20 fault=cut@1 fault=cut@2');
    expect(types(chunks).filter((type) => type === "reset-step")).toHaveLength(2);
    const first = ["step-start", "reasoning", "text", "dynamic-tool", "dynamic-tool"];
    expect(stored.parts.map(({ type }) => type)).toEqual([...first, "step-start", "reasoning", "text"]);
  });

  it("an answer for which a rate limit made it wait", async () => {
    const { stored, chunks } = await answer("tokens=30 fault=429@1 retry_after=1s", isNotice);
    expect(types(chunks)).toContain("data-notice");
    expect(stored.parts.map(({ type }) => type)).toEqual(["step-start", "text"]);
  });

  it("an answer after two errors in the second step", async () => {
    const { stored } = await answer("tool=ai.listDocs tokens=30 fault=500@2 fault=html@2");
    expect(stored.parts.map(({ type }) => type)).toEqual(["step-start", "dynamic-tool", "step-start", "text"]);
  });

  it("an answer after an empty one", async () => {
    const { stored } = await answer("tokens=30 fault=empty@1");
    expect(textsOf(stored)).toHaveLength(1);
  });
});

describe.concurrent("When the provider fails for good, a stock client reduces to the stored message", () => {
  // The failure comes in the second step, so that clients can attach before it.
  it("a refused key", async () => {
    const turn = await answer("tool=ai.listDocs fault=invalid_key@2 reasoning=20");
    expectFailure(turn, "model_refused");
    expect(textsOf(turn.stored).at(-1)).toContain("Incorrect API key provided");
  });

  it("a conversation that is too long for the model", async () => {
    expectFailure(await answer("tool=ai.listDocs fault=context_length@2 reasoning=20"), "model_context");
  });

  it("an answer that a content filter stops", async () => {
    const turn = await answer('text="Not further" tokens=40 fault=content_filter@1');
    expectFailure(turn, "model_refused");
    expect(textsOf(turn.stored)).toEqual([expect.stringContaining("Not further"), expect.stringContaining("Rephrase")]);
  });

  it("an answer that is cut each time", async () => {
    const turn = await answer('text="Never complete" tokens=12 fault=cut@1x*');
    expectFailure(turn, "model_failed");
    expect(types(turn.chunks).filter((type) => type === "reset-step")).toHaveLength(3);
  });

  it("answers that are empty each time", async () => {
    expectFailure(await answer("tokens=12 fault=empty@1x*", isNotice), "model_failed");
  });
});

describe.concurrent("When the person stops the turn, a stock client reduces to the stored message", () => {
  it("the text up to there", async () => {
    const { stored } = await stopped('text="The beginning of" tokens=2000');
    expect(textsOf(stored)[0]).toMatch(/^The/);
    expect(textsOf(stored)[0]?.split(" ").length).toBeLessThan(1000);
  });

  it("the reasoning up to there", async () => {
    const { stored } = await stopped("reasoning=2000 tokens=10");
    expect(stored.parts.map(({ type }) => type)).toEqual(["step-start", "reasoning"]);
  });

  it("the tool results up to there", async () => {
    const { stored } = await stopped("tool=ai.listDocs tokens=2000", (chunk) => chunk.type === "tool-output-available");
    expect(stored.parts).toMatchObject([{ type: "step-start" }, { type: "dynamic-tool", state: "output-available" }, { type: "step-start" }]);
  });

  it("what there is while it waits for the provider", async () => {
    const { stored } = await stopped("tokens=30 fault=429@1x* retry_after=30s", isNotice);
    expect(textsOf(stored)).toEqual([]);
  });
});
