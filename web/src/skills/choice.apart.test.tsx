import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState, type ReactNode } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { meQuery, type Principal } from "../api/session";
import { skillsQuery, type SkillSummary } from "../api/skills";
import { Composer } from "../chat/Composer";
import { activeSkills } from "./active";
import { useSkillChoice } from "./choice";

vi.mock("@tanstack/react-router", () => ({ Link: ({ children }: { children: ReactNode }) => <span>{children}</span> }));

const me: Principal = {
  kind: "user",
  id: "ada",
  name: "Ada",
  email: "",
  rules: ["ai.skill.read"],
  teams: [],
  roles: [],
  mustChangePassword: false,
};
const shared = { tags: [], editable: false, revision: 1 };
const skills: SkillSummary[] = [
  {
    ...shared,
    id: "incident-commander",
    name: "Incident commander",
    description: "Leads.",
    targets: ["chat"],
    source: "builtin",
  },
  { ...shared, id: "grader", name: "Grader", description: "Grades.", targets: ["ai_analyze"], source: "builtin" },
  {
    ...shared,
    id: "s2",
    name: "Release checker",
    description: "Checks.",
    targets: ["chat"],
    source: "user",
    ownerId: "bob",
    ownerName: "Bob",
  },
];

function show(rules = me.rules) {
  const queryClient = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } },
  });
  queryClient.setQueryData(meQuery.queryKey, { ...me, rules });
  queryClient.setQueryData(skillsQuery.queryKey, skills);
  const sent = vi.fn<(text: string, skillId: string | undefined) => void>();
  function Chat() {
    const [text, setText] = useState("");
    const skill = useSkillChoice("c1", text, setText);
    return (
      <>
        <Composer
          busy={false}
          notice={skill.banner}
          onSend={() => sent(text, skill.skillId)}
          onSkills={skill.open}
          onStop={() => {}}
          onText={setText}
          stopping={false}
          text={text}
        />
        {skill.dialog}
      </>
    );
  }
  render(
    <QueryClientProvider client={queryClient}>
      <Chat />
    </QueryClientProvider>,
  );
  return sent;
}

function serve(answers: Record<string, { status: number; body: object }>) {
  vi.stubGlobal(
    "fetch",
    vi.fn<(request: Request) => Promise<Response>>(async ({ url }) => {
      const answer = answers[new URL(url).pathname] ?? { status: 404, body: { detail: "No skill." } };
      return new Response(JSON.stringify(answer.body), { status: answer.status });
    }),
  );
}

const found = (skill: SkillSummary | undefined, promptTemplate = "") => ({
  [`/api/ai/skills/${skill?.id}`]: {
    status: 200,
    body: { ...skill, systemPrompt: "x", promptTemplate, suggestedOutputFields: [] },
  },
});

beforeEach(() => {
  // jsdom knows no scrolling.
  Element.prototype.scrollIntoView = () => {};
  activeSkills.set("c1", null);
});
afterEach(() => vi.unstubAllGlobals());

describe("the skill of a chat", () => {
  it("is chosen with a slash, the arrows and Enter, and goes out with the message until it is removed", async () => {
    serve(found(skills[2]));
    const sent = show();
    await userEvent.type(screen.getByTestId("composer"), "/");
    expect((await screen.findAllByTestId("skill-option")).map((option) => option.textContent)).toEqual([
      "Incident commanderBuilt inLeads.",
      "Release checkerBy BobChecks.",
    ]);
    await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId("skill-search")));
    await userEvent.keyboard("{ArrowDown}{ArrowDown}{Enter}");
    expect(screen.queryByTestId("skill-picker")).toBeNull();
    expect(screen.getByTestId("skill-banner").textContent).toContain("Release checker");
    expect(screen.getByTestId<HTMLTextAreaElement>("composer").value).toBe("");
    await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId("composer")));
    await userEvent.type(screen.getByTestId("composer"), "go{Enter}");
    expect(sent).toHaveBeenLastCalledWith("go", "s2");

    await userEvent.click(screen.getByTestId("remove-skill"));
    expect(screen.queryByTestId("skill-banner")).toBeNull();
    await userEvent.type(screen.getByTestId("composer"), "{Enter}");
    expect(sent).toHaveBeenLastCalledWith("go", undefined);
  });

  it("is found by typing, and says when nothing matches", async () => {
    serve(found(skills[0]));
    show();
    await userEvent.click(screen.getByTestId("open-skills"));
    await userEvent.type(await screen.findByTestId("skill-search"), "xyz{Enter}");
    expect(screen.getByTestId("skill-none").textContent).toContain("xyz");
    await userEvent.clear(screen.getByTestId("skill-search"));
    await userEvent.type(await screen.findByTestId("skill-search"), "leads");
    await userEvent.click(screen.getByTestId("skill-option"));
    expect(activeSkills.get("c1")).toEqual({ id: "incident-commander", name: "Incident commander" });
  });

  it("puts its template into the empty box only", async () => {
    serve(found(skills[0], "Lead me through this."));
    show();
    const box = screen.getByTestId<HTMLTextAreaElement>("composer");
    await userEvent.type(box, "mine");
    await userEvent.click(screen.getByTestId("open-skills"));
    await userEvent.type(await screen.findByTestId("skill-search"), "{Enter}");
    expect(box.value).toBe("mine");
    await userEvent.clear(box);
    await userEvent.click(screen.getByTestId("open-skills"));
    await userEvent.type(await screen.findByTestId("skill-search"), "{Enter}");
    await waitFor(() => expect(box.value).toBe("Lead me through this."));
  });

  it("leaves the slash to somebody who closes the picker", async () => {
    serve({});
    show();
    const box = screen.getByTestId<HTMLTextAreaElement>("composer");
    await userEvent.type(box, "/");
    await userEvent.click(await screen.findByLabelText("Close"));
    expect(box.value).toBe("/");
    await userEvent.type(box, "healthz");
    expect(box.value).toBe("/healthz");
    expect(screen.queryByTestId("skill-picker")).toBeNull();
  });

  it("is not sent once it is gone, and the banner says so", async () => {
    serve({});
    activeSkills.set("c1", { id: "deleted", name: "Old one" });
    const sent = show();
    await waitFor(() => expect(screen.getByTestId("skill-banner").textContent).toContain("no longer available"));
    await userEvent.type(screen.getByTestId("composer"), "go{Enter}");
    expect(sent).toHaveBeenLastCalledWith("go", undefined);
  });

  it("is not offered without the access rule", async () => {
    serve({});
    activeSkills.set("c1", { id: "s2", name: "Release checker" });
    const sent = show(["ai.chat.read"]);
    expect(screen.queryByTestId("open-skills")).toBeNull();
    expect(screen.queryByTestId("skill-banner")).toBeNull();
    await userEvent.type(screen.getByTestId("composer"), "/go{Enter}");
    expect(sent).toHaveBeenLastCalledWith("/go", undefined);
  });
});
