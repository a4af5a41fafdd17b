import { useEffect, useState, useSyncExternalStore, type FormEvent } from "react";
import { passwordLink, patiently, setPasswordByLink, signIn, type PasswordLink } from "../api/entrance";
import { Problem } from "../api/problem";
import { Button } from "../ui/Button";
import { Mark } from "../ui/Icon";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { useDocumentTitle } from "../ui/Page";
import { areDifferent, NewPasswordFields, noPassword } from "./NewPassword";
import { useTheme } from "./theme";

/** Another link of the same kind, opened in the same tab, changes nothing but the hash. */
const hashChanges = (listener: () => void) => {
  window.addEventListener("hashchange", listener);
  return () => window.removeEventListener("hashchange", listener);
};

type Entering = (path: string) => void | Promise<void>;

/** Page of a password link from an administrator: the person sets a password that only they know. */
export function SetPassword({ onIn }: { onIn: Entering }) {
  const token = useSyncExternalStore(hashChanges, () => window.location.hash.slice(1));
  const [reads, setReads] = useState(0);
  return <OpenLink key={`${token} ${reads}`} onIn={onIn} onRetry={() => setReads(reads + 1)} token={token} />;
}

interface LinkProps {
  token: string;
  onIn: Entering;
  onRetry: () => void;
}

function OpenLink({ token, onIn, onRetry }: LinkProps) {
  const [link, setLink] = useState<{ data?: PasswordLink; error?: unknown }>({});
  useEffect(() => {
    if (token === "") return;
    const left = new AbortController();
    patiently((signal) => passwordLink(token, signal), left.signal).then(
      (data) => setLink({ data }),
      (error: unknown) => left.signal.aborted || setLink({ error }),
    );
    return () => left.abort();
  }, [token]);
  const gone = token === "" || (link.error instanceof Problem && link.error.status === 404);
  const title = link.data ? `Welcome, ${link.data.name}` : gone ? "This link is no longer valid" : "Set a password";
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
                  ? "It was used, replaced or has expired. Ask an administrator for a new one."
                  : "Countersign"}
            </p>
          </div>
        </div>
        <div className="flex flex-col gap-4 rounded-2xl border bg-card p-6 shadow-raised">
          {link.data ? (
            <SetPasswordForm email={link.data.email} onIn={onIn} reset={link.data.kind === "reset"} token={token} />
          ) : gone ? (
            <a className="text-sm text-primary underline underline-offset-4" href="/sign-in">
              Go to the sign-in
            </a>
          ) : link.error ? (
            <ErrorNotice error={link.error} onRetry={onRetry} />
          ) : (
            <SkeletonRows rows={2} />
          )}
        </div>
      </div>
    </main>
  );
}

interface FormProps {
  token: string;
  email: string;
  reset: boolean;
  onIn: Entering;
}

function SetPasswordForm({ token, email, reset, onIn }: FormProps) {
  const [chosen, setChosen] = useState(noPassword);
  const [setting, setSetting] = useState(false);
  const [refused, setRefused] = useState<unknown>(null);
  const different = areDifferent(chosen);
  const set = async (event: FormEvent) => {
    event.preventDefault();
    if (different || setting) return;
    setSetting(true);
    setRefused(null);
    const { password } = chosen;
    try {
      await setPasswordByLink({ token, password });
      // The password is set, whatever becomes of this.
      const isIn = await signIn({ email, password }).then(
        () => true,
        () => false,
      );
      if (isIn) await onIn("/chat");
      else window.location.replace("/sign-in");
    } catch (error) {
      setRefused(error);
      setSetting(false);
    }
  };
  return (
    <form className="flex flex-col gap-3" onSubmit={(event) => void set(event)}>
      {/* Tells a password manager whose password this is. */}
      <input autoComplete="username" hidden readOnly type="text" value={email} />
      <NewPasswordFields hint={reset ? "All your sessions end." : undefined} onChange={setChosen} value={chosen} />
      <ErrorNotice error={refused} />
      <Button busy={setting} data-testid="set-password-submit" disabled={different} type="submit" variant="primary">
        Set password and sign in
      </Button>
    </form>
  );
}
