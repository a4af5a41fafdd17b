import { expect, test } from "vitest";
import { auditExportUrl, auditFilter, auditParameters } from "./audit";
import { changeFilter, changesExportUrl } from "./history";

test("an address that makes no sense filters nothing", () => {
  const filter = auditFilter({
    from: "yesterday",
    to: "2026-02-31",
    transport: "pigeon",
    status: 7,
    text: "",
    tool: "a.b",
  });
  expect(JSON.stringify(filter)).toBe('{"tool":"a.b"}');
});

test("a filter by program stands in the address and in exports", () => {
  const program = "https://editor.example/client.json";
  expect(auditFilter({ program }).program).toBe(program);
  expect(changeFilter({ program }).program).toBe(program);
  const wanted = `program=${encodeURIComponent(program)}&format=csv`;
  expect(auditExportUrl({ program }, "csv")).toBe(`/api/ai/audit/export?${wanted}`);
  expect(changesExportUrl({ program }, "csv")).toBe(`/api/ai/audit/changes/export?${wanted}`);
});

test("both days of a range belong to it", () => {
  const parameters = auditParameters({ from: "2026-03-01", to: "2026-03-01" });
  expect(new Date(parameters.from ?? "")).toEqual(new Date(2026, 2, 1));
  expect(new Date(parameters.to ?? "")).toEqual(new Date(2026, 2, 2));
});

test("an export has the filters of the page", () => {
  const address = auditExportUrl({ status: "failed", text: "a&b" }, "csv");
  expect(address).toBe("/api/ai/audit/export?status=failed&text=a%26b&format=csv");
});

test("an address of changes that makes no sense filters nothing", () => {
  expect(JSON.stringify(changeFilter({ action: "explode", objectId: "1", transport: 7, from: "2026-02-31" }))).toBe(
    "{}",
  );
  expect(JSON.stringify(changeFilter({ objectType: "catalog.system", objectId: "1" }))).toBe(
    '{"objectType":"catalog.system","objectId":"1"}',
  );
  expect(changesExportUrl({ action: "deleted", to: "" }, "csv")).toBe(
    "/api/ai/audit/changes/export?action=deleted&format=csv",
  );
});
