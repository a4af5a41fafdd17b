import { describe, expect } from "vitest";
import { test } from "./test";

describe("A check of a model", () => {
  test("is started at its connection, watched, and put beside another one", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    await page.goto("/admin/connections");
    await page.getByRole("link", { name: "Check this model" }).first().click();
    await page.getByTestId("model-check-page").waitFor();
    await page.getByText("No check yet").waitFor();
    await here.look("model-check-empty");

    await page.getByLabel("Price of input").fill("2");
    await page.getByRole("button", { name: "Start check" }).click();
    await page.getByText("Enter both prices or none").waitFor();
    await page.getByLabel("Price of output").fill("8");
    await page.getByLabel("Situations").selectOption({ label: "On or off topic" });
    await page.getByRole("button", { name: "Start check" }).click();
    const report = page.getByTestId("model-check-report");
    await report.getByText("All 5 situations were played.").waitFor({ timeout: 60_000 });
    await report.getByRole("row", { name: /On or off topic \d of 5/ }).waitFor();
    expect(await report.getByRole("row", { name: /^Cost 0\.\d{4}$/ }).count()).toBe(1);

    await page.getByLabel("Situations").selectOption({ label: "Long context" });
    await page.getByLabel("Model", { exact: true }).fill("");
    await page.getByRole("button", { name: "Start check" }).click();
    await report.getByText("All 3 situations were played.").waitFor({ timeout: 60_000 });
    const first = report.locator("details").first();
    await first.locator("summary").click();
    await first
      .getByText(/Expected words like/)
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Compare" }).click();
    await report.getByRole("columnheader").nth(2).waitFor();
    await here.look("model-check-beside");
    await here.shrink("model-check-phone");

    // The address names both, so it can be passed on.
    await page.reload();
    await report.getByRole("columnheader").nth(2).waitFor();
  });
});
