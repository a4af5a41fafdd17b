import type { Query, QueryClient } from "@tanstack/react-query";
import { catalogKey } from "../api/catalog";
import { isAboutDeleted } from "../api/deletion";
import { memoriesKey } from "../api/memories";
import { presence } from "../api/presence";
import { policiesQuery } from "../api/policies";
import { proposalsKey, type Proposal, isSettled } from "../api/proposals";
import { sharedKey } from "../api/shared";
import { skillsKey } from "../api/skills";
import type { Change } from "./connection";
import { healthNews } from "./health";
import { setHeard } from "./heard";
import { SharedChanges } from "./shared";

/** Changes that come together are read together. */
const gatherMilliseconds = 60;

/** Poll interval of everything while the stream is disconnected. */
const deafMilliseconds = 60_000;

/** A list with more loaded pages is read again when it is opened next. */
const mostPages = 3;

/** Reads again what pages show as soon as it changes anywhere, until the function that it returns is called. */
export function follow(client: QueryClient, person: string): () => void {
  let pending: Change[] = [];
  let gathering: ReturnType<typeof setTimeout> | undefined;
  let deaf: ReturnType<typeof setInterval> | undefined;
  const tell = (change: Change) => {
    if (change.kind === "health" || change.kind === "reset") healthNews.say(change.id);
    if (change.kind === "health") return;
    pending.push(change);
    gathering ??= setTimeout(() => {
      const changes = pending;
      pending = [];
      gathering = undefined;
      readAgain(client, changes);
    }, gatherMilliseconds);
  };
  const listen = (open: boolean, health: boolean) => {
    setHeard(open);
    healthNews.setTold(health);
    clearInterval(deaf);
    if (open) return;
    deaf = setInterval(() => {
      // The reads would be refused, and interrupt a typing user with a sign-in.
      if (!presence.over()) readAgain(client, [{ kind: "reset" }]);
    }, deafMilliseconds);
  };
  listen(false, false);
  const changes = new SharedChanges(person, tell, listen);
  const ask = () => changes.askHealth(healthNews.isAsked());
  const leave = healthNews.subscribe(ask);
  ask();
  return () => {
    leave();
    changes.close();
    clearTimeout(gathering);
    clearInterval(deaf);
    setHeard(false);
    healthNews.setTold(false);
  };
}

export function readAgain(client: QueryClient, changes: Change[]): void {
  const concerned = (query: Query) => changes.some((change) => concerns(change, query));
  // Data of an open form does not change under the hand that is about to save it: saving reports changes of others.
  const edited = isFormOpen();
  const deleted = isAboutDeleted(client);
  const rests = (query: Query) => long(query) || deleted(query) || (edited && hasForms.has(query.queryKey[0]));
  void client.invalidateQueries({ predicate: (query) => concerned(query) && !rests(query) });
  void client.invalidateQueries({ predicate: (query) => concerned(query) && rests(query), refetchType: "none" });
}

const hasForms = new Set<unknown>([catalogKey[0], memoriesKey[0], skillsKey[0]]);

const isFormOpen = (): boolean => document.querySelector("form") !== null;

const long = ({ state }: Query): boolean =>
  ((state.data as { pages?: unknown[] } | undefined)?.pages?.length ?? 0) > mostPages;

/** Whether what a query has read may be another thing after a change. */
function concerns(change: Change, { queryKey, state }: Query): boolean {
  const [area, second, third] = queryKey;
  const any = change.kind === "reset";
  switch (area) {
    case "conversations":
    case "archived-conversations":
      return any || change.kind === "conversation";
    case "conversation":
      return any || (change.kind === "conversation" && change.id === second);
    case sharedKey[0]:
      return any || (change.kind === "conversation" && (second === "list" || change.id === third));
    case proposalsKey[0]:
    case "plan":
    // Proposals about them announce their changes.
    case policiesQuery.queryKey[0]:
      return any || change.kind === "proposal";
    case "proposal": {
      const known = state.data as Proposal | undefined;
      return known && isSettled(known.status) ? false : any || (change.kind === "proposal" && change.id === second);
    }
    case memoriesKey[0]:
      return any || change.type === "ai.memory";
    case skillsKey[0]:
      return any || change.type === "ai.skill";
    case catalogKey[0]:
      return any || concernsCatalog(change, second, third);
    default:
      return false;
  }
}

function concernsCatalog(change: Change, kind: unknown, id: unknown): boolean {
  if (change.type === "auth.team") return true;
  if (change.kind !== "record" || !change.type?.startsWith("catalog.")) return false;
  if (kind === "teams") return false;
  return kind !== "system" || change.type !== "catalog.system" || change.id === id;
}
