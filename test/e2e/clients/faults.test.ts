import type { UIMessage, UIMessageChunk } from "ai";
import { describe, expect } from "vitest";
import { converse, script, type Conversation, type Turn } from "./conversation";
import { test } from "./test";

function textsOf(message: UIMessage): string[] {
  return message.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

function types(parts: { type: string }[]): string[] {
  return parts.map(({ type }) => type);
}

const isReset = (chunk: UIMessageChunk): boolean => chunk.type === "reset-step";
const isNotice = (chunk: UIMessageChunk): boolean => chunk.type === "data-notice";
const isResult = (chunk: UIMessageChunk): boolean => chunk.type === "tool-output-available";

describe.concurrent("When the provider fails for a while, a stock client reduces to the stored message", () => {
  test.for(["cut", "reset", "stream_error", "stall"])(
    "an answer that is begun anew after a %s",
    async (fault, { start }) => {
      const { stored, chunks } = await converse(await start(), script(`text="Only once." tokens=30 fault=${fault}@1`));
      expect(types(chunks)).toContain("reset-step");
      expect(textsOf(stored)).toHaveLength(1);
      expect(textsOf(stored)[0]?.match(/Only once\./g)).toHaveLength(1);
    },
  );

  test("an answer that was begun anew before the client came", async ({ start }) => {
    const question = script('text="Only once." tokens=30 fault=cut@1');
    const { stored, resumed } = await converse(await start(), question, { passing: 1, midway: isReset });
    expect(textsOf(stored)).toHaveLength(1);
    expect(types(resumed).filter((type) => type === "start-step")).toHaveLength(1);
  });

  test("reasoning and tool calls that are begun anew", async ({ start }) => {
    const question = script(
      'tool=ai.listDocs tool=catalog.listSystems reasoning=10 r1.text="Let me look." tokens=20 fault=cut@1 fault=cut@2',
    );
    const { stored, chunks } = await converse(await start(), question);
    expect(types(chunks).filter((type) => type === "reset-step")).toHaveLength(2);
    const first = ["step-start", "reasoning", "text", "dynamic-tool", "dynamic-tool"];
    expect(types(stored.parts)).toEqual([...first, "step-start", "reasoning", "text"]);
  });

  test("an answer for which a rate limit made it wait", async ({ start }) => {
    const { stored, chunks } = await converse(await start(), script("tokens=30 fault=429@1 retry_after=1s"), {
      midway: isNotice,
    });
    expect(types(chunks)).toContain("data-notice");
    expect(types(stored.parts)).toEqual(["step-start", "text"]);
  });

  test("an answer after two errors in the second step", async ({ start }) => {
    const { stored } = await converse(await start(), script("tool=ai.listDocs tokens=30 fault=500@2 fault=html@2"));
    expect(types(stored.parts)).toEqual(["step-start", "dynamic-tool", "step-start", "text"]);
  });

  test("an answer after an empty one", async ({ start }) => {
    const { stored } = await converse(await start(), script("tokens=30 fault=empty@1"));
    expect(textsOf(stored)).toHaveLength(1);
  });
});

describe.concurrent("When the provider fails for good, a stock client reduces to the stored message", () => {
  test("a refused key", async ({ start }) => {
    const turn = await converse(await start(), script("tool=ai.listDocs fault=invalid_key@2 reasoning=20"));
    expectFailure(turn, "model_refused");
    expect(textsOf(turn.stored).at(-1)).toContain("Incorrect API key provided");
  });

  test("a conversation that is too long for the model", async ({ start }) => {
    expectFailure(
      await converse(await start(), script("tool=ai.listDocs fault=context_length@2x* reasoning=20")),
      "model_context",
    );
  });

  test("an answer that a content filter stops", async ({ start }) => {
    const turn = await converse(await start(), script('text="Not further" tokens=40 fault=content_filter@1'));
    expectFailure(turn, "model_refused");
    expect(textsOf(turn.stored)).toEqual([expect.stringContaining("Not further"), expect.stringContaining("Rephrase")]);
  });

  test("an answer that is cut each time", async ({ start }) => {
    const turn = await converse(await start(), script('text="Never complete" tokens=12 fault=cut@1x*'));
    expectFailure(turn, "model_failed");
    expect(types(turn.chunks).filter((type) => type === "reset-step")).toHaveLength(3);
  });

  test("answers that are empty each time", async ({ start }) => {
    expectFailure(
      await converse(await start(), script("tokens=12 fault=empty@1x*"), { midway: isNotice }),
      "model_failed",
    );
  });
});

describe.concurrent("When the person stops the turn, a stock client reduces to the stored message", () => {
  test("the text up to there", async ({ start }) => {
    const { stored } = await stopped(await start(), 'text="The beginning of" tokens=2000');
    expect(textsOf(stored)).toEqual(["The "]);
  });

  test("the reasoning up to there", async ({ start }) => {
    const { stored } = await stopped(await start(), "reasoning=2000 tokens=10");
    expect(types(stored.parts)).toEqual(["step-start", "reasoning"]);
  });

  test("the tool results up to there", async ({ start }) => {
    const { stored } = await stopped(await start(), "tool=ai.listDocs tokens=2000", isResult);
    expect(stored.parts.slice(0, 2)).toMatchObject([
      { type: "step-start" },
      { type: "dynamic-tool", state: "output-available" },
    ]);
  });

  test("what there is while it waits for the provider", async ({ start }) => {
    const { stored } = await stopped(await start(), "tokens=30 fault=429@1x* retry_after=30s", isNotice);
    expect(textsOf(stored)).toEqual([]);
  });
});

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
async function stopped(
  conversation: Conversation,
  directives: string,
  midway?: (chunk: UIMessageChunk) => boolean,
): Promise<Turn> {
  const turn = await converse(conversation, script(directives), {
    ...(midway && { midway }),
    // The model is held until the turn has ended: else it is a race whether it goes on before it hears of the stop.
    meanwhile: async (wire) => {
      expect(await conversation.stop()).toMatchObject({ stopping: true });
      await wire.until(({ type }) => type === "abort");
    },
  });
  expect(turn.chunks.at(-1)).toEqual({ type: "abort", reason: "stopped" });
  expect(turn.stored.metadata).toMatchObject({ status: "stopped" });
  return turn;
}
