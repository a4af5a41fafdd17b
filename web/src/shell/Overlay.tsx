import { lazy, Suspense, useEffect, useSyncExternalStore } from "react";
import { missingParts } from "../api/partmissing";
import { presence } from "../api/presence";
import { loaded, reach } from "../api/reach";
import { Button } from "../ui/Button";

const SignInAgain = lazy(async () => ({ default: (await loaded(() => import("./SignInAgain"))).SignInAgain }));

const notices = {
  away: "The server cannot be reached. Your entries are kept; the page continues when it is back.",
  slow: "The server is responding slowly.",
  missing: "A part of this page could not be loaded. Save your entries, then reload the page.",
};

/** Overlay above every page: server outage, and sign-in after the end of a session. */
export function Overlay() {
  const reachable = useSyncExternalStore(reach.subscribe, reach.state);
  const missing = useSyncExternalStore(missingParts.subscribe, missingParts.any);
  const state = reachable === "answers" && missing ? "missing" : reachable;
  const person = useSyncExternalStore(presence.subscribe, presence.person);
  const asks = useSyncExternalStore(presence.subscribe, presence.asks);
  const over = useSyncExternalStore(presence.subscribe, presence.over);
  // They may have signed in in another tab.
  useEffect(() => {
    if (!over) return;
    const look = () => {
      if (!document.hidden) void presence.check();
    };
    window.addEventListener("focus", look);
    document.addEventListener("visibilitychange", look);
    return () => {
      window.removeEventListener("focus", look);
      document.removeEventListener("visibilitychange", look);
    };
  }, [over]);
  return (
    <>
      <div
        className="pointer-events-none fixed inset-x-0 top-2 z-50 flex flex-col items-center gap-2 px-4"
        role="status"
      >
        {state !== "answers" && (
          <p
            className="rounded-lg border bg-warning-soft px-3 py-2 text-sm text-warning shadow-floating"
            data-reach={state}
            data-testid="server-notice"
          >
            {notices[state]}
          </p>
        )}
        {/* Nobody has asked for anything, and somebody may be typing: their focus stays where it is. */}
        {over && !asks && person && (
          <div
            className={
              "pointer-events-auto flex flex-wrap items-center justify-center gap-x-3 gap-y-2 rounded-lg border " +
              "bg-warning-soft px-3 py-2 text-sm text-warning shadow-floating"
            }
            data-testid="session-notice"
          >
            <p>Your session has ended. Your entries are kept; the data shown may be outdated.</p>
            <Button onClick={presence.ask}>Sign in</Button>
          </div>
        )}
      </div>
      <Suspense>{asks && person && <SignInAgain person={person} />}</Suspense>
    </>
  );
}
