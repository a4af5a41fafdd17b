import { useRouter, type ErrorComponentProps } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { canReloadForPart, PartMissing, reloadForPart } from "../api/partmissing";
import { isUnanswered } from "../api/problem";
import { reach } from "../api/reach";
import { MissingPage } from "../ui/Missing";
import { ErrorNotice } from "../ui/Notice";
import { Page } from "../ui/Page";
import type { Crumb } from "../ui/Trail";

export function RouteError({ error }: ErrorComponentProps) {
  const router = useRouter();
  const unanswered = isUnanswered(error);
  const missing = error instanceof PartMissing;
  // Typed text is kept in the browser, or there is none: PartMissing waits for that.
  const [reloads] = useState(() => missing && canReloadForPart());
  useEffect(() => {
    if (reloads) reloadForPart();
  }, [reloads]);
  // It opens by itself when the server is back.
  useEffect(() => {
    if (!unanswered) return;
    return reach.subscribe(() => {
      if (reach.state() === "answers") void router.invalidate();
    });
  }, [router, unanswered]);
  if (reloads) return null;
  return (
    <Page title="This page could not be shown">
      <ErrorNotice error={error} onRetry={() => (missing ? window.location.reload() : void router.invalidate())} />
    </Page>
  );
}

const chat: Crumb[] = [{ label: "Chat", link: { to: "/chat" } }];

export function NotFound() {
  return (
    <MissingPage noun="page" trail={chat}>
      The address may be wrong, or the page was removed.
    </MissingPage>
  );
}
