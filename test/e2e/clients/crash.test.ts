import { describe, expect } from "vitest";
import { Installation, type Product } from "../stack/installation";
import type { Person } from "../stack/person";
import { resume, StockChat } from "./chat";
import { Conversation, expectSame, script, userMessage } from "./conversation";
import { scriptedModel, type Gate, type Hold } from "./gate";
import { test as base } from "./test";

interface Fixtures {
  installation: Installation;
  /** Two API processes that run no turns themselves. */
  apis: [Product, Product];
  /** The administrator, at the first of them. */
  operator: Person;
}

const test = base.extend<Fixtures>({
  // oxlint-disable-next-line no-empty-pattern
  installation: async ({}, use) => {
    const installation = await Installation.create({}, "bare");
    await use(installation);
    await installation.stop();
  },
  apis: async ({ installation }, use) => use([await installation.start("api"), await installation.start("api")]),
  operator: async ({ installation, apis }, use) => use(await installation.administrator(apis[0])),
});

/** A turn of two steps that is held in the middle of the second. */
interface Asked {
  conversation: Conversation;
  chat: StockChat;
  sent: Promise<void>;
  hold: Hold;
}

async function ask(person: Person, gate: Gate): Promise<Asked> {
  const conversation = await Conversation.start(person, gate);
  const chat = await conversation.open();
  const hold = conversation.hold(1);
  const question = script('tool=ai.listDocs r1.text="Let me look." text="The answer." tokens=30');
  const sent = chat.sendMessage(userMessage(question), { body: { model: scriptedModel } });
  await chat.wire.until((chunk) => chunk.type === "text-delta" && chunk.delta.startsWith("The"));
  return { conversation, chat, sent, hold };
}

describe("When processes are killed in the middle of a turn", () => {
  test("another worker ends it with one answer, which every client has", async ({
    installation,
    apis,
    operator,
    gate,
  }) => {
    const doomed = await installation.start("worker");
    const { conversation, chat, sent, hold } = await ask(operator, gate);
    const elsewhere = conversation.at(apis[1].url);
    const before = await resume(elsewhere.person, elsewhere.id);
    await doomed.process.kill();
    await installation.start("worker");
    await chat.wire.until(({ type }) => type === "reset-step");
    const after = await resume(elsewhere.person, elsewhere.id);
    hold.release();
    if (!before || !after) throw new Error("the turn was over before the worker died");

    const [, resumedBefore, resumedAfter] = await Promise.all([sent, before.message, after.message]);
    const messages = await elsewhere.messages();
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    const stored = await elsewhere.last();
    expect(stored.metadata).toMatchObject({ status: "done" });
    expect(stored.parts.map(({ type }) => type)).toEqual(["step-start", "text", "dynamic-tool", "step-start", "text"]);
    expect(JSON.stringify(stored.parts).match(/The answer\./g)).toHaveLength(1);
    expectSame("the client that asked", chat.lastMessage, stored, chat.wire.events);
    expectSame("a client that resumed before", resumedBefore, stored, before.wire.events);
    expectSame("a client that resumed after", resumedAfter, stored, after.wire.events);
  });

  test("a client resumes at the other API process", async ({ installation, apis, operator, gate }) => {
    await installation.start("worker");
    const { conversation, chat, sent, hold } = await ask(operator, gate);
    await apis[0].process.kill();
    await sent;
    expect(chat.status).toBe("error");

    const elsewhere = conversation.at(apis[1].url);
    const resumed = new StockChat(elsewhere.person, elsewhere.id, chat.messages);
    const attached = resumed.resumeStream();
    await Promise.race([attached, resumed.wire.until(({ type }) => type === "text-delta")]);
    hold.release();
    await attached;
    const stored = await elsewhere.last();
    expect(stored.metadata).toMatchObject({ status: "done" });
    expectSame("the client that resumed", resumed.lastMessage, stored, resumed.wire.events);
    expect(resumed.messages.map(({ id }) => id)).toEqual((await elsewhere.messages()).map(({ id }) => id));
  });
});
