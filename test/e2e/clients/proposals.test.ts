import type { UIMessage } from "ai";
import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import type { Schema } from "../stack/api";
import type { Person } from "../stack/person";
import { StockChat } from "./chat";
import { converse, decide, script, userMessage, type Conversation, type Decision } from "./conversation";
import { test } from "./test";

type Card = Schema<"ProposalCard">;

const unique = (name: string) => `${name} ${randomUUID().slice(0, 8)}`;

/** The cards in a message. */
function cardsOf(message: UIMessage, kind: "proposal" | "applied" = "proposal"): Card[] {
  return message.parts.flatMap((part) => (part.type === `data-${kind}` ? [(part as { data: Card }).data] : []));
}

/** Asks for a new system and returns the card. */
async function propose(conversation: Conversation, name = unique("Payments API")): Promise<Card> {
  const { stored } = await converse(conversation, { text: `Add a system called ${name} owned by the platform team` });
  const [card] = cardsOf(stored);
  if (!card) throw new Error("the assistant has proposed nothing");
  return card;
}

/** The card as the person who may decide sees it. */
const live = (person: Person, proposalId: string) => person.get<Card>(`/api/ai/proposals/${proposalId}`);

/** Decides about a card and reads the reaction of the model. */
function react(conversation: Conversation, { proposalId }: Card, kind: Decision) {
  const { person } = conversation;
  return decide(conversation, { proposalId, kind }, async () => {
    if (kind === "decline") await person.post(`/api/ai/proposals/${proposalId}/decline`);
    else await person.post("/api/ai/proposals/apply", { token: (await live(person, proposalId)).token });
  });
}

async function systems(person: Person, query: string): Promise<string[]> {
  const found = await person.get<{ systems: { name: string }[] }>(
    `/api/catalog/systems?query=${encodeURIComponent(query)}`,
  );
  return found.systems.map(({ name }) => name);
}

describe.concurrent("A stock client reduces to the stored message", () => {
  test("a card, which holds no token", async ({ start, person }) => {
    const { stored, chunks } = await converse(await start(), {
      text: `Add a system called ${unique("Ledger")} owned by the platform team`,
    });
    const [card] = cardsOf(stored);
    expect(card).toMatchObject({
      toolName: "catalog.createSystem",
      status: "proposed",
      payload: { name: expect.stringContaining("Ledger") },
    });
    const { token } = await live(person, card?.proposalId ?? "");
    expect(token).toEqual(expect.any(String));
    expect(JSON.stringify([stored, chunks])).not.toContain(token);
    expect(JSON.stringify([stored, chunks])).not.toContain('"token"');
  });

  test("several cards of one step", async ({ start, person }) => {
    const name = unique("Batch");
    const { stored } = await converse(
      await start(),
      script(
        `r1.text="Here are two changes that I would make." r1.tool=catalog.createSystem r1.input={"name":"${name} {call}"} r1.tool=catalog.createGroup r1.input={"name":"${name} {call}"}`,
      ),
    );
    expect(cardsOf(stored)).toMatchObject([{ toolName: "catalog.createSystem" }, { toolName: "catalog.createGroup" }]);
    expect(await systems(person, name)).toEqual([]);
  });

  test("a card beside a failed call", async ({ start }) => {
    const { stored } = await converse(
      await start(),
      script(
        `r1.text="I would make one change, and look for another." r1.tool=catalog.createSystem r1.input={"name":""} r1.tool=catalog.createSystem r1.input={"name":"${unique("Valid")}"} tokens=20`,
      ),
    );
    expect(stored.parts).toMatchObject([
      { type: "step-start" },
      { type: "text" },
      { type: "dynamic-tool", state: "output-error" },
      { type: "dynamic-tool", state: "approval-requested", approval: { id: expect.any(String) } },
      { type: "data-proposal" },
    ]);
  });

  test("the reaction to an applied card", async ({ start, person }) => {
    const conversation = await start();
    const name = unique("Payments API");
    const card = await propose(conversation, name);
    const { stored } = await react(conversation, card, "apply");
    expect(JSON.stringify(stored.parts)).toContain("applied and live");
    expect((await conversation.messages()).map(({ role }) => role)).toEqual(["user", "assistant", "assistant"]);
    expect(await systems(person, name)).toEqual([name]);
  });

  test("the reaction to a declined card", async ({ start, person }) => {
    const conversation = await start();
    const name = unique("Unwanted");
    const card = await propose(conversation, name);
    const { stored } = await react(conversation, card, "decline");
    expect(JSON.stringify(stored.parts)).toContain("left everything as it was");
    expect(await systems(person, name)).toEqual([]);
  });

  test("a change that auto mode has made, and the text after it", async ({ start, person }) => {
    const name = unique("Automatic");
    const { stored } = await converse(await start({ permissionMode: "auto" }), { text: `Add a system called ${name}` });
    expect(cardsOf(stored)).toEqual([]);
    expect(cardsOf(stored, "applied")).toMatchObject([{ toolName: "catalog.createSystem", status: "applied" }]);
    expect(stored.parts.at(-1)).toMatchObject({ type: "text" });
    expect(await systems(person, name)).toEqual([name]);
  });

  test("the card of a deletion in auto mode", async ({ start, person }) => {
    const name = unique("Precious");
    await person.post("/api/catalog/systems", { name });
    const { stored } = await converse(await start({ permissionMode: "auto" }), { text: `Delete the system ${name}` });
    expect(cardsOf(stored)).toMatchObject([
      { toolName: "catalog.deleteSystem", effect: "destructive", status: "proposed" },
    ]);
    expect(await systems(person, name)).toEqual([name]);
  });

  test("the card of an update, with its difference", async ({ start, person }) => {
    const name = unique("Before");
    await person.post("/api/catalog/systems", { name });
    const { stored } = await converse(await start(), { text: `Rename the system ${name} to ${name} Renamed` });
    expect(cardsOf(stored)).toMatchObject([
      { toolName: "catalog.updateSystem", diff: [{ path: "name", before: name, after: `${name} Renamed` }] },
    ]);
  });
});

describe.concurrent("A stock client", () => {
  test("goes on chatting while a card waits", async ({ start, person }) => {
    const conversation = await start();
    const card = await propose(conversation);
    await converse(conversation, script("tokens=30"));
    expect(await live(person, card.proposalId)).toMatchObject({ status: "proposed" });
  });

  test("is refused a reaction to what has not been decided", async ({ start, person }) => {
    const conversation = await start();
    const { proposalId } = await propose(conversation);
    const chat = new StockChat(person, conversation.id);
    await chat.sendMessage(userMessage({ text: "" }), {
      body: { messageId: undefined, message: undefined, decision: { proposalId, kind: "apply" } },
    });
    expect(chat.error).toMatchObject({
      statusCode: 409,
      responseBody: expect.stringContaining("nothing to acknowledge"),
    });
    expect(await conversation.messages()).toHaveLength(2);
  });
});
