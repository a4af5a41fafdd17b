import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { SendWithheld } from "./SendWithheld";

describe("SendWithheld", () => {
  it.each([
    [2, "Your next message sends it again."],
    [0, "Nothing is left out any more."],
  ])("releases %i parts", async (parts, says) => {
    const paths: string[] = [];
    vi.stubGlobal("fetch", async (request: Request) => {
      paths.push(`${request.method} ${new URL(request.url).pathname}`);
      return Response.json({ parts });
    });
    render(
      <QueryClientProvider client={new QueryClient()}>
        <SendWithheld chat="c1" />
      </QueryClientProvider>,
    );
    await userEvent.click(screen.getByTestId("send-withheld"));
    expect((await screen.findByTestId("withheld-sent")).textContent).toBe(says);
    expect(paths).toEqual(["POST /api/ai/conversations/c1/withheld/send"]);
  });
});
