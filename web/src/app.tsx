import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import type { Root } from "react-dom/client";
import { reach, watchConnection } from "./api/reach";
import { createQueryClient, readAgainWhenBack } from "./queryclient";
import { createAppRouter, fetchPage } from "./router";
import { Overlay } from "./shell/Overlay";
import type { SessionOver } from "./shell/session";
import "./styles.css";
import { Floating } from "./ui/Floating";
import { PartBoundary } from "./ui/PartBoundary";

// The AI SDK parses its stream with zod, which probes for eval at first use. The content security policy forbids eval and would
// report the probe. Zod reads this as it is loaded, which is later.
Reflect.set(globalThis, "__zod_globalConfig", { jitless: true });

/** Shows the app at the address of the document. Once in a document. */
export function start(root: Root): void {
  const goTo = (to: SessionOver) => () => {
    const { pathname, href } = router.state.location;
    if (pathname !== "/sign-in" && pathname !== to) void router.navigate({ to, search: { next: href } });
  };
  const queryClient = createQueryClient(goTo("/sign-in"), goTo("/own-password"));
  const router = createAppRouter(queryClient);
  fetchPage(router);
  watchConnection();
  readAgainWhenBack(queryClient, reach);
  root.render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <CSPProvider disableStyleElements>
          <RouterProvider router={router} />
          <PartBoundary>
            <Floating />
          </PartBoundary>
          <PartBoundary>
            <Overlay />
          </PartBoundary>
        </CSPProvider>
      </QueryClientProvider>
    </StrictMode>,
  );
}
