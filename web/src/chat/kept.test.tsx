import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { presence } from "../api/presence";
import { MessageEdit } from "./MessageEdit";
import { QuestionCard } from "./QuestionCard";

const ada = { id: "ada", name: "Ada", email: "ada@example.org" };

beforeEach(() => presence.begin(ada));
afterEach(() => {
  presence.end();
  localStorage.clear();
});

function edit(text = "Which systems?") {
  cleanup();
  const onSave = vi.fn<(text: string) => void>();
  const onCancel = vi.fn<() => void>();
  render(<MessageEdit field="c1.m1.edit" onCancel={onCancel} onSave={onSave} text={text} />);
  return { onSave, onCancel, box: screen.getByTestId<HTMLTextAreaElement>("edit-text") };
}

describe("a message that is being written anew", () => {
  it("is there again after Escape and after the page was left, for its own person", async () => {
    const { box, onCancel } = edit();
    await userEvent.type(box, " And who owns them?{Escape}");
    expect(onCancel).toHaveBeenCalledOnce();
    expect(edit().box.value).toBe("Which systems? And who owns them?");
    presence.begin({ ...ada, id: "bob" });
    expect(edit().box.value).toBe("Which systems?");
    presence.begin(ada);
    expect(edit().box.value).toBe("Which systems? And who owns them?");
  });

  it("is sent by Enter, and goes on in a new line with Shift", async () => {
    const { box, onSave } = edit();
    await userEvent.type(box, " One{Shift>}{Enter}{/Shift}Two");
    expect(onSave).not.toHaveBeenCalled();
    await userEvent.type(box, "{Enter}");
    expect(onSave).toHaveBeenCalledExactlyOnceWith("Which systems? One\nTwo");
  });

  it("is gone once it was given up or is as it was, and kept while it is sent", async () => {
    await userEvent.type(edit().box, " One");
    await userEvent.click(screen.getByTestId("edit-cancel"));
    expect(edit().box.value).toBe("Which systems?");
    const { box, onSave } = edit();
    await userEvent.type(box, " Two");
    await userEvent.click(screen.getByTestId("edit-save"));
    expect(onSave).toHaveBeenCalledExactlyOnceWith("Which systems? Two");
    expect(edit().box.value).toBe("Which systems? Two");
    await userEvent.type(screen.getByTestId("edit-text"), "!");
    await userEvent.type(screen.getByTestId("edit-text"), "{Backspace}".repeat(5));
    expect(localStorage.length).toBe(0);
  });
});

describe("an answer of one's own to a question", () => {
  const question = { question: "Which one?", options: [], allowFreeText: true };
  const ask = (field?: string) => {
    cleanup();
    const onAnswer = vi.fn<(text: string) => void>();
    render(<QuestionCard field={field} fresh onAnswer={onAnswer} open question={question} ready reply={null} />);
    return { onAnswer, box: screen.getByTestId<HTMLInputElement>("question-text") };
  };

  it("is kept until it is sent", async () => {
    await userEvent.type(ask("c1.m2.answer").box, "The old one");
    expect(ask("c1.m3.answer").box.value).toBe("");
    const { box, onAnswer } = ask("c1.m2.answer");
    expect(box.value).toBe("The old one");
    await userEvent.click(screen.getByTestId("question-send"));
    expect(onAnswer).toHaveBeenCalledExactlyOnceWith("The old one");
    expect(ask("c1.m2.answer").box.value).toBe("");
  });

  it("is not kept where nobody knows of which message it is", async () => {
    await userEvent.type(ask().box, "The old one");
    expect(localStorage.length).toBe(0);
  });
});
