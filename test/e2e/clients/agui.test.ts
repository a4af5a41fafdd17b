import { HttpAgent } from "@ag-ui/client";
import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import type { Person } from "../stack/person";
import { test } from "./test";

/** The stock AG-UI client, which checks each event and their order. */
function agentOf({ base, cookie }: Person, threadId = randomUUID().replaceAll("-", "")): HttpAgent {
  return new HttpAgent({ url: `${base}/api/ai/agui`, headers: { cookie }, threadId });
}

async function ask(agent: HttpAgent, content: string) {
  agent.addMessage({ id: randomUUID(), role: "user", content });
  return agent.runAgent({ runId: randomUUID() });
}

describe.concurrent("A stock AG-UI client", () => {
  test("asks, and asks on in one conversation", async ({ person }) => {
    const agent = agentOf(person);
    await ask(agent, "Explain how proposals expire");
    expect(JSON.stringify(agent.messages)).toContain("From the documentation");
    const { newMessages } = await ask(agent, "Which systems do we have?");
    expect(newMessages.some(({ role }) => role === "assistant")).toBe(true);
    const { conversations } = await person.get<{ conversations: { id: string; clientId?: string }[] }>(
      "/api/ai/conversations?limit=200",
    );
    const found = conversations.find(({ clientId }) => clientId === agent.threadId);
    const { messages } = await person.get<{ messages: unknown[] }>(`/api/ai/conversations/${found?.id}`);
    expect(messages).toHaveLength(4);
  });

  test("is told of a change, and changes nothing", async ({ person }) => {
    const agent = agentOf(person);
    const proposals: { proposalId: string }[] = [];
    agent.subscribe({
      onCustomEvent: ({ event }) => {
        if (event.name === "proposal") proposals.push(event.value as { proposalId: string });
      },
    });
    await ask(agent, `Add a system called Ledger ${randomUUID().slice(0, 8)} owned by the platform team`);
    expect(proposals).toHaveLength(1);
    const { status } = await person.get<{ status: string }>(`/api/ai/proposals/${proposals[0]?.proposalId}`);
    expect(status).toBe("proposed");
    expect(agent.messages.some(({ role }) => role === "tool")).toBe(true);
  });
});
