import { describe, expect, it } from "vitest";
import { explain, Problem, withoutIds } from "../api/problem";
import { issueWords, namedIssueWords, pathWords } from "./issuewords";

const id = "0199aa00-0000-7000-8000-000000000001";

describe("what the server finds wrong", () => {
  it.each([
    ["expected length >= 1", "Fill this in."],
    ["expected required property name to be present", "Fill this in."],
    ["expected length <= 2000", "At most 2,000 characters."],
    ["expected array length <= 1", "At most 1 entry."],
    ["expected number >= 0.5", "At least 0.5."],
    ["expected string to be RFC 5322 email: mail: missing '@'", "Enter an e-mail address."],
    ['expected value to be one of "approve, auto"', "One of these: approve, auto."],
    ["names no team", "Names no team."],
    ["must have at least 8 characters", "Must have at least 8 characters."],
  ])("%s reads %s at its field", (message, words) => expect(issueWords(message)).toBe(words));

  it("names the field where it stands alone", () => {
    expect(namedIssueWords({ path: "ownerTeamId", message: "names no team" })).toBe("Owner team names no team.");
    expect(namedIssueWords({ path: "name", message: "expected length >= 1" })).toBe("Name: Fill this in.");
    expect(namedIssueWords({ path: "", message: "is not JSON" })).toBe("Is not JSON.");
  });

  it.each([
    ["body.tags[2]", "Tags 3"],
    ["contacts[0].userId", "Contacts 1, user"],
    ["environmentIds[1]", "Environment 2"],
    ["/name", "Name"],
    ["", ""],
  ])("%s is called %s", (path, words) => expect(pathWords(path)).toBe(words));
});

describe("ids", () => {
  it.each([
    [
      `No system has the id ${id}. List the systems to see what exists.`,
      "There is no such system. It may have been deleted.",
    ],
    [
      `No model connection has the id ${id}. List the connections to see what exists.`,
      "There is no such model connection. It may have been deleted.",
    ],
    [
      `A memory of yours is for nearly the same: "tea" (id ${id}). Change that one.`,
      'A memory of yours is for nearly the same: "tea". Change that one.',
    ],
    [`The system Shop has no link with the id ${id}. Read it.`, "The system Shop has no such link. Read it."],
    [`The subject ${id} does not exist.`, "The subject does not exist."],
    ["Nothing of the kind.", "Nothing of the kind."],
  ])("are nothing that people read: %s", (text, words) => {
    expect(withoutIds(text)).toBe(words);
    expect(explain(new Problem({ status: 404, detail: text }))).toBe(words);
  });
});
