import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState, type ComponentProps } from "react";
import { describe, expect, it, vi } from "vitest";
import { Composer } from "./Composer";

function show(props: Partial<ComponentProps<typeof Composer>> = {}) {
  const onSend = vi.fn<(text: string) => void>();
  const onStop = vi.fn<() => void>();
  function Form() {
    const [text, setText] = useState("");
    return (
      <Composer
        busy={false}
        onSend={() => onSend(text)}
        onStop={onStop}
        onText={setText}
        stopping={false}
        text={text}
        {...props}
      />
    );
  }
  render(<Form />);
  return { onSend, onStop, box: screen.getByTestId("composer") };
}

describe("Composer", () => {
  it("sends on Enter and breaks the line on Shift+Enter", async () => {
    const { onSend, box } = show();
    await userEvent.type(box, "one{Shift>}{Enter}{/Shift}two{Enter}");
    expect(onSend).toHaveBeenCalledExactlyOnceWith("one\ntwo");
  });

  it("does not send blank text", async () => {
    const { onSend, box } = show();
    await userEvent.type(box, "  {Enter}");
    expect(onSend).not.toHaveBeenCalled();
    expect(screen.getByTestId("send")).toHaveProperty("disabled", true);
  });

  it("stops instead of sending while an answer is written", async () => {
    const { onSend, onStop, box } = show({ busy: true });
    await userEvent.type(box, "next{Enter}{Escape}");
    expect(onSend).not.toHaveBeenCalled();
    expect(onStop).toHaveBeenCalledOnce();
    expect(screen.getByText(/still answering/)).toBeTruthy();
  });

  it("says why nothing can be sent", () => {
    const { box } = show({ blocked: "Add a connection first." });
    expect(box).toHaveProperty("disabled", true);
    expect(screen.getByPlaceholderText("Add a connection first.")).toBeTruthy();
  });
});
