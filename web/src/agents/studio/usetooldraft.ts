import { useBlocker } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import type { AgentTool } from "../../api/agents";
import type { ToolPlace } from "../../api/agentcalls";
import { isSessionOver } from "../../shell/session";
import type { Side } from "../../ui/ConflictNotice";
import { draftOf, keepDraft, keptDraft, merged, same, type Both, type ToolDraft } from "./draft";

/**
 * What is typed about a tool, and what keeps it from being lost: a copy in the browser, a question before leaving, and a merge
 * with what others save meanwhile.
 */
export function useToolDraft(stored: AgentTool | undefined, place: ToolPlace, person: string, example?: string) {
  const [start, setStart] = useState(() => draftOf(stored, example));
  const [draft, setDraft] = useState(start);
  const [both, setBoth] = useState<Both[] | null>(null);
  const [kept, setKept] = useState(() => keptDraft(person, place));
  // The place is one for as long as the editor is open.
  const [at] = useState(place);
  const settled = useRef(false);
  const dirty = !same(draft, start);
  const blocks = () => !settled.current && dirty;
  const blocksTo = ({ next }: { next: { pathname: string } }) => {
    if (!blocks()) return false;
    if (!isSessionOver(next)) return true;
    keepDraft(person, at, draft);
    return false;
  };

  const latest = useRef({ draft, dirty });
  useEffect(() => {
    latest.current = { draft, dirty };
  });
  useEffect(() => {
    if (!dirty) return;
    const keeping = setTimeout(() => keepDraft(person, at, draft), 300);
    return () => clearTimeout(keeping);
  }, [person, at, draft, dirty]);
  // Text typed at the last moment is kept, too.
  useEffect(() => {
    const keep = () => {
      if (latest.current.dirty && !settled.current) keepDraft(person, at, latest.current.draft);
    };
    window.addEventListener("pagehide", keep);
    return () => window.removeEventListener("pagehide", keep);
  }, [person, at]);

  const blocker = useBlocker({ shouldBlockFn: blocksTo, enableBeforeUnload: blocks, withResolver: true });
  return {
    draft,
    dirty,
    blocker,
    edit: (change: Partial<ToolDraft>) => setDraft((before) => ({ ...before, ...change })),
    /** The parts changed by both; empty when only other parts changed, null without a concurrent edit. */
    both,
    /** Whether the stored version is the one that the draft started from. */
    begunWith: (tool: AgentTool | undefined) => same(draftOf(tool, example), start),
    /** Takes a version saved elsewhere, below the text typed here. */
    follow: (tool: AgentTool | undefined) => {
      const next = draftOf(tool, example);
      const result = merged(draft, start, next);
      setStart(next);
      setDraft(result.draft);
      setBoth(result.both);
    },
    /** Takes theirs for a part that both have changed, or mine again. */
    choose: (name: string, side: Side) => {
      const part = both?.find(({ key }) => key === name);
      if (!both || !part) return;
      const taken = draft[part.key] === part.before;
      if (taken === (side === "theirs")) return;
      const after = taken ? part.after : draft[part.key];
      setDraft({ ...draft, [part.key]: side === "theirs" ? part.before : after });
      setBoth(both.with(both.indexOf(part), { ...part, after }));
    },
    takeStored: () => {
      setDraft(start);
      setBoth(null);
      keepDraft(person, at, null);
    },
    /** The saved version excludes text typed since the request. */
    saved: (content: ToolDraft) => {
      setStart(content);
      setBoth(null);
      setKept(null);
      if (same(latest.current.draft, content)) keepDraft(person, at, null);
    },
    /** Text typed before the page was lost. */
    kept: kept !== null && !same(kept, draft) ? kept : null,
    restore: () => {
      if (kept) setDraft(kept);
      setKept(null);
    },
    forget: () => {
      keepDraft(person, at, null);
      setKept(null);
    },
    /** Nothing keeps the page open any more. */
    settle: () => {
      settled.current = true;
      keepDraft(person, at, null);
    },
  };
}
