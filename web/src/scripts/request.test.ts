import { describe, expect, test } from "vitest";
import { firstDraft, type Draft } from "./draft";
import { places, type Place } from "./places";
import { parseObject, prepare } from "./request";

const place = (id: Place["id"]) => places.find((each) => each.id === id) as Place;
const draft = (id: Place["id"], change: Partial<Draft> = {}) => ({ ...firstDraft(place(id), "export {}"), ...change });

describe("A request", () => {
  test("of a health check carries everything that was typed", () => {
    const { test: sent } = prepare(
      place("healthcheck-script"),
      draft("healthcheck-script", { config: '{"url":"u"}', sample: '{"system":{"name":"S"}}', timeout: "2.5" }),
    );
    expect(sent).toEqual({
      context: "healthcheck-script",
      source: "export {}",
      config: { url: "u" },
      sampleContext: { system: { name: "S" } },
      timeoutMs: 2_500,
      checkTypes: true,
    });
  });

  test("of a shell script asks for no types, and parts secrets from other variables", () => {
    const env = JSON.stringify({ REGION: "eu", TOKEN: "${{ secrets.API }}" });
    const { test: sent } = prepare(
      place("automation-action-shell"),
      draft("automation-action-shell", { env, checkTypes: true }),
    );
    expect(sent).toMatchObject({
      env: { REGION: "eu" },
      secretEnv: { TOKEN: "${{ secrets.API }}" },
      checkTypes: false,
    });
    expect(sent?.config).toBeUndefined();
  });

  test("is not made of inputs that cannot be read, and every one is named", () => {
    const broken = { source: " ", config: "[1]", sample: "{", env: "{}", timeout: "31" };
    const { test: sent, issues } = prepare(place("healthcheck-script"), draft("healthcheck-script", broken));
    expect(sent).toBeUndefined();
    expect(Object.keys(issues ?? {}).toSorted()).toEqual(["config", "sample", "source", "timeout"]);
  });

  test.each(["", "0", "abc", "30.1", "-1", "1e9"])("has no time limit of %j", (timeout) => {
    expect(
      prepare(place("automation-action-script"), draft("automation-action-script", { timeout })).issues?.timeout,
    ).toBeDefined();
  });

  test("has variables of text only", () => {
    const { issues } = prepare(place("healthcheck-shell"), draft("healthcheck-shell", { env: '{"N":1}' }));
    expect(issues?.env).toBe("Every value must be a string.");
  });

  test("looks at no field that its place does not show", () => {
    expect(
      prepare(place("automation-action-script"), draft("automation-action-script", { config: "{", env: "{" })).issues,
    ).toBeUndefined();
  });
});

test("A JSON object may be left empty, and nothing else is taken for one", () => {
  expect(parseObject("  ")).toEqual({});
  expect(parseObject('{"a":1}')).toEqual({ value: { a: 1 } });
  for (const text of ["null", "1", "[]", '"x"', "{,}"]) expect(parseObject(text).issue).toBeDefined();
});
