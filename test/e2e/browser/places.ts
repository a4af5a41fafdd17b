import { expect } from "vitest";
import { Person } from "../stack/person";
import { put, right, schema } from "./agentdata";
import { unique } from "./names";

/** One of each thing that has a page. */
export interface Things {
  system: string;
  group: string;
  environment: string;
  team: string;
  check: string;
  target: number;
  slot: number;
  incident: string;
  maintenance: string;
  schedule: string;
  policy: string;
  automation: string;
  automationRun: string;
  agent: string;
  connection: string;
  chat: string;
  turn: string;
  shared: string;
}

interface Place {
  /** Its address; that of the route when it has no parameters. */
  at?: (things: Things) => string;
  /** The test id of what is there once the page shows what it has read. */
  ready: string;
}

/** A page for every route that shows one, by the path of the route. */
export const places = {
  chats: {
    "/chat": { ready: "chat-empty" },
    "/chat/$conversationId": { at: ({ chat }) => `/chat/${chat}`, ready: "assistant-message" },
    "/shared": { ready: "shared-row" },
    "/shared/$conversationId": { at: ({ shared }) => `/shared/${shared}`, ready: "shared-answer" },
    "/turns/$turnId": { at: ({ turn }) => `/turns/${turn}`, ready: "waterfall" },
    "/proposals": { at: () => "/proposals?status=all", ready: "proposals-page" },
    "/memory": { ready: "memory" },
  },
  tools: {
    "/skills": { ready: "skill-link" },
    "/skills/$skillId": { at: () => "/skills/incident-commander", ready: "skill-prompt" },
    "/agents": { ready: "agent-link" },
    "/agents/$agentId": { at: ({ agent }) => `/agents/${agent}`, ready: "agent-page" },
    "/agents/editor": {
      at: ({ agent }) => `/agents/editor?agent=${agent}&revision=1&tool=add`,
      ready: "script-editor",
    },
    "/scripts": { ready: "script-editor" },
    "/automations": { ready: "automation-link" },
    "/automations/new": { ready: "save-automation" },
    "/automations/$automationId": { at: ({ automation }) => `/automations/${automation}`, ready: "automation-run" },
    "/automations/runs/$runId": { at: ({ automationRun }) => `/automations/runs/${automationRun}`, ready: "run-step" },
    "/docs": { ready: "doc-link" },
    "/docs/$": { at: () => "/docs/concepts/permission-modes", ready: "doc-content" },
    "/account": { ready: "row" },
    "/settings/notifications": { ready: "save-rules" },
    "/settings/notifications/deliveries": { ready: "deliveries-page" },
  },
  catalog: {
    "/catalog/systems": { ready: "system-link" },
    "/catalog/systems/$systemId": { at: ({ system }) => `/catalog/systems/${system}`, ready: "system-page" },
    "/catalog/groups": { ready: "row" },
    "/catalog/groups/$groupId": { at: ({ group }) => `/catalog/groups/${group}`, ready: "system-link" },
    "/catalog/environments": { ready: "environment-link" },
    "/catalog/environments/$environmentId": {
      at: ({ environment }) => `/catalog/environments/${environment}`,
      ready: "system-link",
    },
    "/catalog/teams": { ready: "row" },
    "/catalog/teams/$teamId": { at: ({ team }) => `/catalog/teams/${team}`, ready: "system-link" },
  },
  health: {
    "/health/systems": { ready: "board-row" },
    "/health/systems/$systemId": { at: ({ system }) => `/health/systems/${system}`, ready: "run" },
    "/health/systems/$systemId/runs/$targetId/$slot": {
      at: ({ system, target, slot }) => `/health/systems/${system}/runs/${target}/${slot}`,
      ready: "run-page",
    },
    "/health/checks": { ready: "check-link" },
    "/health/checks/$checkId": { at: ({ check }) => `/health/checks/${check}`, ready: "assignment" },
    "/health/editor": { ready: "assertions" },
    "/health/import": { ready: "import-page" },
    "/health/locations": { ready: "probe-location" },
    "/incidents": { ready: "incident-link" },
    "/incidents/$incidentId": { at: ({ incident }) => `/incidents/${incident}`, ready: "moment" },
    "/maintenances": { ready: "maintenance-link" },
    "/maintenances/calendar": { ready: "calendar-entry" },
    "/maintenances/$maintenanceId": { at: ({ maintenance }) => `/maintenances/${maintenance}`, ready: "when" },
    "/on-call": { ready: "schedule-link" },
    "/on-call/schedules/$scheduleId": { at: ({ schedule }) => `/on-call/schedules/${schedule}`, ready: "lanes" },
    "/on-call/policies/$policyId": { at: ({ policy }) => `/on-call/policies/${policy}`, ready: "policy-steps" },
  },
  access: {
    "/admin/connections": { ready: "test-connection" },
    "/admin/connections/$connectionId/check": {
      at: ({ connection }) => `/admin/connections/${connection}/check`,
      ready: "model-check-page",
    },
    "/admin/users": { ready: "row" },
    "/admin/roles": { ready: "row" },
    "/admin/applications": { ready: "row" },
    "/admin/programs": { ready: "programs-page" },
    "/admin/mcp-servers": { ready: "servers-page" },
  },
  governance: {
    "/admin/policies": { ready: "policies-page" },
    "/admin/secrets": { ready: "row" },
    "/admin/alert-sources": { ready: "row" },
    "/admin/script-policy": { ready: "save-script-policy" },
    "/admin/audit": { ready: "audit-page" },
    "/admin/audit/changes": { ready: "changes-page" },
    "/admin/turns": { ready: "turn-row" },
    "/admin/spend": { ready: "spend-plot" },
    "/admin/privacy": { ready: "privacy-page" },
    "/admin/operations": { ready: "operations-page" },
  },
} satisfies Record<string, Record<string, Place>>;

