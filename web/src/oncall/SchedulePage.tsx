import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { oncallKey, scheduleQuery, shiftsQuery, type Schedule } from "../api/oncall";
import { deleteSchedule, removeOverride, setCalendar, takeOver } from "../api/oncallcalls";
import { meQuery } from "../api/session";
import { useWrite } from "../api/write";
import { mayOwn } from "../catalog/permission";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { changedAt, DetailPage } from "../ui/DetailPage";
import { IconButton } from "../ui/IconButton";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { fullTime, useNow } from "../ui/time";
import { useToast } from "../ui/Toast";
import type { Crumb } from "../ui/Trail";
import { Lanes } from "./Lanes";
import { names } from "./OnCallPage";
import { ScheduleForm } from "./ScheduleForm";
import { CalendarForm, OverrideForm } from "./ScheduleForms";

const route = getRouteApi("/app/on-call/schedules/$scheduleId");
const trail: Crumb[] = [{ label: "On-call", link: { to: "/on-call" } }];

const shownDays = 14;

/** One schedule: who is on call in the next two weeks, day by day. */
export function SchedulePage() {
  const { scheduleId } = route.useParams();
  const navigate = useNavigate();
  const toast = useToast();
  const [open, setOpen] = useState<"override" | "calendar" | null>(null);
  const close = () => setOpen(null);
  return (
    <DetailPage<Schedule>
      badges={({ onCall, zone }) => (
        <>
          <Badge tone={onCall.length > 0 ? "success" : "warning"}>{names(onCall)} on call</Badge>
          <Badge>{zone}</Badge>
        </>
      )}
      description={({ description }) => description}
      actions={(schedule) =>
        mayOwn(schedule) && (
          <>
            <Button data-testid="add-override" icon="repeat" onClick={() => setOpen("override")}>
              Override
            </Button>
            <Button data-testid="import-calendar" icon="clock" onClick={() => setOpen("calendar")}>
              Import calendar
            </Button>
          </>
        )
      }
      edit={(schedule, done) => (
        <ScheduleForm
          onClose={done}
          onSaved={() => {
            toast("Saved");
            done();
          }}
          schedule={schedule}
        />
      )}
      editable={mayOwn}
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
          {schedule.calendar && <ImportedCalendar calendar={schedule.calendar} schedule={schedule} />}
          {open === "override" && <OverrideForm onClose={close} schedule={schedule} />}
          {open === "calendar" && <CalendarForm onClose={close} schedule={schedule} />}
        </>
      )}
    </DetailPage>
  );
}

function NextShifts({ schedule }: { schedule: Schedule }) {
  const now = useNow(60_000);
  const toast = useToast();
  const today = new Date(now);
  const from = new Date(today.getFullYear(), today.getMonth(), today.getDate()).getTime();
  const to = from + shownDays * 86_400_000;
  const drop = useWrite({
    send: (id: string, key) => removeOverride(schedule.id, id, key),
    invalidates: [oncallKey],
    onSuccess: () => toast("Override removed"),
  });
  const { data, error, refetch } = useQuery(
    shiftsQuery(schedule.id, new Date(from).toISOString(), new Date(to).toISOString()),
  );
  return (
    <Panel title="Next two weeks">
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      <ErrorNotice error={drop.error} />
      {!data && !error && <SkeletonRows rows={3} />}
      {data && <Lanes days={shownDays} from={from} people={schedule.people.map(({ id }) => id)} shifts={data.shifts} />}
      {data && data.overrides.length > 0 && (
        <ul className="mt-3 flex flex-col gap-1 text-sm text-muted-foreground">
          {data.overrides.map(({ id, person, replaces, start, end }) => (
            <li className="flex items-center gap-1" key={id}>
              <span>
                {person.name ?? "A deleted user"} for {replaces?.name ?? "everybody"}: {fullTime(start)} to{" "}
                {fullTime(end)}
              </span>
              {mayOwn(schedule) && (
                <IconButton
                  icon="close"
                  label={`Remove the override of ${person.name ?? "a deleted user"}`}
                  onClick={() => drop.mutate(id)}
                />
              )}
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

interface ImportedCalendarProps {
  schedule: Schedule;
  calendar: NonNullable<Schedule["calendar"]>;
}

function ImportedCalendar({ schedule, calendar }: ImportedCalendarProps) {
  const { host, events, error, unknown = [], warnings = [] } = calendar;
  const toast = useToast();
  const remove = useWrite({
    send: (_: null, key) => setCalendar(schedule, {}, key),
    invalidates: [oncallKey],
    onSuccess: () => toast("Calendar removed"),
  });
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
      <ErrorNotice error={remove.error} />
      {mayOwn(schedule) && (
        <Button busy={remove.isPending} className="mt-2 self-start" icon="trash" onClick={() => remove.mutate(null)}>
          Remove calendar
        </Button>
      )}
    </Panel>
  );
}
