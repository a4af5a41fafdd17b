import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useRef, useState, type KeyboardEvent } from "react";
import { zoneName } from "../api/forms/incident";
import { calendarQuery, maintenancesKey, type CalendarEntry } from "../api/maintenances";
import { makeFeed } from "../api/maintenancecalls";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { IconButton } from "../ui/IconButton";
import { ErrorNotice } from "../ui/Notice";
import { Page } from "../ui/Page";
import { usePhone } from "../ui/phone";
import { useNow } from "../ui/time";
import { TokenDialog } from "../ui/TokenDialog";
import { Trail, type Crumb } from "../ui/Trail";
import { OccurrenceBadge } from "./Badges";
import { dayKey, daysOf, monthAt, monthOf, onDay, shifted } from "./month";
import { span } from "./words";

const route = getRouteApi("/app/maintenances/calendar");
const trail: Crumb[] = [{ label: "Maintenances", link: { to: "/maintenances", search: {} } }];

/** A month of maintenances: a grid of days, and on a phone the days that have any. */
export function CalendarPage() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const phone = usePhone();
  const now = useNow(60_000);
  const month = search.month ?? monthOf(new Date(now));
  const days = daysOf(month);
  const [from, to] = [days[0], shifted(days.at(-1) ?? days[0], 1)];
  const calendar = useQuery(calendarQuery(from.toISOString(), to.toISOString()));
  const entries = calendar.data?.entries ?? [];
  const go = (by: number) =>
    void navigate({ to: "/maintenances/calendar", search: { month: monthOf(monthAt(month, by)) }, replace: true });
  const name = monthAt(month, 0).toLocaleDateString(undefined, { month: "long", year: "numeric" });
  return (
    <Page
      actions={<Subscribe />}
      description={`Times are those of ${zoneName()}.`}
      testId="maintenance-calendar"
      title="Maintenance calendar"
      trail={<Trail crumbs={trail} />}
      wide
    >
      <div className="flex items-center gap-2">
        <IconButton icon="chevron" className="rotate-180" label="Previous month" onClick={() => go(-1)} />
        <h2 aria-live="polite" className="min-w-40 text-center font-semibold" data-testid="month">
          {name}
        </h2>
        <IconButton icon="chevron" label="Next month" onClick={() => go(1)} />
      </div>
      <ErrorNotice error={calendar.error} onRetry={() => void calendar.refetch()} />
      {calendar.data?.truncated && (
        <p className="text-sm text-muted-foreground">Only the first 1,000 occurrences are shown.</p>
      )}
      {phone ? (
        <Agenda days={days} entries={entries} loaded={calendar.isSuccess} />
      ) : (
        <Grid days={days} entries={entries} month={month} onTurn={go} today={dayKey(new Date(now))} />
      )}
    </Page>
  );
}

interface EntryProps {
  entry: CalendarEntry;
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
}

function Entry({ entry, onKeyDown }: EntryProps) {
  const over = entry.status === "cancelled" || entry.status === "completed";
  return (
    <Link
      className={`block min-w-0 truncate rounded-md px-1.5 py-0.5 text-xs hover:bg-muted ${
        entry.status === "in_progress" ? "bg-primary text-primary-foreground hover:text-foreground" : "bg-muted"
      } ${entry.status === "cancelled" ? "line-through" : ""} ${over ? "text-muted-foreground" : ""}`}
      data-testid="calendar-entry"
      onKeyDown={onKeyDown}
      params={{ maintenanceId: entry.maintenanceId }}
      title={`${entry.title}, ${span(entry.startAt, entry.endAt)}, ${entry.systems.map(({ name }) => name).join(", ")}`}
      to="/maintenances/$maintenanceId"
    >
      {new Date(entry.startAt).toLocaleTimeString(undefined, { timeStyle: "short" })} {entry.title}
    </Link>
  );
}

interface GridProps {
  days: Date[];
  entries: CalendarEntry[];
  month: string;
  today: string;
  onTurn: (by: number) => void;
}

/** How far each key moves between entries. */
const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 };

