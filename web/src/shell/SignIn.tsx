import { useEffect, useState, type FormEvent } from "react";
import { patiently, providerAddress, providerFailures, signIn, signInWays, type SignInWays } from "../api/entrance";
import { Button } from "../ui/Button";
import { TextField } from "../ui/Field";
import { Mark } from "../ui/Icon";
import { ErrorNotice } from "../ui/Notice";
import { useDocumentTitle } from "../ui/Page";
import { useTheme } from "./theme";

interface SignInProps {
  next?: string;
  /** Why a sign-in at the identity provider came to nothing. */
  failed?: string;
  /** They are signed in: goes to where they wanted to. */
  onIn: (path: string) => void | Promise<void>;
}

/** The sign-in. It needs nothing of the app behind it. */
export function SignIn({ next, failed, onIn }: SignInProps) {
  const [ways, setWays] = useState<SignInWays | null>(null);
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [entering, setEntering] = useState(false);
  const [refused, setRefused] = useState<unknown>(null);
  useDocumentTitle("Sign in");
  // Nothing else on this page follows the system.
  useTheme();
  useEffect(() => {
    const left = new AbortController();
    // Without an answer there is the password.
    patiently(signInWays, left.signal).then(setWays, () => {});
    return () => left.abort();
  }, []);

  const enter = async (event: FormEvent) => {
    event.preventDefault();
    if (entering) return;
    setEntering(true);
    setRefused(null);
    try {
      await signIn({ email: email.trim(), password });
      await onIn(next ?? "/");
    } catch (error) {
      setRefused(error);
    } finally {
      setEntering(false);
    }
  };

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
          onSubmit={(event) => void enter(event)}
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
          {failed && !refused && (
            <p className="text-sm text-danger" data-testid="sign-in-failed" role="alert">
              {providerFailures[failed] ?? providerFailures.provider}
            </p>
          )}
          <ErrorNotice error={refused} />
          <Button busy={entering} data-testid="sign-in-submit" type="submit" variant="primary">
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
