import { useBlocker } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import type { Check, Kinds } from "../../api/health";
import { isSessionOver } from "../../shell/session";
import type { Side } from "../../ui/ConflictNotice";
import { draftOf, keepDraft, keptDraft, merged, same, type CheckDraft, type Clash } from "./draft";

/**
 * Draft of the editor, protected against loss: a question before leaving, a copy, and a merge with versions saved
 * elsewhere.
 */
export function useDraft(check: Check | undefined, kinds: Kinds, person: string) {
  const place = check?.id ?? "new";
  const [base, setBase] = useState(check);
  const [start, setStart] = useState(() => draftOf(check, kinds));
  const [draft, setDraft] = useState(start);
  const [conflict, setConflict] = useState<Clash[] | null>(null);
  const [kept, setKept] = useState(() => keptDraft(person, place));
  const settled = useRef(false);
  const dirty = () => !settled.current && !same(draft, start);
  const blocksTo = ({ next }: { next: { pathname: string } }) => {
    if (!dirty()) return false;
    if (!isSessionOver(next)) return true;
    keepDraft(person, place, draft);
    return false;
  };

  useEffect(() => {
    if (settled.current || same(draft, start)) return;
    const keeping = setTimeout(() => keepDraft(person, place, draft), 300);
    return () => clearTimeout(keeping);
  }, [person, place, draft, start]);

  const blocker = useBlocker({ shouldBlockFn: blocksTo, enableBeforeUnload: dirty, withResolver: true });
  return {
    draft,
    /** The check that the draft is a change of. */
    base,
    conflict,
    blocker,
    /** Takes a version saved elsewhere. */
    follow: (stored: Check) => {
      const next = draftOf(stored, kinds);
      const result = merged(draft, start, next);
      setBase(stored);
      setStart(next);
      setDraft(result.draft);
      if (same(draft, start)) return;
      const again = new Set(result.both.map(({ key }) => key));
      const undecided = (conflict ?? []).filter(({ key, theirs }) => !again.has(key) && !same(draft[key], theirs));
      setConflict([...undecided, ...result.both]);
    },
    /** Takes theirs for a field that both have changed, or mine again. */
    choose: (name: string, side: Side) => {
      const clash = conflict?.find(({ key }) => key === name);
      if (!conflict || !clash) return;
      const taken = same(draft[clash.key], clash.theirs);
      if (taken === (side === "theirs")) return;
      const mine = taken ? clash.mine : draft[clash.key];
      setDraft({ ...draft, [clash.key]: side === "theirs" ? clash.theirs : mine });
      setConflict(conflict.with(conflict.indexOf(clash), { ...clash, mine }));
    },
    /** Text typed before the page was lost. */
    kept: kept !== null && !same(kept, draft),
    edit: (change: Partial<CheckDraft>) => setDraft((before) => ({ ...before, ...change })),
    takeStored: () => {
      setDraft(start);
      setConflict(null);
    },
    restore: () => {
      if (kept) setDraft(kept);
      setKept(null);
    },
    forget: () => {
      keepDraft(person, place, null);
      setKept(null);
    },
    /** It is saved, or not wanted: nothing keeps the page open. */
    settle: () => {
      settled.current = true;
      keepDraft(person, place, null);
    },
  };
}
