import { isToolUIPart, type DynamicToolUIPart, type UIMessage } from "ai";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { Person } from "../stack/person";
import { scriptedModel } from "../stack/script";
import { StockChat } from "./chat";
import { Conversation, converse, script, userMessage, type Turn } from "./conversation";

let person: Person;
beforeAll(async () => {
  const { url, ...credentials } = inject("product");
  person = await Person.signIn(url, credentials);
});

/** Has the scripted model answer while clients come and go. The pace keeps the turn running until they have attached. */
async function answer(directives: string): Promise<Turn> {
  return converse(await Conversation.start(person), script(`delay_token=30ms ${directives}`));
}

const long = 'text="All done." tokens=30';

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
  it("plain text", async () => {
    const { stored } = await answer("tokens=40");
    expect(stored.parts).toMatchObject([{ type: "step-start" }, { type: "text", state: "done" }]);
    expect(stored.metadata).toMatchObject({ status: "done", model: scriptedModel });
  });

  it("text that would break a careless encoding", async () => {
    const text = String.raw`"quotes" \ back\\slash <script>&amp;</script> data: x` + "\n\nid: 7\n\u2028\u2029 \u{1F680} e\u0301 \u0000end\t.";
    const { stored } = await answer(`text=${JSON.stringify(text)} tokens=30`);
    expect(textOf(stored)).toContain(text.replace("\u0000", ""));
  });

  it("reasoning before text", async () => {
    const { stored } = await answer("reasoning=20 tokens=20");
    expect(stored.parts).toMatchObject([{ type: "step-start" }, { type: "reasoning", state: "done" }, { type: "text", state: "done" }]);
  });

  it("a tool call between two pieces of text", async () => {
    const { stored } = await answer(`r1.text="Let me look." r1.tool=catalog.listSystems ${long}`);
    expect(kinds(stored)).toEqual(["step-start", "text", "output-available", "step-start", "text"]);
  });

  it("reasoning in every step", async () => {
    const { stored } = await answer(`rounds=2 tool=ai.listDocs reasoning=5 ${long}`);
    const step = ["step-start", "reasoning", "output-available"];
    expect(kinds(stored)).toEqual([...step, ...step, "step-start", "reasoning", "text"]);
  });

  it("tools that run in parallel", async () => {
    const { stored } = await answer(`tool=ai.searchDocs input={"query":"proposal {call}"} tool=catalog.listSystems tool=catalog.listGroups calls=2 ${long}`);
    const calls = callsOf(stored);
    const names = ["ai.searchDocs", "catalog.listSystems", "catalog.listGroups"];
    expect(calls.map(({ toolName }) => toolName)).toEqual([...names, ...names]);
    expect(new Set(calls.map(({ toolCallId }) => toolCallId)).size).toBe(6);
    expect(calls.every(({ state }) => state === "output-available")).toBe(true);
  });

  it("a tool that fails beside one that works", async () => {
    const { stored } = await answer(`tool=ai.getDoc input={"slug":"no/such-page"} tool=ai.listDocs ${long}`);
    expect(callsOf(stored)).toMatchObject([{ state: "output-error", errorText: expect.stringContaining("no/such-page") }, { state: "output-available" }]);
  });

  it("a tool with input that its schema refuses", async () => {
    const { stored } = await answer(`tool=ai.searchDocs input={"limit":"many"} ${long}`);
    expect(callsOf(stored)).toMatchObject([{ state: "output-error", input: { limit: "many" }, errorText: expect.stringContaining("query") }]);
  });

  it("a tool with malformed arguments", async () => {
    const { stored } = await answer(`tool=ai.searchDocs input={"query":"x"} fault=malformed_args@1 ${long}`);
    expect(callsOf(stored)).toMatchObject([{ state: "output-error", input: expect.any(String), errorText: expect.any(String) }]);
    expect(textOf(stored)).toContain("All done.");
  });

  it("a tool that does not exist", async () => {
    const { stored } = await answer(`tool=ai.listDocs fault=unknown_tool@1 ${long}`);
    expect(callsOf(stored)).toMatchObject([{ state: "output-error", toolName: "demo_noSuchTool" }]);
    expect(textOf(stored)).toContain("All done.");
  });

  it.for(["duplicate_ids", "missing_ids", "no_index", "object_args"])("tool calls of a provider with %s", async (fault) => {
    const { stored } = await answer(`tool=ai.listDocs tool=catalog.listSystems fault=${fault}@1 ${long}`);
    const calls = callsOf(stored);
    expect(calls).toMatchObject([{ state: "output-available" }, { state: "output-available" }]);
    expect(new Set(calls.map(({ toolCallId }) => toolCallId)).size).toBe(2);
  });

  it("two steps whose calls have the same ids", async () => {
    const { stored } = await answer(`rounds=2 tool=ai.listDocs tool=catalog.listSystems fault=duplicate_ids@* ${long}`);
    expect(new Set(callsOf(stored).map(({ toolCallId }) => toolCallId)).size).toBe(4);
  });

  it("the forced answer of a model that never stops calling tools", async () => {
    const { stored } = await answer(`tool=catalog.listGroups never_ends ${long}`);
    expect(callsOf(stored)).toHaveLength(15);
    expect(textOf(stored)).toContain("All done.");
  });

  it("what a provider without usage and end marker says", async () => {
    const { stored } = await answer("tokens=40 fault=no_usage@1 fault=no_done@1");
    expect(stored.metadata).toMatchObject({ status: "done" });
  });

  it("the second question of a conversation", async () => {
    const conversation = await Conversation.start(person);
    await converse(conversation, script("delay_token=30ms tokens=30"));
    await converse(conversation, script(`delay_token=30ms tool=ai.listDocs ${long}`));
    expect((await conversation.messages()).map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  });

  it("an answer of the assistant that looks things up", async () => {
    const { stored } = await converse(await Conversation.start(person), { text: "Explain how proposals expire" });
    expect(callsOf(stored).map(({ toolName }) => toolName)).toEqual(["ai.searchDocs", "ai.getDoc"]);
    expect(textOf(stored)).toContain("From the documentation");
  });
});

describe.concurrent("A stock client is told in plain words", () => {
  it("that a turn is running already", async () => {
    const conversation = await Conversation.start(person);
    const first = await conversation.open();
    const running = first.sendMessage(userMessage(script("delay_token=30ms tokens=40")), { body: { model: scriptedModel } });
    await first.wire.until((chunk) => chunk.type === "text-delta");
    const second = await conversation.open();
    await second.sendMessage(userMessage({ text: "And this?" }));
    expect(second.error).toMatchObject({ statusCode: 409, responseBody: expect.stringContaining("still answering") });
    await running;
    expect(await conversation.messages()).toHaveLength(2);
  });

  it("that there is no such conversation", async () => {
    const chat = new StockChat(person, "0198c5d0-0000-7000-8000-000000000000");
    await chat.sendMessage(userMessage({ text: "Hello" }));
    expect(chat.error).toMatchObject({ statusCode: 404, responseBody: expect.stringContaining("no conversation") });
  });
});
