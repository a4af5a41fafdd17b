import { expect, it } from "vitest";
import { connectionSchema, connectionValues } from "./connection";

const filled = { ...connectionValues(undefined), name: "Local", baseUrl: "http://localhost:1/v1", defaultModel: "m" };

it("takes no window that a turn cannot work in, and none at all", () => {
  const schema = connectionSchema(undefined);
  const refused = schema.safeParse({ ...filled, contextWindowTokens: "4095" });
  expect(refused.error?.issues).toMatchObject([
    { path: ["contextWindowTokens"], message: "Enter a whole number from 4,096 to 100,000,000." },
  ]);
  expect(schema.parse({ ...filled, contextWindowTokens: "4096" }).contextWindowTokens).toBe(4096);
  expect(schema.parse(filled).contextWindowTokens).toBeNull();
});
