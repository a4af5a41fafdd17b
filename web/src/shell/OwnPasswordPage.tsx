import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { meQuery, signOut } from "../api/session";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { Mark } from "../ui/Icon";
import { ErrorNotice } from "../ui/Notice";
import { useDocumentTitle } from "../ui/Page";
import { PasswordForm } from "./PasswordForm";
import { useTheme } from "./theme";

const route = getRouteApi("/own-password");

/** Page of a person whose password was set by another person: nothing else is served before they have changed it. */
export function OwnPasswordPage() {
  const { next } = route.useSearch();
  const { data: me } = useSuspenseQuery(meQuery);
  const queryClient = useQueryClient();
  const router = useRouter();
  useDocumentTitle("Choose a password");
  useTheme();
  const leave = useWrite({
    send: () => signOut(),
    onSuccess: () => {
      queryClient.clear();
      void router.navigate({ to: "/sign-in" });
    },
  });

  return (
    <main className="flex min-h-dvh items-center justify-center p-4" data-testid="own-password">
      <div className="w-full max-w-sm">
        <div className="mb-6 flex flex-col items-center gap-3 text-center">
          <Mark size={48} />
          <div>
            <h1 className="text-xl font-semibold tracking-tight">Choose your own password</h1>
            <p className="text-sm text-muted-foreground">This password is temporary. Choose your own to continue.</p>
          </div>
        </div>
        <div className="flex flex-col gap-4 rounded-2xl border bg-card p-6 shadow-raised">
          <PasswordForm
            alone
            email={me.email ?? ""}
            onChanged={() => {
              queryClient.clear();
              router.history.push(next ?? "/chat");
            }}
          />
          <ErrorNotice error={leave.error} />
          <Button busy={leave.isPending} className="self-start" onClick={() => leave.mutate()}>
            Sign out
          </Button>
        </div>
      </div>
    </main>
  );
}
