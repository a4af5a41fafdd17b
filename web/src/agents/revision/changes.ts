import type { AgentTool, Bundle } from "../../api/agents";

/** Describes in sentences how replacing one bundle by another affects the users of an agent. */
export function changesBetween(before: Bundle | undefined, after: Bundle): string[] {
  const old = new Map((before?.tools ?? []).map((tool) => [tool.id, tool]));
  const fresh = new Map(after.tools.map((tool) => [tool.id, tool]));
  const sentences: string[] = [];
  const say = (ids: string[], one: string, many: string) => {
    if (ids.length > 0) sentences.push(`${list(ids)} ${ids.length === 1 ? one : many}`);
  };
  const added = [...fresh.keys()].filter((id) => !old.has(id));
  const gone = [...old.keys()].filter((id) => !fresh.has(id));
  const both = after.tools.flatMap((tool): [AgentTool, AgentTool][] => {
    const was = old.get(tool.id);
    return was ? [[was, tool]] : [];
  });
  const changed = both.filter(([was, is]) => !sameTool(was, is)).map(([, { id }]) => id);
  say(added, "becomes available as a new tool.", "become available as new tools.");
  say(changed, "gets new source code.", "get new source code.");
  say(
    gone,
    "is removed. Pending proposals for it are refused.",
    "are removed. Pending proposals for them are refused.",
  );
  say(
    both.filter(([was, is]) => !asks(before, was) && asks(after, is)).map(([, { id }]) => id),
    "asks before each call.",
    "ask before each call.",
  );
  say(
    both.filter(([was, is]) => asks(before, was) && !asks(after, is)).map(([, { id }]) => id),
    "runs without approval.",
    "run without approval.",
  );
  const [was, is] = [hostsOf(before), hostsOf(after)];
  for (const [name, hosts] of is) {
    if (!was.has(name)) sentences.push(`The secret ${name} can be sent to ${hosts}.`);
    else if (was.get(name) !== hosts)
      sentences.push(`The secret ${name} can be sent to ${hosts}, instead of ${was.get(name)}.`);
  }
  say(
    [...was.keys()].filter((name) => !is.has(name)),
    "is a secret that it can no longer use.",
    "are secrets that it can no longer use.",
  );
  if ((before?.agent_md ?? "") !== after.agent_md) sentences.push("Its instructions (agent.md) change.");
  if (JSON.stringify(before?.skills ?? []) !== JSON.stringify(after.skills)) sentences.push("Its skills change.");
  return sentences;
}

/** Whether each call of a tool needs approval. */
const asks = (bundle: Bundle | undefined, tool: AgentTool) =>
  tool.effect === "mutate" || bundle?.spec.tools?.[tool.id]?.requires_approval === true;

/** Where secrets can go, by their names. */
const hostsOf = (bundle: Bundle | undefined) =>
  new Map((bundle?.spec.secrets ?? []).map(({ name, allowed_hosts }) => [name, allowed_hosts.toSorted().join(", ")]));

const sameTool = (a: AgentTool, b: AgentTool) =>
  a.source === b.source &&
  a.description === b.description &&
  JSON.stringify(a.args_schema) === JSON.stringify(b.args_schema);

/** "a", "a and b", "a, b and c" */
export function list(names: readonly string[]): string {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
