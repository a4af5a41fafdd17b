import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { browserName, changePassword, endOtherSignIns, endSignIn, signInsQuery, type SignIn } from "../api/account";
import { meQuery } from "../api/session";
import { useWrite } from "../api/write";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { TextField } from "../ui/Field";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page, Panel } from "../ui/Page";
import { Row, Rows } from "../ui/Rows";
import { fullTime, timeAgo, useNow } from "../ui/time";
import { useToast } from "../ui/Toast";

const leastPassword = 8;
const longestPassword = 256;

/** What belongs to the signed-in person alone: roles, password, browsers. */
export function AccountPage() {
  const { data: me } = useQuery(meQuery);
  return (
    <Page description={me && `${me.name}, ${me.email}`} testId="account-page" title="My account">
      {me && (
        <p className="-mt-2 flex flex-wrap gap-1.5">
          {me.roles.map((role) => (
            <Badge key={role.id} title="Role">
              {role.name}
            </Badge>
          ))}
          {me.teams.map((team) => (
            <Badge key={team.id} title="Team" tone="primary">
              {team.name}
            </Badge>
          ))}
        </p>
      )}
      <Browsers />
      <PasswordPanel email={me?.email ?? ""} />
    </Page>
  );
}

function Browsers() {
  const toast = useToast();
  const now = useNow(60_000);
  const { data: signIns, error, refetch } = useQuery(signInsQuery);
  const end = useWrite({
    send: ({ id }: SignIn, key) => endSignIn(id, key),
    invalidates: [signInsQuery.queryKey],
    onSuccess: (_, { userAgent }) => toast(`${browserName(userAgent)} was signed out`),
  });
  const endOthers = useWrite({
    send: (_: void, key) => endOtherSignIns(key),
    invalidates: [signInsQuery.queryKey],
    onSuccess: (count) =>
      toast(count === 1 ? "1 other browser was signed out" : `${count} other browsers were signed out`),
  });
  const others = signIns?.filter((signIn) => !signIn.current) ?? [];
  return (
    <section className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-sm font-semibold">Where you are signed in</h2>
        {others.length > 0 && (
          <Button busy={endOthers.isPending} data-testid="end-other-sessions" onClick={() => endOthers.mutate()}>
            Sign out everywhere else
          </Button>
        )}
      </div>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      <ErrorNotice error={end.error ?? endOthers.error} />
      {!signIns && !error && <SkeletonRows rows={2} />}
      {signIns && (
        <Rows itemKey={({ id }) => id} items={signIns} label="Sessions">
          {(signIn) => (
            <Row
              actions={
                !signIn.current && (
                  <Button
                    aria-label={`Sign out ${browserName(signIn.userAgent)}`}
                    busy={end.isPending && end.variables.id === signIn.id}
                    data-testid="end-session"
                    onClick={() => end.mutate(signIn)}
                  >
                    Sign out
                  </Button>
                )
              }
              badges={signIn.current && <Badge tone="success">this browser</Badge>}
              detail={
                <span title={`Signed in ${fullTime(signIn.createdAt)}, until ${fullTime(signIn.expiresAt)}`}>
                  {signIn.address || "unknown address"}, active {timeAgo(signIn.lastSeenAt, now)}
                </span>
              }
              title={<span title={signIn.userAgent}>{browserName(signIn.userAgent)}</span>}
            />
          )}
        </Rows>
      )}
    </section>
  );
}

const blank = { currentPassword: "", newPassword: "", repeated: "" };

function PasswordPanel({ email }: { email: string }) {
  const toast = useToast();
  const [fields, setFields] = useState(blank);
  const change = useWrite({
    send: ({ currentPassword, newPassword }: typeof blank) => changePassword({ currentPassword, newPassword }),
    invalidates: [signInsQuery.queryKey],
    onSuccess: () => {
      setFields(blank);
      toast("Your password was changed");
    },
  });
  const different = fields.repeated !== "" && fields.repeated !== fields.newPassword;
  const set = (changes: Partial<typeof blank>) => setFields({ ...fields, ...changes });
  return (
    <Panel title="Password">
      <form
        className="flex max-w-sm flex-col gap-3"
        data-testid="password-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!different) change.mutate(fields);
        }}
      >
        {/* Tells a password manager whose password this is. */}
        <input autoComplete="username" hidden readOnly type="text" value={email} />
        <TextField
          autoComplete="current-password"
          label="Current password"
          maxLength={longestPassword}
          onChange={(event) => set({ currentPassword: event.currentTarget.value })}
          required
          type="password"
          value={fields.currentPassword}
        />
        <TextField
          autoComplete="new-password"
          hint={`At least ${leastPassword} characters. All your other browsers are signed out.`}
          label="New password"
          maxLength={longestPassword}
          minLength={leastPassword}
          onChange={(event) => set({ newPassword: event.currentTarget.value })}
          required
          type="password"
          value={fields.newPassword}
        />
        <TextField
          aria-invalid={different}
          autoComplete="new-password"
          hint={different ? "The two are different." : undefined}
          label="New password again"
          maxLength={longestPassword}
          onChange={(event) => set({ repeated: event.currentTarget.value })}
          required
          type="password"
          value={fields.repeated}
        />
        <ErrorNotice error={change.error} />
        <Button
          busy={change.isPending}
          className="self-start"
          data-testid="change-password"
          disabled={different}
          type="submit"
          variant="primary"
        >
          Change password
        </Button>
      </form>
    </Panel>
  );
}
