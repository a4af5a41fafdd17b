import { describe, expect, it } from "vitest";
import type { Proposal } from "../api/proposals";
import { groupByPlan, planHeadline, withPlans } from "./plan";

function proposal(id: string, changes: Partial<Proposal> = {}): Proposal {
  return {
    proposalId: id,
    toolCallId: `call-${id}`,
    createdAt: "2026-11-21T10:00:00Z",
    proposer: { kind: "user", id: "me", name: "Ada" },
    toolName: "catalog.createSystem",
    effect: "mutate",
    summary: `Create ${id}`,
    payload: {},
    status: "proposed",
    expiresAt: "2026-11-21T10:10:00Z",
    turnId: "t1",
    ...changes,
  };
}

const card = (id: string) => ({ kind: "proposal" as const, key: id, card: proposal(id) });
const text = { kind: "text" as const, key: "0" };

describe("withPlans", () => {
  it("leaves a single proposal alone", () => {
    const blocks = [text, card("a")];
    expect(withPlans(blocks)).toBe(blocks);
  });

  it("draws several proposals as one plan where the first of them stands", () => {
    const after = { kind: "text" as const, key: "9" };
    const blocks = withPlans([text, card("a"), after, card("b")]);
    expect(blocks.map((block) => block.kind)).toEqual(["text", "plan", "text"]);
    expect(blocks[1]).toMatchObject({ key: "t1", cards: [{ proposalId: "a" }, { proposalId: "b" }] });
  });
});

describe("groupByPlan", () => {
  it("keeps a plan together in its own order, where its newest change stands", () => {
    const groups = groupByPlan([
      proposal("c", { planId: "t1", planPosition: 2 }),
      proposal("x"),
      proposal("b", { planId: "t1", planPosition: 1 }),
    ]);
    expect(groups.map((group) => group.proposals.map((one) => one.proposalId))).toEqual([["b", "c"], ["x"]]);
    expect(groups.map((group) => group.planId)).toEqual(["t1", null]);
  });
});

describe("planHeadline", () => {
  it.each([
    [["proposed", "proposed"], "Waiting for you"],
    [["declined", "proposed"], "1 of 2 wait for you"],
    [["applied", "applying", "applying"], "Applying 2 of 3…"],
    [["applied", "failed", "skipped"], "Stopped: 1 of 3 applied"],
    [["applied", "applied"], "All applied"],
    [["declined", "declined"], "Declined"],
    [["applied", "declined"], "1 of 2 applied"],
  ] as const)("of %j is %s", (statuses, headline) => {
    expect(planHeadline(statuses.map((status) => proposal(status, { status, token: "t" }))).text).toBe(headline);
  });

  it("says that others have to decide where its reader cannot", () => {
    const open = [proposal("a"), proposal("b")];
    expect(planHeadline(open).text).toBe("Waiting for others");
    expect(planHeadline([...open, proposal("c", { status: "applied" })]).text).toBe("2 of 3 wait for others");
  });
});
