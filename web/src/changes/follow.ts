import type { Query, QueryClient } from "@tanstack/react-query";
import type { Follow } from "../area";
import { areas } from "../areas";
import { isAboutDeleted } from "../api/deletion";
import { presence } from "../api/presence";
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
  const rests = (query: Query) =>
    long(query) || deleted(query) || (edited && follows.get(query.queryKey[0])?.hasForms === true);
  void client.invalidateQueries({ predicate: (query) => concerned(query) && !rests(query) });
  void client.invalidateQueries({ predicate: (query) => concerned(query) && rests(query), refetchType: "none" });
}

const isFormOpen = (): boolean => document.querySelector("form") !== null;

const long = ({ state }: Query): boolean =>
  ((state.data as { pages?: unknown[] } | undefined)?.pages?.length ?? 0) > mostPages;

const follows = new Map<unknown, Follow>(areas.flatMap((area) => Object.entries(area.follows ?? {})));

/** Whether what a query has read may be another thing after a change. */
function concerns(change: Change, query: Query): boolean {
  const followed = follows.get(query.queryKey[0]);
  if (!followed || (query.state.data !== undefined && followed.isFinal?.(query.state.data))) return false;
  return change.kind === "reset" || followed.on(change, query);
}
