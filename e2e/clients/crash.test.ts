import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Installation } from "../stack/installation";
import { Person } from "../stack/person";
import type { Product } from "../stack/process";
import { scriptedModel } from "../stack/script";
import { resume, StockChat } from "./chat";
import { Conversation, expectSame, script, userMessage } from "./conversation";

/** Answers that run for a few seconds, so that there is a middle in which a process can die. */
const slow = 'delay_token=60ms tool=ai.listDocs r1.text="Let me look." text="The answer." tokens=100';

let installation: Installation;
let apis: [Product, Product];
let person: Person;

beforeAll(async () => {
  installation = await Installation.create();
  apis = [await installation.start("api"), await installation.start("api")];
  person = await Person.signIn(apis[0].url, await installation.administrator());
});
afterAll(() => installation.stop());

/** Asks at the first API process and waits until the second step is being written. */
async function ask() {
  const conversation = await Conversation.start(person);
  const chat = await conversation.open();
  const sent = chat.sendMessage(userMessage(script(slow)), { body: { model: scriptedModel } });
  let steps = 0;
  await chat.wire.until((chunk) => {
    if (chunk.type === "start") steps = 0;
    if (chunk.type === "start-step") steps++;
    return steps === 2 && chunk.type === "text-delta";
  });
  return { conversation, chat, sent };
}

describe("Two API processes and workers that die", () => {
  it("end with one answer, which every client has", async () => {
    const doomed = await installation.start("worker");
    const { conversation, chat, sent } = await ask();
    const elsewhere = conversation.at(apis[1].url);
    const before = await resume(elsewhere.person, elsewhere.id);
    await doomed.kill();
    await installation.start("worker");
    const after = await resume(elsewhere.person, elsewhere.id);
    if (!before || !after) throw new Error("the turn was over before the worker died");

    await Promise.all([sent, before.message, after.message]);
    const messages = await elsewhere.messages();
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    const stored = await elsewhere.last();
    expect(stored.metadata).toMatchObject({ status: "done" });
    expect(stored.parts.map(({ type }) => type)).toEqual(["step-start", "text", "dynamic-tool", "step-start", "text"]);
    expect(JSON.stringify(stored.parts).match(/The answer\./g)).toHaveLength(1);
    expect(chat.wire.chunks.map(({ type }) => type)).toContain("reset-step");
    expectSame("the client that asked", chat.lastMessage, stored, chat.wire.events);
    expectSame("a client that resumed before", await before.message, stored, before.wire.events);
    expectSame("a client that resumed after", await after.message, stored, after.wire.events);
  });

  it("let a client resume at the other API process", async () => {
    const { conversation, chat, sent } = await ask();
    await apis[0].kill();
    await sent;
    expect(chat.status).toBe("error");

    const elsewhere = conversation.at(apis[1].url);
    const resumed = new StockChat(elsewhere.person, elsewhere.id, chat.messages);
    await resumed.resumeStream();
    const stored = await elsewhere.last();
    expect(stored.metadata).toMatchObject({ status: "done" });
    expectSame("the client that resumed", resumed.lastMessage, stored, resumed.wire.events);
    expect(resumed.messages.map(({ id }) => id)).toEqual((await elsewhere.messages()).map(({ id }) => id));
  });
});
