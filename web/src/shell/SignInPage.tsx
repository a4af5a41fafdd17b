import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { providerAddress, providerFailures, signInWaysQuery } from "../api/account";
import { signIn } from "../api/session";
import { Button } from "../ui/Button";
import { TextField } from "../ui/Field";
import { Mark } from "../ui/Icon";
import { ErrorNotice } from "../ui/Notice";
import { useDocumentTitle } from "../ui/Page";
import { useTheme } from "./theme";

const route = getRouteApi("/sign-in");

export function SignInPage() {
  const { next, failed } = route.useSearch();
  const { data: ways } = useQuery(signInWaysQuery);
  const queryClient = useQueryClient();
  const router = useRouter();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  useDocumentTitle("Sign in");
  // Nothing else on this page follows the system.
  useTheme();

  const enter = useMutation({
    mutationFn: signIn,
    onSuccess: () => {
      queryClient.clear();
      router.history.push(next ?? "/");
    },
  });

  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <div className="w-full max-w-sm">
        <div className="mb-6 flex flex-col items-center gap-3 text-center">
          <Mark size={48} />
          <div>
            <h1 className="text-xl font-semibold tracking-tight">Countersign</h1>
            <p className="text-sm text-muted-foreground">Operations by conversation, changes by signature.</p>
          </div>
        </div>
        <form
          className="flex flex-col gap-4 rounded-2xl border bg-card p-6 shadow-raised"
          data-testid="sign-in"
          onSubmit={(event) => {
            event.preventDefault();
            enter.mutate({ email: email.trim(), password });
          }}
        >
          <TextField
            autoComplete="username"
            // The page has nothing else to do.
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus
            label="E-mail"
            name="email"
            onChange={(event) => setEmail(event.currentTarget.value)}
            required
            type="email"
            value={email}
          />
          <TextField
            autoComplete="current-password"
            label="Password"
            name="password"
            onChange={(event) => setPassword(event.currentTarget.value)}
            required
            type="password"
            value={password}
          />
          {failed && !enter.error && (
            <p className="text-sm text-danger" data-testid="sign-in-failed" role="alert">
              {providerFailures[failed] ?? providerFailures.provider}
            </p>
          )}
          <ErrorNotice error={enter.error} />
          <Button busy={enter.isPending} data-testid="sign-in-submit" type="submit" variant="primary">
            Sign in
          </Button>
          {ways?.provider && (
            // A document of its own: the provider is another site.
            <a
              className="text-center text-sm text-primary underline underline-offset-4"
              data-testid="sign-in-provider"
              href={providerAddress(next)}
            >
              Sign in with {ways.provider.name}
            </a>
          )}
        </form>
      </div>
    </main>
  );
}
