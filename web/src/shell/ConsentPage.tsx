import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { decideProgram, questionQuery } from "../api/programs";
import { meQuery } from "../api/session";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { Checkbox } from "../ui/Field";
import { Mark } from "../ui/Icon";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { useDocumentTitle } from "../ui/Page";
import { useTheme } from "./theme";

const route = getRouteApi("/oauth/consent");

/** The consent page of a program: the granted scopes, the program, and the person. */
export function ConsentPage() {
  const { request } = route.useSearch();
  const { data: me } = useSuspenseQuery(meQuery);
  const { data: question, error } = useQuery(questionQuery(request ?? ""));
  const [left, setLeft] = useState<string[]>([]);
  useDocumentTitle("Connect a program");
  // Nothing else on this page follows the system.
  useTheme();
  const decide = useWrite({
    send: (allow: boolean) =>
      decideProgram({
        request: request ?? "",
        allow,
        scopes: allow ? question?.scopes.map(({ id }) => id).filter((id) => !left.includes(id)) : undefined,
      }),
    onSuccess: (redirect) => window.location.assign(redirect),
  });
  const nothing = question !== undefined && question.scopes.every(({ id }) => left.includes(id));
  return (
    <main className="flex min-h-dvh items-center justify-center p-4" data-testid="consent">
      <div className="w-full max-w-md">
        <div className="mb-6 flex flex-col items-center gap-3 text-center">
          <Mark size={48} />
          <h1 className="text-xl font-semibold tracking-tight wrap-anywhere">
            {question ? `Let “${question.name}” act for you?` : "Connect a program"}
          </h1>
        </div>
        <div className="flex flex-col gap-4 rounded-2xl border bg-card p-6 shadow-raised">
          <ErrorNotice error={error ?? decide.error} />
          {!question && !error && <SkeletonRows rows={3} />}
          {question && !question.refused && (
            <>
              <p className="text-sm">
                It will act as <strong>{me.name}</strong> ({me.email}), within your rights, until you disconnect it
                under My account.
              </p>
              <fieldset className="flex flex-col gap-3">
                <legend className="mb-2 text-sm font-semibold">Permissions</legend>
                {question.scopes.map(({ id, title, text }) => (
                  <Checkbox
                    // A program that may propose changes has to read, so this scope stays as long as others do.
                    checked={!left.includes(id)}
                    disabled={question.scopes.length === 1 || id === question.scopes[0]?.id}
                    hint={text}
                    key={id}
                    label={title}
                    name={id}
                    onChange={(event) =>
                      setLeft(event.currentTarget.checked ? left.filter((other) => other !== id) : [...left, id])
                    }
                  />
                ))}
              </fieldset>
              <p className="text-sm text-muted-foreground" data-testid="consent-origin">
                {question.origin
                  ? `The program is described by ${question.origin}. `
                  : "The program registered itself: its name is unverified. "}
                The answer goes to {question.returnsTo}. Allow it only if you have just started this there.
              </p>
              <div className="flex flex-wrap justify-end gap-2">
                <Button
                  busy={decide.isPending && !decide.variables}
                  data-testid="consent-deny"
                  disabled={decide.isPending}
                  onClick={() => decide.mutate(false)}
                >
                  Do not allow
                </Button>
                <Button
                  busy={decide.isPending && decide.variables}
                  data-testid="consent-allow"
                  disabled={nothing || decide.isPending}
                  onClick={() => decide.mutate(true)}
                  variant="primary"
                >
                  Allow
                </Button>
              </div>
            </>
          )}
          {question?.refused && (
            <>
              <p className="text-sm" data-testid="consent-refused">
                The program’s request is invalid: {question.refused.description}. Nothing was granted.
              </p>
              <a
                className="text-sm text-primary underline underline-offset-4"
                href={question.refused.redirect}
                rel="noreferrer"
              >
                Back to {question.returnsTo}
              </a>
            </>
          )}
        </div>
      </div>
    </main>
  );
}
