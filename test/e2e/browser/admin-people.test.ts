import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { Person } from "../stack/person";
import { test } from "./test";

describe("An administrator", () => {
  test("invites somebody by a link, finds them, and resets their password", async ({ product, visit }) => {
    const here = await visit();
    const { page } = here;
    const word = randomUUID().slice(0, 8);
    const email = `ada-${word}@example.org`;
    const own = "a password that only Ada knows";
    const changed = "words that a thief would choose";
    await page.goto("/admin/users");
    await page.getByTestId("new-user").click();
    const form = page.getByTestId("form-dialog");
    await form.getByLabel("Name").fill("Ada Lovelace");
    await form.getByLabel("E-mail").fill(email);
    await form.getByTestId("form-submit").click();
    await page.getByTestId("password-link-dialog").getByRole("heading", { name: "Invite Ada Lovelace" }).waitFor();
    await page.getByTestId("make-password-link").click();
    const invitation = await page.getByTestId("password-link").innerText();
    expect(invitation).toMatch(/\/invite#csl_/);
    await here.look("admin-invitation");
    await page.getByTestId("made-link-dialog").getByText("Done").click();

    await page.getByTestId("user-search").fill(`lace ${word}`);
    await page.getByTestId("users-total").getByText("1 person").waitFor();
    const row = page.getByTestId("row");
    await row.getByText("invited", { exact: true }).waitFor();
    await row.getByText("link valid until").waitFor();
    await here.look("admin-users-found");
    await here.shrink("admin-users-phone");

    const ada = await visit(null);
    await ada.page.goto(invitation);
    await ada.page.getByRole("heading", { name: "Welcome, Ada Lovelace" }).waitFor();
    await ada.look("invitation");
    await ada.shrink("invitation-phone", true);
    await ada.page.getByLabel("New password", { exact: true }).fill(own);
    await ada.page.getByLabel("Repeat new password").fill(own);
    await ada.page.getByTestId("set-password-submit").click();
    await ada.page.waitForURL("**/chat**");
    await ada.page.getByTestId("me").getByText("Ada Lovelace").waitFor({ state: "attached" });

    await page.reload();
    await row.getByText("last signed in").waitFor();
    expect(await row.getByText("invited", { exact: true }).count()).toBe(0);
    await row.getByTestId("open-password-link").click();
    await page.getByTestId("make-password-link").click();
    const reset = await page.getByTestId("password-link").innerText();
    expect(reset).toMatch(/\/reset#csl_/);
    expect(await page.content()).not.toContain(invitation.split("#")[1]);

    // The invitation is used up.
    const thief = await visit(null);
    thief.expects(/status of 404/);
    await thief.page.goto(invitation);
    await thief.page.getByRole("heading", { name: "This link is no longer valid" }).waitFor();
    // The page that Ada has open finds out that her session is over.
    ada.expects(/status of 401/);
    await thief.page.goto(reset);
    await thief.page.getByRole("heading", { name: "Welcome, Ada Lovelace" }).waitFor();
    await thief.look("reset");
    await thief.shrink("reset-phone", true);
    await thief.page.getByLabel("New password", { exact: true }).fill(changed);
    await thief.page.getByLabel("Repeat new password").fill(changed);
    await thief.page.getByTestId("set-password-submit").click();
    await thief.page.waitForURL("**/chat**");
    await expect(Person.signIn(product.url, { email, password: own })).rejects.toThrow("401");
    await Person.signIn(product.url, { email, password: changed });
  });

  test("chooses the rules of a role in groups, sees who holds it, and lets a token expire", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    const name = `Editors ${randomUUID().slice(0, 8)}`;
    await page.goto("/admin/roles");
    await page.getByTestId("new-role").click();
    const form = page.getByTestId("form-dialog");
    await form.getByRole("textbox", { name: "Name" }).fill(name);
    await form.getByRole("button", { name: "Choose all of Catalog" }).click();
    await form.getByRole("button", { name: "Choose none of Catalog" }).waitFor();
    await form.getByLabel("Search access rules").fill("secrets");
    await form.getByTestId("rules-catalog").waitFor({ state: "detached" });
    await form.getByLabel("Search access rules").fill("");
    await form.getByTestId("rules-catalog").waitFor();
    await here.look("admin-role-form");
    await form.getByTestId("form-submit").click();
    const row = page.getByTestId("row").filter({ hasText: name });
    await row.getByText("no people").waitFor();
    await row.getByText(/Catalog \d/).waitFor();
    await here.look("admin-roles");
    await here.shrink("admin-roles-phone");
    await page.getByTestId("row").filter({ hasText: "everything" }).getByTestId("role-holders").click();
    await page.waitForURL("**/admin/users?role=*");
    await page.getByTestId("row").filter({ hasText: "you" }).waitFor();

    await page.goto("/admin/applications");
    await page.getByTestId("new-application").click();
    await form.getByRole("textbox", { name: "Name" }).fill(name);
    await form.getByLabel("Expires").fill("2001-01-01");
    await form.getByTestId("form-submit").click();
    await form.getByText("Choose today or a later day.").waitFor();
    await form.getByLabel("Expires").fill("2101-01-01");
    await here.look("admin-application-form");
    await form.getByTestId("form-submit").click();
    await page.getByTestId("token-dialog").getByText("Done").click();
    await page
      .getByTestId("row")
      .filter({ hasText: name })
      .getByText(/token expires 1 Jan 2101.*never used/)
      .waitFor();

    await page.goto("/admin/policies");
    await page.getByTestId("policies-catalog").getByText("Catalog").first().waitFor();
    await page.getByTestId("auto-catalog.deleteSystem").getByText("because it is destructive").waitFor();
  });
});
