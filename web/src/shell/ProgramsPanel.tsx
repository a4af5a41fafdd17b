import { useInfiniteQuery } from "@tanstack/react-query";
import { disconnectInvalidates, disconnectProgram, ownProgramsQuery } from "../api/programs";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Rows } from "../ui/Rows";
import { useToast } from "../ui/Toast";
import { ProgramRow } from "./ProgramRow";

/** The programs that the person has let act for them. */
export function ProgramsPanel() {
  const toast = useToast();
  const query = useInfiniteQuery(ownProgramsQuery);
  const programs = query.data?.pages.flatMap((page) => page.programs);
  const disconnect = useWrite({
    send: disconnectProgram,
    invalidates: disconnectInvalidates,
    onSuccess: (_, { name }) => toast(`${name} was disconnected`),
  });
  return (
    <section className="flex flex-col gap-2" data-testid="connected-programs">
      <h2 className="text-sm font-semibold">Programs that act for you</h2>
      <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
      <ErrorNotice error={disconnect.error} />
      {!programs && !query.error && <SkeletonRows rows={1} />}
      {programs?.length === 0 && (
        <p className="text-sm text-muted-foreground">None. Programs ask for your consent before they act for you.</p>
      )}
      {programs && programs.length > 0 && (
        <Rows itemKey={({ id }) => id} items={programs} label="Programs">
          {(program) => (
            <ProgramRow
              busy={disconnect.isPending && disconnect.variables.id === program.id}
              onDisconnect={() => disconnect.mutate(program)}
              program={program}
            />
          )}
        </Rows>
      )}
      {query.hasNextPage && (
        <Button busy={query.isFetchingNextPage} className="self-start" onClick={() => void query.fetchNextPage()}>
          Show more
        </Button>
      )}
    </section>
  );
}
