import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import { query } from "jsonpath-rfc9535";
import { AssertionBuilder } from "./AssertionBuilder";
import { changed, fieldsOf, inWords, textOf, valueOf, type Assertion, type Operators } from "./operators";
import { preview, type Query } from "./preview";

const ordering = [
  { id: "lessThan", words: "is less than", takes: "number" },
  { id: "greaterThan", words: "is greater than", takes: "number" },
];
const operators: Operators = {
  number: [{ id: "equals", words: "equals", takes: "number" }, ...ordering],
  timeThreshold: ordering,
  string: [
    { id: "contains", words: "contains", takes: "string" },
    { id: "matches", words: "matches", takes: "pattern" },
    { id: "isEmpty", words: "is empty", takes: "nothing" },
  ],
  boolean: [{ id: "isTrue", words: "is true", takes: "nothing" }],
  jsonPath: [
    { id: "equals", words: "equals", takes: "scalar" },
    { id: "exists", words: "exists", takes: "nothing" },
  ],
};
const fields = fieldsOf({
  properties: {
    statusCode: { type: "integer" },
    responseTimeMs: { type: "number", "x-unit": "ms", "x-label": "Response time" },
    body: { type: "string", "x-jsonpath": true },
    success: { type: ["boolean", "null"] },
  },
});
const find: Query = (path, document) => query(document as Parameters<typeof query>[0], path);
const result = {
  statusCode: 200,
  responseTimeMs: 40,
  body: '{"items":[{"state":"up"},{"state":"up"}],"n":3,"version":"1.10"}',
  success: true,
};
const judge = (assertion: Assertion) => {
  const field = fields.find(({ name }) => name === assertion.field);
  if (!field) throw new Error(`no field ${assertion.field}`);
  return preview(assertion, field, result, find);
};

describe("An assertion", () => {
  it("has the operators of its field, and of what a path finds", () => {
    const begun: Assertion = { field: "statusCode", operator: "equals", value: 200 };
    expect(changed(begun, { field: "success" }, fields, operators)).toEqual({ field: "success", operator: "isTrue" });
    expect(changed(begun, { field: "responseTimeMs" }, fields, operators).operator).toBe("lessThan");
    const body = changed(begun, { field: "body" }, fields, operators);
    expect(body).toEqual({ field: "body", operator: "contains", value: "200" });
    const path = changed(body, { jsonPath: "$.n" }, fields, operators);
    expect(path).toEqual({ field: "body", jsonPath: "$.n", operator: "equals", value: 200 });
    // A field without a document has no path.
    expect(changed(path, { field: "statusCode" }, fields, operators)).not.toHaveProperty("jsonPath");
  });

  it("keeps texts as texts", () => {
    expect(valueOf("200", "string")).toBe("200");
    expect(valueOf("200", "number")).toBe(200);
    expect(valueOf("007", "scalar")).toBe("007");
    expect(valueOf("true", "scalar")).toBe(true);
    expect(valueOf("", "number")).toBe("");
    expect(valueOf("200, 204", "list")).toEqual([200, 204]);
    expect(valueOf("200,", "range")).toEqual([200, ""]);
    expect(textOf([200, ""])).toBe("200, ");
  });

  it("is said in words", () => {
    expect(inWords({ field: "body", jsonPath: "$.n", operator: "equals", value: 3 }, operators)).toBe(
      "body at $.n equals 3",
    );
    expect(inWords({ field: "success", operator: "isTrue" }, operators)).toBe("success is true");
    expect(inWords({ field: "x", operator: "unheardOf", value: "y" }, operators)).toBe('x unheardOf "y"');
  });

  it("is tried on the last result", () => {
    expect(judge({ field: "statusCode", operator: "equals", value: 200 })).toEqual({ held: true, observed: 200 });
    expect(judge({ field: "responseTimeMs", operator: "lessThan", value: 10 }).held).toBe(false);
    expect(judge({ field: "body", jsonPath: "$.items[*].state", operator: "equals", value: "up" })).toEqual({
      held: true,
      observed: ["up", "up"],
    });
    expect(judge({ field: "body", jsonPath: "$.none", operator: "equals", value: 1 })).toEqual({
      held: false,
      problem: "$.none finds nothing.",
    });
    expect(judge({ field: "body", jsonPath: "$.none", operator: "notExists" }).held).toBe(true);
    expect(judge({ field: "body", jsonPath: "$[", operator: "exists" }).held).toBeNull();
    expect(judge({ field: "body", operator: "matches", value: '(?i)"STATE"' }).held).toBe(true);
    expect(judge({ field: "statusCode", operator: "notOneOf", value: [404, 500] }).held).toBe(true);
    expect(judge({ field: "statusCode", operator: "oneOf", value: [404, 500] }).held).toBe(false);
    expect(judge({ field: "body", jsonPath: "$.items[*].state", operator: "notOneOf", value: ["up"] }).held).toBe(
      false,
    );
    // Two texts are compared as texts, a text and a number as numbers.
    expect(judge({ field: "body", jsonPath: "$.version", operator: "equals", value: "1.1" }).held).toBe(false);
    expect(judge({ field: "body", jsonPath: "$.version", operator: "equals", value: 1.1 }).held).toBe(true);
    // Patterns that could block the browser (ReDoS) are left to the server.
    expect(judge({ field: "body", operator: "matches", value: "(a+)+$" }).held).toBeNull();
    expect(judge({ field: "body", operator: "matches", value: "(" }).held).toBeNull();
  });
});

