import { useQuery } from "@tanstack/react-query";
import { usePeople } from "../api/findpeople";
import { schedulesQuery, type Named, type Policy } from "../api/oncall";
import { targetKey } from "../api/forms/oncall";
import { holds, meQuery } from "../api/session";
import { teamsQuery } from "../api/teams";
import type { Option } from "../ui/Combobox";

const option = ({ id, name = "A deleted user" }: Named): Option => ({ value: id, label: name });

/** Joins lists of options; the first of those with the same value counts. */
const joined = (...lists: readonly (readonly Option[])[]) =>
  [
    ...new Map(
      lists
        .flat()
        .toReversed()
        .map((one) => [one.value, one]),
    ).values(),
  ].toReversed();

/**
 * People for a rotation or a step: everybody for those who may list accounts, and for members of a team its people and those who
 * are named already.
 */
export function usePeopleChoice(named: readonly Named[], teamId: string) {
  const { data: me } = useQuery(meQuery);
  const { people, onType, looking } = usePeople(holds(me, "auth.users.manage"));
  const { data: teams } = useQuery(teamsQuery);
  const members = teams?.find(({ id }) => id === teamId)?.members ?? [];
  const options = joined(
    (people ?? []).map(({ id, name, email }) => ({ value: id, label: name, detail: email })),
    members.map(option),
    me ? [{ value: me.id, label: me.name }] : [],
    named.map(option),
  );
  return { options, onType, looking };
}

/** Owners that a person may choose, with the one that is chosen. */
export function useTeams() {
  const { data } = useQuery(teamsQuery);
  return data ?? [];
}

/** Targets of the steps of a policy. */
export function useTargets(policy: Policy | undefined, teamId: string) {
  const { options: people, onType, looking } = usePeopleChoice([], teamId);
  const { data: schedules = [] } = useQuery(schedulesQuery);
  const teams = useTeams();
  const options: Option[] = [
    ...schedules.map(({ id, name }) => ({ value: targetKey({ kind: "schedule", id }), label: `On call in ${name}` })),
    ...people.map(({ value, label, detail }) => ({ value: targetKey({ kind: "person", id: value }), label, detail })),
    ...teams.flatMap(({ id, name }) => [
      { value: targetKey({ kind: "members", id }), label: `Members of ${name}` },
      { value: targetKey({ kind: "team", id }), label: `Channels of ${name}` },
    ]),
    { value: targetKey({ kind: "channels" }), label: "Channels of this policy" },
  ];
  // Targets whose names the reader may not list.
  const others = (policy?.steps ?? []).flatMap(({ targets }) =>
    targets.map((target) => ({
      value: targetKey(target),
      label: policy?.targets.find(({ id }) => id === target.id)?.name ?? "Deleted",
    })),
  );
  return { options: joined(options, others), onType, looking };
}
