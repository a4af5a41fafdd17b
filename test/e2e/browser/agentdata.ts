import { expect } from "vitest";
import type { Person } from "../stack/person";
import { unique } from "./names";

/** A tool that adds up prices. */
export const right = `import type { CustomTool } from "@countersign/sdk/tool";

export default {
  actions: {
    default: async (args: { prices: number[] }, ctx) => {
      ctx.log("info", "adding", { count: args.prices.length });
      if (args.prices.length === 0) throw new Error("there is nothing to add");
      return { total: args.prices.reduce((sum, price) => sum + price, 0) };
    },
  },
} satisfies CustomTool;
`;

/** Arguments of the tool. */
export const schema = JSON.stringify(
  {
    type: "object",
    properties: { prices: { type: "array", items: { type: "number" }, description: "The price of each thing." } },
    required: ["prices"],
    additionalProperties: false,
  },
  null,
  2,
);

/** The short name that the form makes of a name. */
export const slugOf = (name: string) => name.toLowerCase().replaceAll(/\s+/g, "-");

/** Writes something, whatever is stored. */
export async function put(person: Person, path: string, body: object): Promise<void> {
  const answer = await person.request(path, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}

/** An agent with a draft that has one tool, `total-of-cart`: its id, and the address of its revision in the API. */
export async function drafted(person: Person, source = right): Promise<{ agent: string; revision: string }> {
  const name = unique("Order desk");
  const agent = await person.post<{ id: string }>("/api/agents", { name, slug: slugOf(name) });
  const draft = await person.post<{ id: string }>(`/api/agents/${agent.id}/revisions`, {});
  const revision = `/api/agents/${agent.id}/revisions/${draft.id}`;
  await put(person, `${revision}/tools/total-of-cart`, {
    description: "Adds the prices of a cart.",
    args_schema: JSON.parse(schema) as object,
    source,
    effect: "read",
  });
  return { agent: agent.id, revision };
}
