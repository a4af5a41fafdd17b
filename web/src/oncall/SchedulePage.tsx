import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { deleteSchedule, oncallKey, scheduleQuery, shiftsQuery, takeOver, type Schedule } from "../api/oncall";
import { meQuery } from "../api/session";
import { useWrite } from "../api/write";
import { mayOwn } from "../catalog/permission";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { changedAt, DetailPage } from "../ui/DetailPage";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { fullTime, useNow } from "../ui/time";
import { useToast } from "../ui/Toast";
import type { Crumb } from "../ui/Trail";
import { Lanes } from "./Lanes";
import { names } from "./OnCallPage";

const route = getRouteApi("/app/on-call/schedules/$scheduleId");
const trail: Crumb[] = [{ label: "On-call", link: { to: "/on-call" } }];

const shownDays = 14;

/** One schedule: who is on call in the next two weeks, day by day. */
export function SchedulePage() {
  const { scheduleId } = route.useParams();
  const navigate = useNavigate();
  return (
    <DetailPage<Schedule>
      badges={({ onCall, zone }) => (
        <>
          <Badge tone={onCall.length > 0 ? "success" : "warning"}>{names(onCall)} on call</Badge>
          <Badge>{zone}</Badge>
        </>
      )}
      description={({ description }) => description}
      history={({ id }) => ({ type: "oncall.schedule", id })}
      mainAction={(schedule) => <TakeOver schedule={schedule} />}
      name={({ name }) => name}
      noun="schedule"
      onDeleted={() => navigate({ to: "/on-call" })}
      origin={changedAt}
      query={useQuery(scheduleQuery(scheduleId))}
      removable={mayOwn}
      remove={{
        send: deleteSchedule,
        tool: "oncall.deleteSchedule",
        invalidates: [oncallKey],
        warning: "Its overrides are deleted too, and escalation policies no longer call the people on call in it.",
      }}
      trail={trail}
    >
      {(schedule) => (
        <>
          <NextShifts schedule={schedule} />
          {schedule.calendar && <ImportedCalendar calendar={schedule.calendar} />}
        </>
      )}
    </DetailPage>
  );
}

function NextShifts({ schedule }: { schedule: Schedule }) {
  const now = useNow(60_000);
  const today = new Date(now);
  const from = new Date(today.getFullYear(), today.getMonth(), today.getDate()).getTime();
  const to = from + shownDays * 86_400_000;
  const { data, error, refetch } = useQuery(
    shiftsQuery(schedule.id, new Date(from).toISOString(), new Date(to).toISOString()),
  );
  return (
    <Panel title="Next two weeks">
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!data && !error && <SkeletonRows rows={3} />}
      {data && <Lanes days={shownDays} from={from} people={schedule.people.map(({ id }) => id)} shifts={data.shifts} />}
      {data && data.overrides.length > 0 && (
        <ul className="mt-3 flex flex-col gap-1 text-sm text-muted-foreground">
          {data.overrides.map(({ id, person, replaces, start, end }) => (
            <li key={id}>
              {person.name ?? "A deleted user"} for {replaces?.name ?? "everybody"}: {fullTime(start)} to{" "}
              {fullTime(end)}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** The hours of a shift that is taken over. */
const takenHours = 4;

function TakeOver({ schedule }: { schedule: Schedule }) {
  const toast = useToast();
  const now = useNow(60_000);
  const { data: me } = useQuery(meQuery);
  const [failure, setFailure] = useState<Error | null>(null);
  const take = useWrite({
    send: (id: string, key) => takeOver(schedule.id, id, now, takenHours, key),
    invalidates: [oncallKey],
    onSuccess: () => toast(`You are on call for ${takenHours} hours`),
  });
  if (!me || !schedule.people.some(({ id }) => id === me.id) || schedule.onCall.some(({ id }) => id === me.id))
    return null;
  return (
    <>
      <Button
        busy={take.isPending}
        data-testid="take-over"
        onClick={() => take.mutate(me.id, { onError: setFailure })}
        variant="primary"
      >
        Take over for {takenHours} hours
      </Button>
      <ErrorNotice error={failure} />
    </>
  );
}

function ImportedCalendar({ calendar }: { calendar: NonNullable<Schedule["calendar"]> }) {
  const { host, events, error, unknown = [], warnings = [] } = calendar;
  return (
    <Panel title="Imported calendar">
      <p className="text-sm">
        {events} events from {host ?? "a file"}
      </p>
      {error && <p className="text-sm text-danger">{error}</p>}
      {unknown && unknown.length > 0 && <p className="text-sm text-warning">No user fits: {unknown.join(", ")}</p>}
      <ul className="text-sm text-warning">
        {warnings?.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </Panel>
  );
}