export const areas = Object.entries(places) as [area: string, Record<string, Place>][];

/** Routes that show no page of their own, and where they lead. */
export const passages: Record<string, string> = {
  "/": "/chat",
  "/catalog": "/catalog/systems",
  "/health": "/health/systems",
  "/admin": "/admin/connections",
  // For all but those who have to choose a password: administration.test.ts looks at what they see.
  "/own-password": "/chat",
};

/**
 * Routes that other tests look at, since their pages need more than an address, and those tests. Invitations and links to a new
 * password are no routes of the app: admin-people.test.ts looks at them.
 */
export const elsewhere: Record<string, string> = {
  // For those who are not signed in.
  "/sign-in": "appearance.test.ts",
  // Needs a program that asks for access.
  "/oauth/consent": "programs.test.ts",
  // Needs an authorization server that redirects back.
  "/admin/mcp-servers/sign-in/$slug": "mcp-servers.test.ts",
  // Every address that is none.
  "/$": "missing.test.ts",
};

/** Makes one of each thing. */
export async function furnish(administrator: Person, email: string): Promise<Things> {
  const make = (path: string, body: object) => administrator.post<{ id: string }>(path, body).then(({ id }) => id);
  const team = await make("/api/teams", { name: unique("Harbour team") });
  const group = await make("/api/catalog/groups", { name: unique("Harbour group") });
  const environment = await make("/api/catalog/environments", { name: unique("Harbour"), fields: { region: "eu" } });
  const system = await make("/api/catalog/systems", {
    name: unique("Lighthouse"),
    description: "Shows ships the way in",
    tags: ["harbour"],
    ownerTeamId: team,
  });
  await administrator.put(`/api/catalog/groups/${group}/systems/${system}`, {});
  await administrator.put(`/api/catalog/systems/${system}/environments`, { environmentIds: [environment] });
  const check = await make("/api/healthcheck/checks", {
    name: unique("Lamp is lit"),
    strategyId: "healthcheck-http.http",
    intervalSeconds: 1,
    // Nothing on this machine may be checked: every run says so.
    collectors: [{ collectorId: "healthcheck-http.request", config: { url: "http://127.0.0.1:9/" } }],
    assignToSystemId: system,
  });
  const incident = await make("/api/incidents", {
    title: unique("The lamp is dark"),
    severity: "major",
    systemIds: [system],
    initialMessage: "The keeper looks at it.",
  });
  const maintenance = await make("/api/maintenances", {
    title: unique("New lens"),
    systemIds: [system],
    startAt: new Date(Date.now() - 60_000).toISOString(),
    endAt: new Date(Date.now() + 3_600_000).toISOString(),
    zone: "Europe/Berlin",
    rule: "FREQ=DAILY",
  });
  const schedule = await make("/api/oncall/schedules", {
    name: unique("Keepers"),
    zone: "Europe/Berlin",
    layers: [{ start: "2026-01-05T09:00", unit: "weeks", length: 1, people: [] }],
  });
  const policy = await make("/api/oncall/policies", {
    name: unique("Keepers"),
    steps: [
      { delaySeconds: 0, targets: [{ kind: "schedule", id: schedule }] },
      { delaySeconds: 300, targets: [{ kind: "channels" }] },
    ],
  });
  const agent = await make("/api/agents", { name: unique("Harbour master"), slug: "harbour-master" });
  await administrator.post(`/api/agents/${agent}/revisions`, {});
  await put(administrator, `/api/agents/${agent}/revisions/1/tools/add`, {
    description: "Adds up prices.",
    args_schema: JSON.parse(schema) as object,
    source: right,
    effect: "read",
  });
  await make("/api/ai/memories", { scope: "user", recallHint: unique("Fog"), content: "The horn sounds in fog." });
  const { application } = await administrator.post<{ application: { id: string } }>("/api/applications", {
    name: unique("Tide table"),
    roleIds: [],
  });
  const automation = await make("/api/automations", {
    text: `name: ${unique("Foghorn")}\ntriggers: [{ event: automation.manual }]\nactions: [{ variables: { blasts: 2 } }]`,
    runAs: application.id,
  });
  const automationRun = await ranOnce(administrator, automation);
  await make("/api/secrets", { name: "HORN_KEY", description: "Opens the horn house", value: "value-of-the-horn" });
  await make("/api/intake/sources", { name: unique("Buoy alerts"), kind: "grafana", systemIds: [system] });
  const { connections } = await administrator.get<{ connections: { id: string }[] }>("/api/ai/connections");
  const chat = await talk(administrator);
  const { turns } = await administrator.get<{ turns: { id: string }[] }>("/api/ai/turns");
  const shared = await shareWith(administrator, email);
  const { target, slot } = await firstRun(administrator, system);
  // The visible data stays the same.
  await administrator.put(`/api/healthcheck/checks/${check}/paused`, { paused: true });
  const connection = connections[0]?.id ?? "";
  return {
    system,
    group,
    environment,
    team,
    check,
    target,
    slot,
    incident,
    maintenance,
    schedule,
    policy,
    automation,
    automationRun,
    agent,
    connection,
    chat,
    shared,
    turn: turns[0]?.id ?? "",
  };
}

