import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { Person } from "../stack/person";
import { test } from "./test";

const status = async (person: Person) => (await person.request("/api/me")).status;

describe("A person", () => {
  test("signs out other browsers and changes the password", async ({ product, visit, administrator }) => {
    const email = `grace-${randomUUID().slice(0, 6)}@example.org`;
    const password = "correct horse battery";
    const { roles } = await administrator.get<{ roles: { id: string; name: string }[] }>("/api/roles");
    const roleIds = roles.filter(({ name }) => name === "users").map(({ id }) => id);
    await administrator.post("/api/users", { email, name: "Grace Hopper", password, roleIds });
    const [mine, first, second] = await Promise.all(
      [1, 2, 3].map(() => Person.signIn(product.url, { email, password })),
    );
    if (!mine || !first || !second) throw new Error("nobody is signed in");

    const here = await visit(mine);
    const { page } = here;
    await page.goto("/chat");
    await page.getByTestId("account-link").click();
    const rows = page.getByTestId("account-page").getByTestId("row");
    await rows.nth(2).waitFor();
    expect(await rows.filter({ hasText: "this browser" }).getByTestId("end-session").count()).toBe(0);
    await here.look("account");
    await page.getByTestId("end-session").first().click();
    await rows.nth(2).waitFor({ state: "detached" });
    expect([await status(first), await status(second)].toSorted()).toEqual([200, 401]);
    await page.getByTestId("end-other-sessions").click();
    await rows.nth(1).waitFor({ state: "detached" });
    expect([await status(first), await status(second), await status(mine)]).toEqual([401, 401, 200]);

    const tokens = page.getByTestId("chat-tokens");
    await tokens.getByLabel("Purpose").fill("Editor");
    await tokens.getByTestId("make-chat-token").click();
    const token = await page.getByTestId("application-token").textContent();
    await here.look("chat-token");
    await page.getByTestId("token-dialog").getByText("Done").click();
    const models = () => fetch(`${product.url}/v1/models`, { headers: { authorization: `Bearer ${token}` } });
    expect((await models()).status).toBe(200);
    await tokens.getByTestId("revoke-chat-token").click();
    await tokens.getByTestId("row").waitFor({ state: "detached" });
    expect((await models()).status).toBe(401);

    const form = page.getByTestId("password-form");
    const change = async (current: string, next: string, again = next) => {
      await form.getByLabel("Current password").fill(current);
      await form.getByLabel("New password", { exact: true }).fill(next);
      await form.getByLabel("Repeat new password").fill(again);
    };
    await change(password, "a new password", "another password");
    await form.getByText("The passwords do not match.").waitFor();
    expect(await form.getByTestId("change-password").isDisabled()).toBe(true);
    here.expects(/status of 422/);
    await change("wrong password", "a new password");
    await form.getByTestId("change-password").click();
    await form.getByText("The current password is wrong.").waitFor();
    await here.look("account-refused");
    await change(password, "a new password");
    await form.getByTestId("change-password").click();
    await page.getByTestId("toast").getByText("Your password was changed").waitFor();
    expect(await form.getByLabel("Current password").inputValue()).toBe("");
    await page.reload();
    await rows.first().waitFor();
    await expect(Person.signIn(product.url, { email, password })).rejects.toThrow("401");
    await Person.signIn(product.url, { email, password: "a new password" });
  });
});
