import { useQuery } from "@tanstack/react-query";
import type { Contact, Environment, Group, System } from "../api/catalog";
import { answer, api, once, type Schema } from "../api/client";
import { grantRules } from "../api/grants";
import { holds, meQuery } from "../api/session";
import type { Again } from "../ui/DeleteDialog";

/** How many places of a system, and how many systems of a place, can be named at once: of more, none are. */
const most = { places: 50, systems: 100 };

const few = (ids: string[], limit: number) => (ids.length > limit ? undefined : ids);

/**
 * Input that recreates a system, as the undo of a proposed deletion does: its fields visible to the reader, without
 * grants.
 */
export const formerSystem = (system: System): Schema<"CatalogNewSystem"> => ({
  name: system.name,
  description: system.description,
  metadata: system.metadata,
  tags: system.tags,
  ownerTeamId: system.owners.length === 1 ? system.owners[0]?.teamId : undefined,
  contacts: system.contacts.flatMap(formerContact),
  links: system.links.map(({ label, url }) => ({ label, url })),
  environmentIds: few(ids(system.environments), most.places),
  groupIds: few(ids(system.groups), most.places),
});

const ids = (places: { id: string }[]) => places.map(({ id }) => id);

/** A deleted user has no visible data. */
const formerContact = ({ type, label, userId, userName, email, address }: Contact): Schema<"CatalogNewContact">[] =>
  type === "user" && !userName ? [] : [{ type, label, userId, email, address }];

export const formerGroup = ({ name, description, metadata, systemIds }: Group): Schema<"CatalogNewGroup"> => ({
  name,
  description,
  metadata,
  systemIds: few(systemIds, most.systems),
});

export const formerEnvironment = (environment: Environment): Schema<"CatalogNewEnvironment"> => ({
  name: environment.name,
  description: environment.description,
  fields: environment.fields,
  systemIds: few(environment.systemIds, most.systems),
});

/**
 * How a record that was deleted on a page is proposed again. Not what is private, which would be shown to everybody whose roles allow it,
 * nor that of which the reader is not told whether it is.
 */
function again<Item extends { id: string }>(noun: string, tool: string, input: (item: Item) => object): Again<Item> {
  return {
    ready: async ({ id }) => {
      const path = { objectType: `catalog.${noun}`, objectId: id };
      return !(await answer(api.GET("/api/grants/{objectType}/{objectId}", { params: { path } }))).private;
    },
    propose: (item, key) =>
      answer(
        api.POST("/api/ai/tools/{name}/propose", {
          params: { path: { name: tool }, header: once(key) },
          body: { input: input(item) },
        }),
      ),
  };
}

const system = again("system", "catalog.createSystem", formerSystem);
const group = again("group", "catalog.createGroup", formerGroup);
const environment = again("environment", "catalog.createEnvironment", formerEnvironment);

/** Records that their deleter can propose again. */
export function useBringBack() {
  const { data: me } = useQuery(meQuery);
  const may = (noun: string) => holds(me, `catalog.${noun}.manage`) && holds(me, grantRules.read);
  return {
    system: may("system") ? system : undefined,
    group: may("group") ? group : undefined,
    environment: may("environment") ? environment : undefined,
  };
}

/** Note of the deletion dialog on restoring, after the other consequences. */
export const backWords = (offered: Again<never> | undefined, lost: string) =>
  offered
    ? ` You can propose it again from the notice, unless it is private; ${lost} are lost.`
    : " This cannot be undone.";
