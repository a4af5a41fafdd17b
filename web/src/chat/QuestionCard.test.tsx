import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ComponentProps } from "react";
import { describe, expect, it, vi } from "vitest";
import { composerId } from "./Composer";
import { QuestionCard } from "./QuestionCard";

const question = {
  question: "Which system do you mean?",
  options: [{ label: "Payments API" }, { label: "Payments UI" }],
  allowFreeText: true,
};

type Props = ComponentProps<typeof QuestionCard>;

function show(props: Partial<Props> = {}) {
  const onAnswer = vi.fn<Props["onAnswer"]>();
  const chat = (now: Partial<Props>) => (
    <>
      <QuestionCard fresh onAnswer={onAnswer} open question={question} ready reply={null} {...now} />
      <textarea id={composerId} />
    </>
  );
  let shown = props;
  const { rerender } = render(chat(shown));
  return {
    onAnswer,
    change: (next: Partial<Props>) => {
      shown = { ...shown, ...next };
      rerender(chat(shown));
    },
    options: screen.getAllByTestId("question-option"),
  };
}

describe("QuestionCard", () => {
  it("gives the focus to the message box once it is answered", async () => {
    const { options, change } = show();
    await userEvent.click(options[1] as HTMLElement);
    change({ ready: false, reply: "Payments UI" });
    expect(document.activeElement?.id).toBe(composerId);
  });

  it("is a group with the question as its name", () => {
    show();
    expect(screen.getByRole("group", { name: "Which system do you mean?" })).toBeTruthy();
  });

  it("sends what an option says", async () => {
    const { onAnswer, options } = show();
    await userEvent.click(options[0]!);
    await userEvent.click(options[1]!);
    expect(onAnswer.mock.calls).toEqual([["Payments API"], ["Payments UI"]]);
  });

  it("takes number keys and arrows", async () => {
    const { onAnswer, options } = show();
    options[0]!.focus();
    await userEvent.keyboard("{ArrowRight}");
    expect(document.activeElement).toBe(options[1]);
    await userEvent.keyboard("{ArrowDown}");
    expect(document.activeElement).toBe(options[0]);
    await userEvent.keyboard("2");
    expect(onAnswer).toHaveBeenCalledExactlyOnceWith("Payments UI");
    await userEvent.keyboard("5");
    expect(onAnswer).toHaveBeenCalledOnce();
  });

  it("takes another answer, to which digits and letters typed on an option belong", async () => {
    const { onAnswer, options } = show();
    options[0]!.focus();
    await userEvent.keyboard("Ledger 2{Enter}");
    expect(onAnswer).toHaveBeenCalledExactlyOnceWith("Ledger 2");
  });

  it("has no field when only the options count", () => {
    show({ question: { ...question, allowFreeText: false } });
    expect(screen.queryByTestId("question-text")).toBeNull();
  });

  it("shows the answer and does nothing any more once it is answered", async () => {
    const { onAnswer, options, change } = show();
    change({ open: false, ready: false, reply: "payments ui" });
    expect(await screen.findByText("Answered.")).toBeTruthy();
    expect(options[1]!.getAttribute("aria-pressed")).toBe("true");
    expect(options[0]!.getAttribute("aria-pressed")).toBe("false");
    await userEvent.click(options[0]!);
    expect(onAnswer).not.toHaveBeenCalled();
    expect(screen.queryByTestId("question-text")).toBeNull();
    change({ reply: "Something else" });
    expect(await screen.findByText("Answered: Something else")).toBeTruthy();
  });

  it("takes the focus when it becomes answerable, from an empty message box too", async () => {
    const { change, options } = show({ ready: false });
    document.getElementById(composerId)?.focus();
    change({ ready: true });
    await waitFor(() => expect(document.activeElement).toBe(options[0]));
  });

  it("does not take the focus from somebody who types", async () => {
    const { change } = show({ ready: false });
    const box = document.getElementById(composerId) as HTMLTextAreaElement;
    await userEvent.type(box, "wait");
    change({ ready: true });
    await screen.findByTestId("question-card");
    expect(document.activeElement).toBe(box);
  });

  it("leaves the focus alone in a conversation that is opened with it", () => {
    show({ fresh: false });
    expect(document.activeElement).toBe(document.body);
  });
});
