import { test as base } from "vitest";
import { Installation } from "../stack/installation";
import type { Person } from "../stack/person";
import { Conversation, type ConversationSettings } from "./conversation";
import { Gate } from "./gate";

interface Fixtures {
  gate: Gate;
  /** The administrator of an installation that the tests of a file share. */
  person: Person;
  /** Starts a conversation with a model that can be held. */
  start: (settings?: ConversationSettings) => Promise<Conversation>;
}

/** Long enough for a slow machine, short enough to wait for it once. */
const stall = "5s";

/** Clients hear of changes at a heartbeat, for which nobody has to wait a quarter of a minute. */
const heartbeat = "2s";

/** Many tests share one person, and none of them is about how many calls a person may make. */
const budget = "10000";

/** A test against the running product. */
export const test = base.extend<Fixtures>({
  gate: [
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const gate = await Gate.open();
      await use(gate);
      await gate.close();
    },
    { scope: "file" },
  ],
  person: [
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const installation = await Installation.create({
        COUNTERSIGN_MODEL_STALL_TIMEOUT: stall,
        COUNTERSIGN_STREAM_HEARTBEAT: heartbeat,
        COUNTERSIGN_TOOL_BUDGET_CALLS: budget,
      });
      await use(await installation.administrator(await installation.start("all")));
      await installation.stop();
    },
    { scope: "file" },
  ],
  start: async ({ gate, person }, use) => use((settings) => Conversation.start(person, gate, settings)),
});
