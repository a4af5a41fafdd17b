import { describe, expect, it, vi } from "vitest";
import type { Skill, SkillSummary } from "../api/skills";
import { ActiveSkills } from "./active";
import { copyOf, draftOf, emptyDraft, fieldsOf, newField } from "./draft";
import { authorOf, filterSkills } from "./filter";

const summary = (changes: Partial<SkillSummary>): SkillSummary => ({
  id: "1",
  name: "Release checker",
  description: "Checks a release.",
  targets: ["chat"],
  tags: ["ci"],
  source: "user",
  ownerId: "ada",
  ownerName: "Ada",
  editable: true,
  revision: 1,
  ...changes,
});

const whole: Skill = {
  ...summary({ targets: ["chat", "ai_analyze"], tags: ["ci", "release"] }),
  systemPrompt: "Be brief.",
  promptTemplate: "Check it.",
  suggestedOutputFields: [
    { key: "risk", type: "enum", description: "How risky.", options: ["high, really", "low"] },
    { key: "ok", type: "boolean", description: "Go." },
  ],
};

/** A storage that lasts as long as the test. */
function memory(value = "[]") {
  let stored = value;
  return { getItem: () => stored, setItem: (_: string, next: string) => void (stored = next) };
}

describe("filterSkills", () => {
  const builtin = summary({
    id: "b",
    name: "Incident commander",
    source: "builtin",
    ownerId: undefined,
    ownerName: undefined,
    description: "Leads.",
  });
  const analysis = summary({
    id: "a",
    name: "Grader",
    description: "Grades.",
    tags: [],
    targets: ["ai_analyze"],
    ownerId: "bob",
    ownerName: "Bob",
  });
  const skills = [builtin, analysis, summary({})];
  const ids = (filter: Parameters<typeof filterSkills>[1], me?: string) =>
    filterSkills(skills, filter, me).map(({ id }) => id);

  it("filters by target and source", () => {
    expect(ids({})).toEqual(["b", "a", "1"]);
    expect(ids({ target: "chat" })).toEqual(["b", "1"]);
    expect(ids({ source: "builtin" })).toEqual(["b"]);
    expect(ids({ source: "own" }, "bob")).toEqual(["a"]);
    expect(ids({ source: "own" })).toEqual([]);
  });

  it("finds every word in name, description, author or tags", () => {
    expect(ids({ query: "  RELEASE ci " })).toEqual(["1"]);
    expect(ids({ query: "bob" })).toEqual(["a"]);
    expect(ids({ query: "release bob" })).toEqual([]);
  });

  it("names the author", () => {
    expect(authorOf(builtin, "ada")).toBe("Built in");
    expect(authorOf(summary({}), "ada")).toBe("By you");
    expect(authorOf(analysis, "ada")).toBe("By Bob");
    expect(authorOf(summary({ ownerName: undefined }), "bob")).toBe("By a former user");
  });
});

describe("a skill in the form", () => {
  it("is sent as it was read when nothing is changed", () => {
    const { name, description, targets, tags, systemPrompt, promptTemplate, suggestedOutputFields } = whole;
    expect(fieldsOf(draftOf(whole))).toEqual({
      name,
      description,
      targets,
      tags,
      systemPrompt,
      promptTemplate,
      suggestedOutputFields,
    });
  });

  it("leaves the fields of an analysis out of a skill for chats", () => {
    expect(fieldsOf({ ...draftOf(whole), targets: ["chat"] }).suggestedOutputFields).toEqual([]);
  });

  it("sends options only with an enum", () => {
    const [risk] = draftOf(whole).fields;
    const draft = { ...draftOf(whole), fields: [{ ...risk!, type: "string" as const }] };
    expect(fieldsOf(draft).suggestedOutputFields).toEqual([{ key: "risk", type: "string", description: "How risky." }]);
  });

  it("gets a name of its own as a copy, within the limit", () => {
    expect(copyOf(whole).name).toBe("Copy of Release checker");
    expect(copyOf({ ...whole, name: "n".repeat(120) }).name).toHaveLength(120);
  });

  it("numbers new fields after those that are there", () => {
    expect(newField([]).row).toBe(0);
    expect(newField(draftOf(whole).fields).row).toBe(2);
    expect(emptyDraft.targets).toEqual(["chat"]);
  });
});

describe("ActiveSkills", () => {
  const skill = { id: "s", name: "Brief" };

  it("remembers the choice of a conversation over a reload", () => {
    const storage = memory();
    const listener = vi.fn<() => void>();
    const skills = new ActiveSkills(storage);
    skills.subscribe(listener);
    skills.set("c1", skill);
    expect(listener).toHaveBeenCalledOnce();
    expect(new ActiveSkills(storage).get("c1")).toEqual(skill);
    skills.set("c1", null);
    expect(new ActiveSkills(storage).get("c1")).toBeNull();
  });

  it("moves the choice of a draft to its conversation", () => {
    const skills = new ActiveSkills(memory());
    skills.move("draft", "c0");
    skills.set("draft", skill);
    skills.move("draft", "c1");
    expect(skills.get("c0")).toBeNull();
    expect(skills.get("c1")).toEqual(skill);
    expect(skills.get("draft")).toBeNull();
  });

  it("keeps what another tab has chosen", () => {
    const storage = memory();
    const here = new ActiveSkills(storage);
    new ActiveSkills(storage).set("c2", skill);
    here.set("c1", skill);
    expect(here.get("c2")).toEqual(skill);
  });

  it("forgets the oldest choices and survives a broken or missing storage", () => {
    const skills = new ActiveSkills(memory());
    for (let i = 0; i < 150; i++) skills.set(`c${i}`, skill);
    expect(skills.get("c0")).toBeNull();
    expect(skills.get("c149")).toEqual(skill);
    for (const broken of ["{", '{"a":1}', '[["c1"],[1,{}],["c1",{"id":2,"name":"x"}]]']) {
      expect(new ActiveSkills(memory(broken)).get("c1")).toBeNull();
    }
    const none = new ActiveSkills(null);
    none.set("c1", skill);
    none.set("c2", skill);
    expect(none.get("c1")).toEqual(skill);
  });
});
