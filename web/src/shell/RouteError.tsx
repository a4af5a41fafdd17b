import { Link, useRouter, type ErrorComponentProps } from "@tanstack/react-router";
import { useEffect } from "react";
import { isUnanswered } from "../api/problem";
import { reach } from "../api/reach";
import { ErrorNotice } from "../ui/Notice";
import { Page } from "../ui/Page";

export function RouteError({ error }: ErrorComponentProps) {
  const router = useRouter();
  const unanswered = isUnanswered(error);
  // It opens by itself when the server is back.
  useEffect(() => {
    if (!unanswered) return;
    return reach.subscribe(() => {
      if (reach.state() === "answers") void router.invalidate();
    });
  }, [router, unanswered]);
  return (
    <Page title="This page could not be shown">
      <ErrorNotice error={error} onRetry={() => void router.invalidate()} />
    </Page>
  );
}

export function NotFound() {
  return (
    <Page title="There is no such page">
      <p className="text-muted-foreground">
        The address may be mistyped, or what it showed was removed.{" "}
        <Link className="text-primary underline underline-offset-2" to="/chat">
          Go to the chat
        </Link>
      </p>
    </Page>
  );
}