/** Arrow keys move between entries, and page keys between months. */
function Grid({ days, entries, month, today, onTurn }: GridProps) {
  const grid = useRef<HTMLTableElement>(null);
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const turn = { PageUp: -1, PageDown: 1 }[event.key];
    if (turn) onTurn(turn);
    const links = [...(grid.current?.querySelectorAll<HTMLElement>("[data-testid=calendar-entry]") ?? [])];
    const step = steps[event.key];
    if (step) links[links.indexOf(event.currentTarget) + step]?.focus();
    if (turn ?? step) event.preventDefault();
  };
  const weeks = Array.from({ length: days.length / 7 }, (_, week) => days.slice(week * 7, week * 7 + 7));
  return (
    <table aria-label="Days of the month" className="w-full table-fixed border-collapse" ref={grid}>
      <thead>
        <tr>
          {days.slice(0, 7).map((day) => (
            <th className="p-1 text-xs font-medium text-muted-foreground" key={day.getDay()} scope="col">
              {day.toLocaleDateString(undefined, { weekday: "short" })}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week.map(dayKey).join(" ")}>
            {week.map((day) => (
              <Day
                day={day}
                entries={onDay(entries, day)}
                key={dayKey(day)}
                month={month}
                onKeyDown={move}
                today={today}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The most entries that a day of the grid lists. */
const maxShown = 4;

interface DayProps {
  day: Date;
  entries: CalendarEntry[];
  month: string;
  today: string;
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
}

function Day({ day, entries, month, today, onKeyDown }: DayProps) {
  const isToday = dayKey(day) === today;
  return (
    <td
      aria-current={isToday ? "date" : undefined}
      className={`h-24 border p-1 align-top ${monthOf(day) === month ? "" : "bg-muted/40"}`}
      data-day={dayKey(day)}
    >
      <time
        className={`text-xs tabular-nums ${isToday ? "font-bold text-primary" : "text-muted-foreground"}`}
        dateTime={dayKey(day)}
      >
        {day.getDate()}
      </time>
      <div className="mt-1 flex flex-col gap-0.5">
        {entries.slice(0, maxShown).map((entry) => (
          <Entry entry={entry} key={`${entry.maintenanceId} ${entry.at}`} onKeyDown={onKeyDown} />
        ))}
        {entries.length > maxShown && (
          <span className="text-xs text-muted-foreground">{entries.length - maxShown} more</span>
        )}
      </div>
    </td>
  );
}

function Agenda({ days, entries, loaded }: { days: Date[]; entries: CalendarEntry[]; loaded: boolean }) {
  const busy = days.filter((day) => onDay(entries, day).length > 0);
  if (loaded && busy.length === 0)
    return <p className="text-sm text-muted-foreground">No maintenances in this month.</p>;
  return (
    <ol className="flex flex-col gap-4">
      {busy.map((day) => (
        <li data-day={dayKey(day)} key={dayKey(day)}>
          <h3 className="mb-1 text-sm font-semibold">
            {day.toLocaleDateString(undefined, { weekday: "long", day: "numeric", month: "long" })}
          </h3>
          <ul className="flex flex-col gap-1">
            {onDay(entries, day).map((entry) => (
              <li key={`${entry.maintenanceId} ${entry.at}`}>
                <Link
                  className="flex min-h-12 items-center gap-2 rounded-lg border bg-card px-3 py-2"
                  data-testid="calendar-entry"
                  params={{ maintenanceId: entry.maintenanceId }}
                  to="/maintenances/$maintenanceId"
                >
                  <span className="min-w-0 flex-1">
                    <span className="block truncate font-medium">{entry.title}</span>
                    <span className="block text-sm text-muted-foreground">{span(entry.startAt, entry.endAt)}</span>
                  </span>
                  <OccurrenceBadge occurrence={entry} />
                </Link>
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}

/** Makes the address of a feed for calendar programs, which is shown once. */
function Subscribe() {
  const [url, setURL] = useState<string>();
  const make = useWrite({
    send: (_: null, key) => makeFeed(key),
    invalidates: [maintenancesKey],
    onSuccess: (feed) => setURL(feed.url),
  });
  return (
    <>
      <ErrorNotice error={make.error} />
      <Button busy={make.isPending} data-testid="subscribe" onClick={() => make.mutate(null)}>
        Subscribe
      </Button>
      {url && <TokenDialog onClose={() => setURL(undefined)} title="Calendar feed" token={url} />}
    </>
  );
}
