import { expect, it } from "vitest";
import type { AgentRevision, RevisionState } from "../../api/agents";
import { chooseRevision } from "./choose";

const revision = (number: number, state: RevisionState) => ({ id: String(number), number, state }) as AgentRevision;
const all = [revision(4, "ready"), revision(3, "draft"), revision(2, "live"), revision(1, "archived")];

it("The page shows what is asked for, else what its reader came for", () => {
  expect(chooseRevision(all, 1, true)?.number).toBe(1);
  expect(chooseRevision(all, undefined, true)?.number).toBe(3);
  expect(chooseRevision(all, undefined, false)?.number).toBe(2);
  expect(chooseRevision(all, 99, false)?.number).toBe(2);
  expect(chooseRevision([revision(1, "archived"), revision(2, "ready")], undefined, true)?.number).toBe(2);
  expect(chooseRevision([], undefined, true)).toBeUndefined();
});
