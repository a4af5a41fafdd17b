import { useQueries, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { searchedUsersQuery, usersQuery, type User } from "./people";

/** Debounce of the search while typing, in ms. */
const pause = 200;
/** The longest text that the server looks for. */
const mostTyped = 200;

interface People {
  /** Whom one can choose from, by name; undefined while they are being read. */
  people: readonly User[] | undefined;
  /** Receives text typed to find a person. */
  onType: (text: string) => void;
  /** Whether others for what is typed are still being read. */
  looking: boolean;
  error: Error | null;
}

/**
 * People for a field that chooses one: the first of them, and where there are more, those whom the server finds for the
 * typed text. Found people stay, so that the name of a chosen one is known.
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
