import { expect, it } from "vitest";
import type { Connection } from "../connections";
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

const stored = { kind: "openai-compatible", extraHeaderNames: ["X-Key"] } as Connection;

const parsed = (extraHeaders: { name: string; value: string }[]) =>
  connectionSchema(stored).safeParse({ ...filled, extraHeaders });
const body = (extraBody: string) => connectionSchema(undefined).safeParse({ ...filled, extraBody });

it("keeps the value of a stored header, and demands that of a new one", () => {
  expect(parsed([{ name: "x-key", value: "" }]).data?.extraHeaders).toEqual([{ name: "x-key", value: undefined }]);
  expect(parsed([{ name: "X-New", value: "v" }]).data?.extraHeaders).toEqual([{ name: "X-New", value: "v" }]);
  const refused = parsed([{ name: "X-New", value: "" }]);
  expect(refused.error?.issues.map(({ path }) => path.join("."))).toEqual(["extraHeaders.0.value"]);
});

it("takes a JSON object for the body and nothing else", () => {
  expect(body('{"top_p": 0.9}').data?.extraBody).toEqual({ top_p: 0.9 });
  expect(body("").data?.extraBody).toBeNull();
  for (const wrong of ["[1]", "null", "1", "{", '"x"']) expect(body(wrong).success).toBe(false);
});

it("leaves what is not chosen to the provider", () => {
  const fields = connectionSchema(undefined).parse(filled);
  expect(fields).toMatchObject({
    reasoningEffort: null,
    streaming: "auto",
    textCalls: "auto",
    firstTokenSeconds: null,
    maxTools: null,
  });
  expect(connectionSchema(undefined).safeParse({ ...filled, maxTools: "7" }).success).toBe(false);
  expect(connectionSchema(undefined).parse({ ...filled, maxTools: "64", firstTokenSeconds: "240" })).toMatchObject({
    maxTools: 64,
    firstTokenSeconds: 240,
  });
});
