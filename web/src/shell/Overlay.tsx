import { lazy, Suspense, useSyncExternalStore } from "react";
import { presence } from "../api/presence";
import { loaded, reach } from "../api/reach";

const SignInAgain = lazy(async () => ({ default: (await loaded(() => import("./SignInAgain"))).SignInAgain }));

const notices = {
  away: "The server cannot be reached. What you have entered stays here, and the page goes on when the server is back.",
  slow: "The server takes long to answer.",
};

/** What is above every page: that the server does not answer, and the sign-in of somebody whose session is over. */
export function Overlay() {
  const state = useSyncExternalStore(reach.subscribe, reach.state);
  const person = useSyncExternalStore(presence.subscribe, presence.person);
  const asks = useSyncExternalStore(presence.subscribe, presence.asks);
  return (
    <>
      <div className="pointer-events-none fixed inset-x-0 top-2 z-50 flex justify-center px-4" role="status">
        {state !== "answers" && (
          <p
            className="rounded-lg border bg-warning-soft px-3 py-2 text-sm text-warning shadow-floating"
            data-reach={state}
            data-testid="server-notice"
          >
            {notices[state]}
          </p>
        )}
      </div>
      <Suspense>{asks && person && <SignInAgain person={person} />}</Suspense>
    </>
  );
}
