import { expect, it } from "vitest";
import { argumentsOf, formFits, typeOf } from "./arguments";

it("Arguments are told by name, type and meaning", () => {
  expect(
    argumentsOf({
      type: "object",
      required: ["id"],
      properties: {
        id: { type: "string", description: "The order.", minLength: 1 },
        sizes: { type: "array", items: { type: "integer" } },
        level: { enum: ["low", "high"] },
        any: {},
      },
    }),
  ).toEqual([
    { name: "id", type: "text, not empty", required: true, description: "The order." },
    { name: "sizes", type: "list of whole numbers", required: false, description: "" },
    { name: "level", type: "one of low, high", required: false, description: "" },
    { name: "any", type: "anything", required: false, description: "" },
  ]);
});

it("A schema that says more than a table is not put into one", () => {
  expect(argumentsOf({ type: "string" })).toBeNull();
  expect(argumentsOf({ type: "object", oneOf: [] })).toBeNull();
  expect(argumentsOf({ type: "object", properties: { a: { type: "string" } }, if: {} })).toBeNull();
});

it("Nothing to say is no argument", () => {
  expect(argumentsOf({})).toEqual([]);
  expect(argumentsOf({ type: "object" })).toEqual([]);
});

it("A form is drawn where one fits", () => {
  expect(formFits({ type: "object", properties: { a: { type: "string" } } })).toBe(true);
  expect(formFits({ type: "object", properties: { a: { $ref: "#/$defs/a" } } })).toBe(false);
  expect(formFits({})).toBe(false);
});

it("Types are words", () => {
  expect(typeOf({ type: ["string", "null"] })).toBe("text or nothing");
  expect(typeOf({ type: "integer", minimum: 0, maximum: 9 })).toBe("whole number, 0 to 9");
  expect(typeOf({ const: 3 })).toBe("3");
  expect(typeOf({ type: "array", items: { type: "string", format: "uri" } })).toBe("list of text, uri");
  expect(typeOf(true)).toBe("anything");
});
