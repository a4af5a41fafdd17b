import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { signIn } from "../api/session";
import { Button } from "../ui/Button";
import { TextField } from "../ui/Field";
import { Mark } from "../ui/Icon";
import { ErrorNotice } from "../ui/Notice";
import { useDocumentTitle } from "../ui/Page";

const route = getRouteApi("/sign-in");

export function SignInPage() {
  const { next } = route.useSearch();
  const queryClient = useQueryClient();
  const router = useRouter();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  useDocumentTitle("Sign in");

  const enter = useMutation({
    mutationFn: signIn,
    onSuccess: () => {
      queryClient.clear();
      router.history.push(next ?? "/chat");
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
          <ErrorNotice error={enter.error} />
          <Button busy={enter.isPending} data-testid="sign-in-submit" type="submit" variant="primary">
            Sign in
          </Button>
        </form>
      </div>
    </main>
  );
}
