import { describe, expect } from "vitest";
import type { Schema } from "../stack/api";
import type { Person } from "../stack/person";
import { Chat, PlanCard } from "./chat";
import { unique } from "./names";
import { scripted as test } from "./test";

type System = Schema<"CatalogSystem">;

async function systems(person: Person, query: string): Promise<System[]> {
  return (await person.get<Schema<"CatalogSystemList">>(`/api/catalog/systems?query=${encodeURIComponent(query)}`))
    .systems;
}

/** Has the assistant propose two changes in one answer. */
async function propose(chat: Chat, calls: [tool: string, input: object][]): Promise<PlanCard> {
  await chat.perform(
    calls.map(([tool, input]) => `r1.tool=${tool} r1.input=${JSON.stringify(input)}`).join(" ") +
      ' text="Two changes wait for you."',
  );
  const plan = new PlanCard(chat.page.getByTestId("plan-card"));
  await plan.is("proposed");
  return plan;
}

describe("A plan", () => {
  test("is applied with one click, in order, and acknowledged once", async ({ visit, administrator }) => {
    const stem = unique("Planned");
    const here = await visit();
    const chat = await Chat.open(here.page);
    const plan = await propose(chat, [
      ["catalog.createSystem", { name: `${stem} API` }],
      ["catalog.createSystem", { name: `${stem} UI` }],
    ]);
    await plan.members.nth(1).getByText(`${stem} UI`).first().waitFor();
    expect(await plan.statuses()).toEqual(["proposed", "proposed"]);
    expect(await systems(administrator, stem)).toEqual([]);
    await chat.idle();
    await here.look("plan-open");
    await here.shrink("plan-open-phone");

    await plan.apply.click();
    await plan.is("applied");
    expect(await plan.statuses()).toEqual(["applied", "applied"]);
    await plan.element.getByText("All applied").waitFor();
    await plan.members.first().getByText("Applied by Administrator").waitFor();
    await chat.answers.nth(1).waitFor();
    await chat.idle();
    await here.look("plan-applied");
    expect((await systems(administrator, stem)).map(({ name }) => name).toSorted()).toEqual([
      `${stem} API`,
      `${stem} UI`,
    ]);

    // A returning user sees neither the decision nor its acknowledgement again.
    await here.page.reload();
    await plan.is("applied");
    await chat.idle();
    expect(await chat.answers.count()).toBe(2);
    expect(await here.page.getByTestId("plan-card").count()).toBe(1);
  });

  test("stops at the change that fails", async ({ visit, administrator }) => {
    const stem = unique("Stopped");
    const { id } = await administrator.post<{ id: string }>("/api/catalog/systems", {
      name: `${stem} API`,
      description: "Takes orders",
    });
    const here = await visit();
    const chat = await Chat.open(here.page);
    const plan = await propose(chat, [
      ["catalog.updateSystem", { id, description: "From the plan" }],
      ["catalog.createSystem", { name: `${stem} UI` }],
    ]);
    await administrator.patch(`/api/catalog/systems/${id}`, { description: "From somebody else" });
    await plan.apply.click();
    await plan.is("failed");
    expect(await plan.statuses()).toEqual(["failed", "skipped"]);
    await plan.element.getByTestId("drift").getByText("From somebody else").waitFor();
    await plan.element.getByText("Stopped: 0 of 2 applied").waitFor();
    await chat.answers.nth(1).waitFor();
    await chat.idle();
    await here.look("plan-stopped");
    const kept = await systems(administrator, stem);
    expect(kept.map(({ name, description }) => [name, description])).toEqual([[`${stem} API`, "From somebody else"]]);
    expect(await chat.answers.count()).toBe(2);
  });
});
