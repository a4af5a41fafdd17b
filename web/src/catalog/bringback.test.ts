import { expect, it } from "vitest";
import type { Environment, Group, System } from "../api/catalog";
import { formerEnvironment, formerGroup, formerSystem } from "./bringback";

const times = {
  createdAt: "2026-11-21T10:00:00Z",
  updatedAt: "2026-11-21T10:00:00Z",
  revision: 3,
  access: "owner",
} as const;

const payments: System = {
  ...times,
  id: "s1",
  name: "Payments",
  description: "Takes money",
  metadata: { tier: 1 },
  tags: ["core"],
  owners: [{ teamId: "t1", teamName: "Platform" }],
  groups: [{ id: "g1", name: "Shop" }],
  environments: [{ id: "e1", name: "production" }],
  contacts: [
    { id: "c1", type: "user", label: "On-call", userId: "u1", userName: "Ada", userEmail: "ada@example.org" },
    { id: "c2", type: "user", label: "Before", userId: "u2" },
    { id: "c3", type: "mailbox", label: "", email: "pay@example.org" },
  ],
  links: [{ id: "l1", label: "Runbook", url: "https://example.org", createdAt: times.createdAt }],
};

it("makes a system again with all that a new one can have", () => {
  expect(formerSystem(payments)).toEqual({
    name: "Payments",
    description: "Takes money",
    metadata: { tier: 1 },
    tags: ["core"],
    ownerTeamId: "t1",
    groupIds: ["g1"],
    environmentIds: ["e1"],
    contacts: [
      { type: "user", label: "On-call", userId: "u1" },
      { type: "mailbox", label: "", email: "pay@example.org" },
    ],
    links: [{ label: "Runbook", url: "https://example.org" }],
  });
});

it("leaves out owners of whom there is not one, and more places than can be named", () => {
  const environments = Array.from({ length: 51 }, (_, n) => ({ id: `e${n}`, name: `E${n}` }));
  const again = formerSystem({ ...payments, owners: [...payments.owners, ...payments.owners], environments });
  expect([again.ownerTeamId, again.environmentIds, again.groupIds]).toEqual([undefined, undefined, ["g1"]]);
});

it("makes groups and environments again with the systems in them", () => {
  const group: Group = { ...times, id: "g1", name: "Shop", description: "", metadata: {}, systemIds: ["s1"] };
  expect(formerGroup(group)).toEqual({ name: "Shop", description: "", metadata: {}, systemIds: ["s1"] });
  const systemIds = Array.from({ length: 101 }, (_, n) => `s${n}`);
  expect(formerGroup({ ...group, systemIds }).systemIds).toBeUndefined();
  const place: Environment = {
    ...times,
    id: "e1",
    name: "production",
    description: "",
    fields: { region: "eu" },
    systemIds: ["s1"],
  };
  expect(formerEnvironment(place)).toEqual({
    name: "production",
    description: "",
    fields: { region: "eu" },
    systemIds: ["s1"],
  });
});
