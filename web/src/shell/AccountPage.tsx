import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { signInsQuery, type SignIn } from "../api/account";
import { endOtherSignIns, endSignIn } from "../api/accountcalls";
import { meQuery } from "../api/session";
import { useWrite } from "../api/write";
import { OwnSpend } from "../spend/OwnSpend";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page, Panel } from "../ui/Page";
import { Row, Rows } from "../ui/Rows";
import { fullTime, timeAgo, useNow } from "../ui/time";
import { useToast } from "../ui/Toast";
import { browserName } from "./browsername";
import { ChatTokensPanel } from "./ChatTokensPanel";
import { PasswordForm } from "./PasswordForm";
import { ProgramsPanel } from "./ProgramsPanel";

/** Account of the signed-in person: roles, password, browsers. */
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
      <p className="text-sm">
        <Link className="text-primary underline underline-offset-2" to="/settings/notifications">
          How I am notified
        </Link>
      </p>
      <Browsers />
      <ProgramsPanel />
      <ChatTokensPanel />
      <PasswordPanel email={me?.email ?? ""} />
      <OwnSpend />
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

function PasswordPanel({ email }: { email: string }) {
  const toast = useToast();
  return (
    <Panel title="Password">
      <PasswordForm email={email} onChanged={() => toast("Your password was changed")} />
    </Panel>
  );
}
