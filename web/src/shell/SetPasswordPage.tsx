import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useRouter, useRouterState } from "@tanstack/react-router";
import { useState } from "react";
import { passwordLinkQuery, setPasswordByLink } from "../api/account";
import { Problem } from "../api/problem";
import { signIn } from "../api/session";
import { Button } from "../ui/Button";
import { TextField } from "../ui/Field";
import { Mark } from "../ui/Icon";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { useDocumentTitle } from "../ui/Page";
import { useTheme } from "./theme";

const leastPassword = 8;
const longestPassword = 256;

/** Where a link leads that an administrator has handed over: somebody sets a password that nobody else knows. */
export function SetPasswordPage() {
  const token = useRouterState({ select: ({ location }) => location.hash });
  const link = useQuery({ ...passwordLinkQuery(token), enabled: token !== "" });
  const gone = token === "" || (link.error instanceof Problem && link.error.status === 404);
  const title = link.data ? `Welcome, ${link.data.name}` : gone ? "This link is not good any more" : "Set a password";
  useDocumentTitle(link.data?.kind === "reset" ? "Set a new password" : "Set a password");
  useTheme();
  return (
    <main className="flex min-h-dvh items-center justify-center p-4" data-testid="set-password">
      <div className="w-full max-w-sm">
        <div className="mb-6 flex flex-col items-center gap-3 text-center">
          <Mark size={48} />
          <div>
            <h1 className="text-xl font-semibold tracking-tight wrap-anywhere">{title}</h1>
            <p className="text-sm text-muted-foreground wrap-anywhere">
              {link.data
                ? `Choose ${link.data.kind === "reset" ? "a new" : "a"} password for ${link.data.email}.`
                : gone
                  ? "It was used already, a newer one was made, or its time is over. Ask an administrator for another."
                  : "Countersign"}
            </p>
          </div>
        </div>
        <div className="flex flex-col gap-4 rounded-2xl border bg-card p-6 shadow-raised">
          {link.data ? (
            <SetPasswordForm email={link.data.email} reset={link.data.kind === "reset"} token={token} />
          ) : gone ? (
            <Link className="text-sm text-primary underline underline-offset-4" to="/sign-in">
              Go to the sign-in
            </Link>
          ) : link.error ? (
            <ErrorNotice error={link.error} onRetry={() => void link.refetch()} />
          ) : (
            <SkeletonRows rows={2} />
          )}
        </div>
      </div>
    </main>
  );
}

function SetPasswordForm({ token, email, reset }: { token: string; email: string; reset: boolean }) {
  const queryClient = useQueryClient();
  const router = useRouter();
  const [password, setPassword] = useState("");
  const [repeated, setRepeated] = useState("");
  const different = repeated !== "" && repeated !== password;
  const set = useMutation({
    mutationFn: async () => {
      await setPasswordByLink({ token, password });
      queryClient.clear();
      // The password is set, whatever becomes of this.
      return signIn({ email, password }).then(
        () => "/chat",
        () => "/sign-in",
      );
    },
    onSuccess: (next) => router.history.replace(next),
  });
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (!different) set.mutate();
      }}
    >
      {/* Tells a password manager whose password this is. */}
      <input autoComplete="username" hidden readOnly type="text" value={email} />
      <TextField
        autoComplete="new-password"
        hint={`At least ${leastPassword} characters.${reset ? " You are signed out wherever you are signed in." : ""}`}
        label="New password"
        maxLength={longestPassword}
        minLength={leastPassword}
        onChange={(event) => setPassword(event.currentTarget.value)}
        required
        type="password"
        value={password}
      />
      <TextField
        aria-invalid={different}
        autoComplete="new-password"
        hint={different ? "The two are different." : undefined}
        label="New password again"
        maxLength={longestPassword}
        onChange={(event) => setRepeated(event.currentTarget.value)}
        required
        type="password"
        value={repeated}
      />
      <ErrorNotice error={set.error} />
      <Button
        busy={set.isPending}
        data-testid="set-password-submit"
        disabled={different}
        type="submit"
        variant="primary"
      >
        Set password and sign in
      </Button>
    </form>
  );
}
