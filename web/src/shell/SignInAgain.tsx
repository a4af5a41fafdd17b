import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState, type FormEvent } from "react";
import { signInWaysQuery } from "../api/account";
import { providerAddress, signIn } from "../api/entrance";
import { presence, type Person } from "../api/presence";
import { meQuery } from "../api/session";
import { Button } from "../ui/Button";
import { TextField } from "../ui/Field";
import { ErrorNotice } from "../ui/Notice";

/**
 * Requests a new sign-in over the current page, which waits and cannot be reached: the browser keeps the focus inside
 * its native modal dialog, also above other dialogs.
 */
export function SignInAgain({ person }: { person: Person }) {
  const heading = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const queryClient = useQueryClient();
  const { data: ways } = useQuery(signInWaysQuery);
  const [password, setPassword] = useState("");
  const [entering, setEntering] = useState(false);
  const [refused, setRefused] = useState<unknown>(null);

  useEffect(() => {
    const element = dialog.current;
    if (!element) return;
    if (!element.open) element.showModal();
    field.current?.focus();
    return () => element.close();
  }, []);
  // Neither this dialog nor one below it is closed by Escape.
  useEffect(() => {
    const keep = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    window.addEventListener("keydown", keep, true);
    return () => window.removeEventListener("keydown", keep, true);
  }, []);

  const enter = async (event: FormEvent) => {
    event.preventDefault();
    if (entering) return;
    setEntering(true);
    setRefused(null);
    try {
      const { principal } = await signIn({ email: person.email ?? "", password });
      if (principal.id === person.id) queryClient.setQueryData(meQuery.queryKey, principal);
      presence.resume(principal);
    } catch (error) {
      setRefused(error);
    } finally {
      setEntering(false);
    }
  };
  const here = location.pathname + location.search;

  return (
    <dialog
      aria-labelledby={heading}
      className="m-auto w-full max-w-sm rounded-2xl border bg-card p-6 text-card-foreground shadow-floating backdrop:bg-black/40"
      data-testid="sign-in-again"
      onCancel={(event) => event.preventDefault()}
      ref={dialog}
    >
      <h2 className="text-base font-semibold" id={heading}>
        Your session has ended
      </h2>
      <p className="mt-1 text-sm text-muted-foreground">
        Sign in as {person.name} to continue. Your entries are kept, and a pending save completes.
      </p>
      {person.email && (
        <form className="mt-4 flex flex-col gap-4" onSubmit={(event) => void enter(event)}>
          <TextField autoComplete="username" label="E-mail" name="email" readOnly type="email" value={person.email} />
          <TextField
            autoComplete="current-password"
            label="Password"
            name="password"
            onChange={(event) => setPassword(event.currentTarget.value)}
            ref={field}
            required
            type="password"
            value={password}
          />
          <ErrorNotice error={refused} />
          <Button busy={entering} data-testid="sign-in-again-submit" type="submit" variant="primary">
            Sign in and continue
          </Button>
        </form>
      )}
      <div className="mt-4 flex flex-col gap-2 text-sm">
        {ways?.provider && (
          <a
            className="text-primary underline underline-offset-4"
            href={providerAddress("/account")}
            rel="noreferrer"
            target="_blank"
          >
            Sign in with {ways.provider.name} in another tab
          </a>
        )}
        <a
          className="text-muted-foreground underline underline-offset-4"
          data-testid="sign-in-leave"
          href={`/sign-in?${new URLSearchParams({ next: here })}`}
        >
          Leave this page, or sign in as another user
        </a>
      </div>
    </dialog>
  );
}
