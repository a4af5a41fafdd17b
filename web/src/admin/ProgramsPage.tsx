import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  disconnectInvalidates,
  disconnectProgram,
  everyProgramQuery,
  registrationQuery,
  setRegistration,
  setTrust,
  trustQuery,
  type ConnectedProgram,
} from "../api/programs";
import { holds, meQuery } from "../api/session";
import { useWrite } from "../api/write";
import { administrationRules } from "../shell/administration";
import { ProgramRow } from "../shell/ProgramRow";
import { Checkbox } from "../ui/Field";
import { ListPage, pagedList } from "../ui/ListPage";
import { ErrorNotice } from "../ui/Notice";
import { useToast } from "../ui/Toast";

/** The programs that anybody has let act for them, and whether programs may register themselves. */
export function ProgramsPage() {
  const toast = useToast();
  const { data: me } = useQuery(meQuery);
  const disconnect = useWrite({
    send: disconnectProgram,
    invalidates: disconnectInvalidates,
    onSuccess: (_, { name }) => toast(`${name} was disconnected`),
  });
  return (
    <ListPage
      description="Programs that act for users, within each user's rights."
      empty={{
        title: "No connected programs",
        hint: "Users connect them from the program, such as an editor or agent.",
      }}
      itemKey={({ id }) => id}
      list={pagedList(useInfiniteQuery(everyProgramQuery), ({ programs }) => programs)}
      name={({ name }) => name}
      noun="program"
      row={(program) => (
        <ProgramRow
          busy={disconnect.isPending && disconnect.variables.id === program.id}
          onDisconnect={() => disconnect.mutate(program)}
          owner
          program={program}
        >
          {holds(me, administrationRules.trust) && <TrustSetting program={program} />}
        </ProgramRow>
      )}
      title="Connected programs"
    >
      <RegistrationSetting />
      <ErrorNotice error={disconnect.error} />
    </ListPage>
  );
}

function RegistrationSetting() {
  const toast = useToast();
  const { data: registration, error, refetch } = useQuery(registrationQuery);
  // A click shows at once, until the server has confirmed the setting.
  const [wanted, setWanted] = useState<boolean>();
  const set = useWrite({
    send: setRegistration,
    invalidates: [registrationQuery.queryKey],
    onSuccess: ({ enabled }) => toast(enabled ? "Programs may register themselves" : "Programs may not register"),
  });
  return (
    <div className="flex flex-col gap-2">
      <ErrorNotice error={error ?? set.error} onRetry={() => void refetch()} />
      {registration && (
        <Checkbox
          busy={set.isPending}
          checked={wanted ?? registration.enabled}
          hint="If off, only programs with a client metadata document can connect. Existing connections stay."
          label="Programs may register themselves"
          name="registration"
          onChange={(event) => {
            setWanted(event.currentTarget.checked);
            set.mutate(
              { enabled: event.currentTarget.checked, revision: registration.revision },
              { onSettled: () => setWanted(undefined) },
            );
          }}
        />
      )}
    </div>
  );
}

/** Whether all connections of a program may decide for their people. */
function TrustSetting({ program: { programId, name } }: { program: ConnectedProgram }) {
  const toast = useToast();
  const { data: policy, error, refetch } = useQuery(trustQuery);
  const set = useWrite({
    send: setTrust,
    invalidates: [trustQuery.queryKey],
    onSuccess: ({ trusted }) =>
      toast(trusted.some(({ id }) => id === programId) ? `${name} may decide` : `${name} may no longer decide`),
  });
  const trusted = policy?.trusted.map(({ id }) => id) ?? [];
  return (
    <div className="mt-2 flex flex-col gap-2">
      <ErrorNotice error={error ?? set.error} onRetry={() => void refetch()} />
      {policy && (
        <Checkbox
          busy={set.isPending}
          checked={(set.isPending ? set.variables.trusted : trusted).includes(programId)}
          hint="Only non-destructive changes that need no second person or decision in person. Applies to all its connections."
          label="May decide for its users"
          onChange={(event) =>
            set.mutate({
              trusted: event.currentTarget.checked
                ? [...trusted, programId]
                : trusted.filter((other) => other !== programId),
              revision: policy.revision,
            })
          }
        />
      )}
    </div>
  );
}