function Harness({ issues, needs }: { issues: Map<string, string>; needs?: string }) {
  const [assertions, setAssertions] = useState<Assertion[] | undefined>(needs ? undefined : []);
  return (
    <QueryClientProvider client={new QueryClient()}>
      <AssertionBuilder
        assertions={assertions}
        fields={fields}
        issues={issues}
        needs={needs}
        onChange={setAssertions}
        operators={operators}
        sample={result}
      />
      <output>{JSON.stringify(assertions)}</output>
    </QueryClientProvider>
  );
}

it("Assertions are built from the fields of the result, and tell what the last one had", async () => {
  const user = userEvent.setup();
  render(<Harness issues={new Map([["assertions[0].value", "Must be a number."]])} />);
  await user.click(screen.getByTestId("add-assertion"));
  const row = screen.getByTestId("assertion");
  await user.type(within(row).getByLabelText("Value"), "500");
  expect(screen.getByRole("status").textContent).toBe(
    JSON.stringify([{ field: "statusCode", operator: "equals", value: 500 }]),
  );
  expect(within(row).getByTestId("assertion-preview").textContent).toBe("Fails on the last result, which has 200");
  expect(within(row).getByText("Must be a number.")).toBeDefined();
  expect(within(row).getByLabelText("Value").getAttribute("aria-invalid")).toBe("true");
  await user.selectOptions(within(row).getByLabelText("Field"), "success");
  expect(within(row).queryByLabelText("Value")).toBeNull();
  expect(within(row).getByTestId("assertion-preview").dataset.held).toBe("true");
  await user.click(within(row).getByRole("button", { name: "Remove assertion 1" }));
  expect(screen.getByText(/any response passes/)).toBeDefined();
});

it("No assertion is a choice where any value would pass", async () => {
  const user = userEvent.setup();
  render(<Harness issues={new Map([["assertions", "Are missing."]])} needs="say what the value has to be" />);
  expect(screen.getByText("No assertion yet: say what the value has to be.")).toBeDefined();
  expect(screen.getByRole("alert").textContent).toBe("Are missing.");
  await user.click(screen.getByRole("button", { name: "Let any value pass" }));
  expect(screen.getByRole("status").textContent).toBe("[]");
  expect(screen.getByText(/any response passes/)).toBeDefined();
  expect(screen.queryByRole("button", { name: "Let any value pass" })).toBeNull();
});
