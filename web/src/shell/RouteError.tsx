import { Link, useRouter, type ErrorComponentProps } from "@tanstack/react-router";
import { ErrorNotice } from "../ui/Notice";
import { Page } from "../ui/Page";

export function RouteError({ error }: ErrorComponentProps) {
  const router = useRouter();
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
