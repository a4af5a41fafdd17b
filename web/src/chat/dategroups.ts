export interface DateGroup<Item> {
  label: string;
  items: Item[];
}

const dayMilliseconds = 86_400_000;

/** Items in their order, by the day or month of their time: today, yesterday, the week before, months. */
export function groupByDate<Item>(
  items: readonly Item[],
  timeOf: (item: Item) => string,
  now: number,
): DateGroup<Item>[] {
  const groups: DateGroup<Item>[] = [];
  for (const item of items) {
    const label = dateLabel(timeOf(item), now);
    const last = groups.at(-1);
    if (last?.label === label) last.items.push(item);
    else groups.push({ label, items: [item] });
  }
  return groups;
}

function dateLabel(iso: string, now: number): string {
  const then = new Date(iso);
  const today = new Date(now);
  // Days of the calendar where the person is; one in which clocks change has another length.
  const days = Math.round((midnight(today) - midnight(then)) / dayMilliseconds);
  if (!(days > 0)) return "Today";
  if (days === 1) return "Yesterday";
  if (days <= 7) return "Previous 7 days";
  const year = then.getFullYear() === today.getFullYear() ? undefined : ("numeric" as const);
  return then.toLocaleDateString("en", { month: "long", year });
}

const midnight = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