/** A run of an automation that has ended. */
async function ranOnce(person: Person, automation: string): Promise<string> {
  const { run } = await person.post<{ run: { id: string } }>(`/api/automations/${automation}/run`, {});
  const status = async () => (await person.get<{ status: string }>(`/api/automation-runs/${run.id}`)).status;
  await expect.poll(status).toBe("success");
  return run.id;
}

/** A chat with a question and its whole answer. */
async function talk(person: Person): Promise<string> {
  const { id } = await person.post<{ id: string }>("/api/ai/conversations", {});
  const answer = await person.request("/api/ai/chat", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      conversationId: id,
      message: { id: crypto.randomUUID(), role: "user", parts: [{ type: "text", text: "Which systems do we have?" }] },
    }),
  });
  expect(answer.status).toBe(200);
  // It ends when the turn does.
  await answer.text();
  return id;
}

/** A chat of a colleague that the administrator may read. */
async function shareWith(administrator: Person, email: string): Promise<string> {
  const { id } = await administrator.post<{ id: string }>("/api/roles", {
    name: unique("Talkers"),
    rules: ["ai.chat.read", "catalog.system.read"],
  });
  const rita = { email: `${crypto.randomUUID()}@example.com`, password: "correct horse battery" };
  await administrator.post("/api/users", { ...rita, name: "Rita Writer", roleIds: [id] });
  const writer = await Person.signIn(administrator.base, rita);
  const chat = await talk(writer);
  await writer.post(`/api/ai/conversations/${chat}/shares`, { email });
  return chat;
}

async function firstRun(person: Person, system: string): Promise<{ target: number; slot: number }> {
  const { targets } = await person.get<{ targets: { id: number }[] }>(`/api/healthcheck/systems/${system}`);
  const target = targets[0]?.id ?? 0;
  const runs = async () =>
    (await person.get<{ runs: { slot: number }[] }>(`/api/healthcheck/targets/${target}/runs`)).runs;
  await expect.poll(async () => (await runs()).length).toBeGreaterThan(0);
  return { target, slot: (await runs())[0]?.slot ?? 0 };
}
