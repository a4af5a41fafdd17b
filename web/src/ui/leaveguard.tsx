import { useBlocker } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { isSessionOver } from "../shell/session";
import { DiscardDialog } from "./DiscardDialog";

/** Asks before a page is left on which something was typed that is not saved. Returns the question, to be shown. */
export function useLeaveGuard(dirty: () => boolean): ReactNode {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => dirty() && current.pathname !== next.pathname && !isSessionOver(next),
    enableBeforeUnload: dirty,
    withResolver: true,
  });
  if (blocker.status !== "blocked") return null;
  return <DiscardDialog onDiscard={() => blocker.proceed()} onStay={() => blocker.reset()} />;
}
