import { expect, it } from "vitest";
import { sharingSchema, type SharingFields } from "./sharing";

const issuesOf = (fields: SharingFields) =>
  sharingSchema.safeParse(fields).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];

const shop = (relation: SharingFields["grants"][number]["relation"]) => ({ subject: "team:shop", relation });

it("What is private has an owner who can open it again", () => {
  expect(issuesOf({ closed: true, grants: [shop("editor")] })).toEqual([
    "closed: List at least one owner: only owners can change access.",
  ]);
  expect(issuesOf({ closed: true, grants: [shop("owner")] })).toEqual([]);
  expect(issuesOf({ closed: false, grants: [] })).toEqual([]);
});

it("Nobody stands twice", () => {
  expect(issuesOf({ closed: false, grants: [shop("owner"), shop("viewer")] })).toEqual([
    "grants.1.subject: Already listed.",
  ]);
});
