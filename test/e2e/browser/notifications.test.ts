import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { unique } from "./names";
import { PushService, shown, type PushMessage } from "./pushservice";
import { installedWith } from "./test";
import { phone, resize } from "./visit";

const test = installedWith({ COUNTERSIGN_EGRESS_ALLOW: "127.0.0.1" });

interface Made {
  id: string;
}

let receiver: Server;
let pushes: PushService;

beforeAll(async () => {
  pushes = await PushService.start();
  receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
  });
  await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening));
});

afterAll(async () => {
  await pushes.stop();
  await new Promise((closed) => receiver.close(closed));
});

const address = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;

describe("Notifications", () => {
  test("a channel is made, tested and used by a rule, with quiet hours", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    const name = unique("Hook");
    await page.goto("/account");
    await page.getByRole("link", { name: "How I am notified" }).click();
    await page.getByTestId("notifications-page").waitFor();
    const account = page.getByTestId("row").filter({ hasText: "The e-mail address of the account" });
    await account.getByText("Not tested").waitFor();

    await page.getByTestId("new-channel").click();
    const form = page.getByTestId("form-dialog");
    await form.getByLabel("Name").fill(name);
    await form.getByLabel("Address").fill("nowhere");
    await form.getByTestId("form-submit").click();
    await form.getByText("Enter a web address").waitFor();
    await here.look("channel-form");
    await form.getByLabel("Address").fill(address());
    await form.getByTestId("form-submit").click();
    const secret = page.getByTestId("token-dialog");
    expect(await secret.getByTestId("application-token").textContent()).toMatch(/^whsec_/);
    await secret.getByRole("button", { name: "Done" }).click();

    const row = page.getByTestId("row").filter({ hasText: name });
    await row.getByText("Not tested").waitFor();
    await row.getByTestId("test-channel").click();
    await row.getByText("Works").waitFor();

    await page.getByTestId("add-rule").click();
    await page.getByLabel("Channel of rule 1").selectOption(name);
    await page.getByLabel("Delay of rule 1").selectOption("after 5 min");
    await page.getByLabel("Quiet hours").fill("at night");
    await page.getByTestId("save-rules").click();
    await page.getByText("Enter hours such as").waitFor();
    await page.getByLabel("Quiet hours").fill("22:00-07:00");
    await page.getByLabel("Time zone").fill("Europe/Berlin");
    await page.getByTestId("save-rules").click();
    await page.getByTestId("toast").getByText("Your notification rules were saved").waitFor();
    await here.look("notifications");
    await resize(page, phone);
    await here.look("notifications-phone");
    await page.reload();
    await page.getByTestId("rule").waitFor();
    expect(await page.getByLabel("Quiet hours").inputValue()).toBe("22:00-07:00");

    await page.getByRole("link", { name: "What was sent" }).click();
    await page.getByTestId("deliveries-page").waitFor();
    await page.getByTestId("delivery-state").selectOption("Failed");
    await page.getByText("No such delivery").waitFor();
    await here.look("deliveries-phone");
  });

  test("a browser is notified by messages that only it can read", async ({ visit, administrator }) => {
    const here = await visit();
    const { page } = here;
    await pushes.serves(page);
    await page.goto("/settings/notifications");
    await page.getByRole("button", { name: "Notify this browser" }).click();
    const row = page.getByTestId("row").filter({ hasText: "Web push" });
    await row.getByTestId("test-channel").click();
    await row.getByText("Works").waitFor();
    await here.look("push-channel");
    const { publicKey } = await administrator.get<{ publicKey: string }>("/api/notifications/push-key");
    const [request] = pushes.received;
    if (!request) throw new Error("nothing was sent");
    const message = pushes.open(request, publicKey);
    expect(message).toMatchObject({ title: expect.stringMatching(/test/i) as string, urgent: false });
    expect(request.body.includes(message.title)).toBe(false);
    expect(await shown(page, message)).toEqual({ title: message.title, body: message.body, url: message.url });

    // A call comes to the phone, and its link leads to the button that takes the incident on.
    const { id: person } = await administrator.get<Made>("/api/me");
    await administrator.request("/api/notifications/preferences", {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ rules: [] }),
    });
    const { id: system } = await administrator.post<Made>("/api/catalog/systems", { name: unique("Lift") });
    await administrator.post("/api/oncall/policies", {
      name: unique("Lifts"),
      default: true,
      steps: [{ delaySeconds: 0, targets: [{ kind: "person", id: person }] }],
    });
    const title = unique("The lift is stuck");
    await administrator.post("/api/incidents", { title, severity: "critical", systemIds: [system] });
    const called = () =>
      pushes.received
        .slice(1)
        .map((one) => pushes.open(one, publicKey))
        .find(({ urgent }) => urgent);
    await expect.poll(called).toBeDefined();
    const call = called() as PushMessage;
    expect((await shown(page, call)).title).toContain(title);
    await resize(page, phone);
    await page.goto(new URL(call.url).pathname);
    await page.getByRole("heading", { name: title }).waitFor();
    await here.look("call-phone");
    await page.goto("/on-call");
    const take = page.getByTestId("acknowledge");
    await take.waitFor();
    await here.look("on-call-phone");
    await take.click();
    await page.getByText("looks after it").waitFor();
  });

  test("an administrator sets the mail server and looks why it fails", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    await page.goto("/admin/operations");
    await page.getByTestId("save-mail").waitFor();
    await page.getByLabel("Host").fill("mail.invalid");
    await page.getByLabel("Sender").fill("countersign@example.com");
    await page.getByTestId("save-mail").click();
    await page.getByTestId("test-mail").click();
    await page.getByTestId("mail-result").filter({ hasText: /./ }).waitFor();
    await here.look("mail-server");
  });
});
