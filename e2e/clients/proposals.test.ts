import type { UIMessage } from "ai";
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { Person } from "../stack/person";
import { StockChat } from "./chat";
import { Conversation, converse, decide, script, userMessage, type ConversationSettings, type Decision } from "./conversation";

interface Card {
  proposalId: string;
  toolName: string;
  status: string;
  token?: string;
}

let person: Person;
beforeAll(async () => {
  const { url, ...credentials } = inject("product");
  person = await Person.signIn(url, credentials);
});

const start = (settings?: ConversationSettings) => Conversation.start(person, settings);
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
const live = (proposalId: string) => person.get<Card>(`/api/ai/proposals/${proposalId}`);

async function settle({ proposalId }: Card, decision: Decision): Promise<void> {
  if (decision === "decline") await person.post(`/api/ai/proposals/${proposalId}/decline`);
  else await person.post("/api/ai/proposals/apply", { token: (await live(proposalId)).token });
}

async function systems(query: string): Promise<string[]> {
  const found = await person.get<{ systems: { name: string }[] }>(`/api/catalog/systems?query=${encodeURIComponent(query)}`);
  return found.systems.map(({ name }) => name);
}

describe.concurrent("A stock client reduces to the stored message", () => {
  it("a card, which holds no token", async () => {
    const { stored, chunks } = await converse(await start(), { text: `Add a system called ${unique("Ledger")} owned by the platform team` });
    const [card] = cardsOf(stored);
    expect(card).toMatchObject({ toolName: "catalog.createSystem", status: "proposed", payload: { name: expect.stringContaining("Ledger") } });
    const { token } = await live(card?.proposalId ?? "");
    expect(token).toEqual(expect.any(String));
    expect(JSON.stringify([stored, chunks])).not.toContain(token);
    expect(JSON.stringify([stored, chunks])).not.toContain('"token"');
  });

  it("several cards of one step", async () => {
    const name = unique("Batch");
    const { stored } = await converse(
      await start(),
      script(`delay_token=30ms r1.text="Here are two changes that I would make." r1.tool=catalog.createSystem r1.input={"name":"${name} {call}"} r1.tool=catalog.createGroup r1.input={"name":"${name} {call}"}`),
    );
    expect(cardsOf(stored)).toMatchObject([{ toolName: "catalog.createSystem" }, { toolName: "catalog.createGroup" }]);
    expect(await systems(name)).toEqual([]);
  });

  it("a card beside a failed call", async () => {
    const { stored } = await converse(
      await start(),
      script(`delay_token=30ms r1.text="I would make one change, and look for another." r1.tool=catalog.createSystem r1.input={"name":""} r1.tool=catalog.createSystem r1.input={"name":"${unique("Valid")}"} tokens=20`),
    );
    expect(stored.parts).toMatchObject([
      { type: "step-start" },
      { type: "text" },
      { type: "dynamic-tool", state: "output-error" },
      { type: "dynamic-tool", state: "output-available" },
      { type: "data-proposal" },
    ]);
  });

  it("the reaction to an applied card", async () => {
    const conversation = await start();
    const name = unique("Payments API");
    const card = await propose(conversation, name);
    await settle(card, "apply");
    const { stored } = await decide(conversation, card.proposalId, "apply");
    expect(JSON.stringify(stored.parts)).toContain("applied and live");
    expect((await conversation.messages()).map(({ role }) => role)).toEqual(["user", "assistant", "assistant"]);
    expect(await systems(name)).toEqual([name]);
  });

  it("the reaction to a declined card", async () => {
    const conversation = await start();
    const name = unique("Unwanted");
    const card = await propose(conversation, name);
    await settle(card, "decline");
    const { stored } = await decide(conversation, card.proposalId, "decline");
    expect(JSON.stringify(stored.parts)).toContain("left everything as it was");
    expect(await systems(name)).toEqual([]);
  });

  it("a change that auto mode has made, and the text after it", async () => {
    const name = unique("Automatic");
    const { stored } = await converse(await start({ permissionMode: "auto" }), { text: `Add a system called ${name}` });
    expect(cardsOf(stored)).toEqual([]);
    expect(cardsOf(stored, "applied")).toMatchObject([{ toolName: "catalog.createSystem", status: "applied" }]);
    expect(stored.parts.at(-1)).toMatchObject({ type: "text" });
    expect(await systems(name)).toEqual([name]);
  });

  it("the card of a deletion in auto mode", async () => {
    const name = unique("Precious");
    await person.post("/api/catalog/systems", { name });
    const { stored } = await converse(await start({ permissionMode: "auto" }), { text: `Delete the system ${name}` });
    expect(cardsOf(stored)).toMatchObject([{ toolName: "catalog.deleteSystem", effect: "destructive", status: "proposed" }]);
    expect(await systems(name)).toEqual([name]);
  });

  it("the card of an update, with its difference", async () => {
    const name = unique("Before");
    await person.post("/api/catalog/systems", { name });
    const { stored } = await converse(await start(), { text: `Rename the system ${name} to ${name} Renamed` });
    expect(cardsOf(stored)).toMatchObject([
      { toolName: "catalog.updateSystem", diff: [{ path: "name", before: name, after: `${name} Renamed` }] },
    ]);
  });
});

describe.concurrent("A stock client", () => {
  it("goes on chatting while a card waits", async () => {
    const conversation = await start();
    const card = await propose(conversation);
    await converse(conversation, script("delay_token=30ms tokens=30"));
    expect(await live(card.proposalId)).toMatchObject({ status: "proposed" });
  });

  it("is refused a reaction to what has not been decided", async () => {
    const conversation = await start();
    const { proposalId } = await propose(conversation);
    const chat = new StockChat(person, conversation.id);
    await chat.sendMessage(userMessage({ text: "" }), { body: { messageId: undefined, message: undefined, decision: { proposalId, kind: "apply" } } });
    expect(chat.error).toMatchObject({ statusCode: 409, responseBody: expect.stringContaining("nothing to acknowledge") });
    expect(await conversation.messages()).toHaveLength(2);
  });
});
