import { useQueries, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { searchedUsersQuery, usersQuery, type User } from "./people";

/** How long nothing is looked for while somebody types, in ms. */
const pause = 200;
/** The longest text that the server looks for. */
const mostTyped = 200;

interface People {
  /** Whom one can choose from, by name; undefined while they are being read. */
  people: readonly User[] | undefined;
  /** Hears what is typed to find somebody. */
  onType: (text: string) => void;
  /** Whether others for what is typed are still being read. */
  looking: boolean;
  error: Error | null;
}

/**
 * The people for a field that one is chosen in: the first of them, and where there are more, those whom the server finds for what
 * is typed. Who was found stays, so that the name of whoever was chosen is known.
 */
export function usePeople(enabled = true): People {
  const [typed, setTyped] = useState("");
  const [texts, setTexts] = useState<readonly string[]>([]);
  const first = useQuery({ ...usersQuery, enabled });
  const more = first.data?.nextCursor !== undefined;
  const text = typed.trim().slice(0, mostTyped);
  const wanted = more && text !== "" && !texts.includes(text);
  useEffect(() => {
    if (!wanted) return;
    const timer = window.setTimeout(() => setTexts((known) => [...known, text]), pause);
    return () => window.clearTimeout(timer);
  }, [wanted, text]);
  const found = useQueries({ queries: texts.map((one) => ({ ...searchedUsersQuery(one), enabled })) });
  const current = found[texts.indexOf(text)];
  const all = new Map<string, User>();
  for (const { data } of [first, ...found]) for (const user of data?.users ?? []) all.set(user.id, user);
  return {
    people: first.data && [...all.values()],
    onType: setTyped,
    looking: wanted || current?.isLoading === true,
    error: first.error ?? current?.error ?? null,
  };
}
