import { isToolUIPart, type DynamicToolUIPart, type UIMessage } from "ai";
import { describe, expect } from "vitest";
import { StockChat } from "./chat";
import { converse, script, userMessage } from "./conversation";
import { scriptedModel } from "./gate";
import { test } from "./test";

const done = 'text="All done." tokens=30';

function textOf(message: UIMessage): string {
  return message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function callsOf(message: UIMessage): DynamicToolUIPart[] {
  return message.parts.filter(isToolUIPart).filter((part) => part.type === "dynamic-tool");
}

function kinds(message: UIMessage): string[] {
  return message.parts.map((part) => (isToolUIPart(part) ? part.state : part.type));
}

describe.concurrent("A stock client reduces to the stored message", () => {
  test("plain text", async ({ start }) => {
    const { stored } = await converse(await start(), script("tokens=40"));
    expect(stored.parts).toMatchObject([{ type: "step-start" }, { type: "text", state: "done" }]);
    expect(stored.metadata).toMatchObject({ status: "done", model: scriptedModel });
  });

  test("text that would break a careless encoding", async ({ start }) => {
    const text =
      String.raw`"quotes" \ back\\slash <script>&amp;</script> data: x` +
      "\n\nid: 7\n\u2028\u2029 \u{1F680} e\u0301 \u0000end\t.";
    const { stored } = await converse(await start(), script(`text=${JSON.stringify(text)} tokens=30`));
    expect(textOf(stored)).toContain(text.replace("\u0000", ""));
  });

  test("reasoning before text", async ({ start }) => {
    const { stored } = await converse(await start(), script("reasoning=20 tokens=20"));
    expect(stored.parts).toMatchObject([
      { type: "step-start" },
      { type: "reasoning", state: "done" },
      { type: "text", state: "done" },
    ]);
  });

  test("a tool call between two pieces of text", async ({ start }) => {
    const { stored } = await converse(
      await start(),
      script(`r1.text="Let me look." r1.tool=catalog.listSystems ${done}`),
    );
    expect(kinds(stored)).toEqual(["step-start", "text", "output-available", "step-start", "text"]);
  });

  test("reasoning in every step", async ({ start }) => {
    const { stored } = await converse(await start(), script(`rounds=2 tool=ai.listDocs reasoning=5 ${done}`));
    const step = ["step-start", "reasoning", "output-available"];
    expect(kinds(stored)).toEqual([...step, ...step, "step-start", "reasoning", "text"]);
  });

  test("tools that run in parallel", async ({ start }) => {
    const { stored } = await converse(
      await start(),
      script(
        `tool=ai.searchDocs input={"query":"proposal {call}"} tool=catalog.listSystems tool=catalog.listGroups calls=2 ${done}`,
      ),
    );
    const calls = callsOf(stored);
    const names = ["ai.searchDocs", "catalog.listSystems", "catalog.listGroups"];
    expect(calls.map(({ toolName }) => toolName)).toEqual([...names, ...names]);
    expect(new Set(calls.map(({ toolCallId }) => toolCallId)).size).toBe(6);
    expect(calls.every(({ state }) => state === "output-available")).toBe(true);
  });

  test("a tool that fails beside one that works", async ({ start }) => {
    const { stored } = await converse(
      await start(),
      script(`tool=ai.getDoc input={"slug":"no/such-page"} tool=ai.listDocs ${done}`),
    );
    expect(callsOf(stored)).toMatchObject([
      { state: "output-error", errorText: expect.stringContaining("no/such-page") },
      { state: "output-available" },
    ]);
  });

  test("a tool with input that its schema refuses", async ({ start }) => {
    const { stored } = await converse(await start(), script(`tool=ai.searchDocs input={"limit":"many"} ${done}`));
    expect(callsOf(stored)).toMatchObject([
      { state: "output-error", input: { limit: "many" }, errorText: expect.stringContaining("did not pass its check") },
    ]);
  });

  test("a tool with malformed arguments", async ({ start }) => {
    const { stored } = await converse(
      await start(),
      script(`tool=ai.searchDocs input={"query":"x"} fault=malformed_args@1 ${done}`),
    );
    expect(callsOf(stored)).toMatchObject([
      { state: "output-error", input: expect.any(String), errorText: expect.any(String) },
    ]);
    expect(textOf(stored)).toContain("All done.");
  });

  test("a tool that does not exist", async ({ start }) => {
    const { stored } = await converse(await start(), script(`tool=ai.listDocs fault=unknown_tool@1 ${done}`));
    expect(callsOf(stored)).toMatchObject([{ state: "output-error", toolName: "demo_noSuchTool" }]);
    expect(textOf(stored)).toContain("All done.");
  });

  test.for(["duplicate_ids", "missing_ids", "no_index", "object_args"])(
    "tool calls of a provider with %s",
    async (fault, { start }) => {
      const { stored } = await converse(
        await start(),
        script(`tool=ai.listDocs tool=catalog.listSystems fault=${fault}@1 ${done}`),
      );
      const calls = callsOf(stored);
      expect(calls).toMatchObject([{ state: "output-available" }, { state: "output-available" }]);
      expect(new Set(calls.map(({ toolCallId }) => toolCallId)).size).toBe(2);
    },
  );

  test("two steps whose calls have the same ids", async ({ start }) => {
    const { stored } = await converse(
      await start(),
      script(`rounds=2 tool=ai.listDocs tool=catalog.listSystems fault=duplicate_ids@* ${done}`),
    );
    expect(new Set(callsOf(stored).map(({ toolCallId }) => toolCallId)).size).toBe(4);
  });

  test("the forced answer of a model that never stops calling tools", async ({ start }) => {
    const { stored } = await converse(
      await start(),
      script(`tool=ai.searchDocs input={"query":"round {round}"} never_ends ${done}`),
    );
    expect(callsOf(stored)).toHaveLength(15);
    expect(textOf(stored)).toContain("All done.");
  });

  test("what a provider without usage and end marker says", async ({ start }) => {
    const { stored } = await converse(await start(), script("tokens=40 fault=no_usage@1 fault=no_done@1"));
    expect(stored.metadata).toMatchObject({ status: "done" });
  });

  test("the second question of a conversation", async ({ start }) => {
    const conversation = await start();
    await converse(conversation, script("tokens=30"));
    await converse(conversation, script(`tool=ai.listDocs ${done}`));
    expect((await conversation.messages()).map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  });

  test("an answer of the assistant that looks things up", async ({ start }) => {
    const { stored } = await converse(await start(), { text: "Explain how proposals expire" });
    expect(callsOf(stored).map(({ toolName }) => toolName)).toEqual(["ai.searchDocs", "ai.getDoc"]);
    expect(textOf(stored)).toContain("From the documentation");
  });
});

describe.concurrent("A stock client is told in plain words", () => {
  test("that a turn is running already", async ({ start }) => {
    const conversation = await start();
    const first = await conversation.open();
    const hold = conversation.hold();
    const running = first.sendMessage(userMessage(script("tokens=40")), { body: { model: scriptedModel } });
    await first.wire.until((chunk) => chunk.type === "text-delta");
    const second = await conversation.open();
    await second.sendMessage(userMessage({ text: "And this?" }));
    expect(second.error).toMatchObject({ statusCode: 409, responseBody: expect.stringContaining("still answering") });
    hold.release();
    await running;
    expect(await conversation.messages()).toHaveLength(2);
  });

  test("that there is no such conversation", async ({ person }) => {
    const chat = new StockChat(person, "0198c5d0-0000-7000-8000-000000000000");
    await chat.sendMessage(userMessage({ text: "Hello" }));
    expect(chat.error).toMatchObject({ statusCode: 404, responseBody: expect.stringContaining("no conversation") });
  });
});
