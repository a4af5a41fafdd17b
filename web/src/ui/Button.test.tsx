import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState, type SubmitEvent } from "react";
import { expect, it, vi } from "vitest";
import { Button } from "./Button";
import { Checkbox } from "./Field";
import { IconButton } from "./IconButton";

/** Controls that become busy by their first click and stay so. */
function Controls({ onSend }: { onSend: (what: string) => void }) {
  const [busy, setBusy] = useState(false);
  const send = (what: string) => {
    setBusy(true);
    onSend(what);
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    send("form");
  };
  return (
    <>
      <form aria-label="Form" onSubmit={submit}>
        <input aria-label="Name" />
        <Button busy={busy} type="submit">
          Save
        </Button>
      </form>
      <Button busy={busy} disabled={busy} onClick={() => send("button")}>
        Apply
      </Button>
      <IconButton busy={busy} icon="close" label="Remove" onClick={() => send("icon")} />
      <Checkbox busy={busy} checked={false} label="Always" onChange={() => send("box")} />
      <Button disabled>Off</Button>
    </>
  );
}

const pressed = [
  ["Apply", "button"],
  ["Remove", "icon"],
  ["Save", "form"],
];

it.each(pressed)("keeps the keyboard's place on %s while it is busy, and sends nothing twice", async (name, sent) => {
  const onSend = vi.fn<(what: string) => void>();
  render(<Controls onSend={onSend} />);
  const button = screen.getByRole<HTMLButtonElement>("button", { name });
  button.focus();
  await userEvent.keyboard("{Enter}");
  expect(onSend.mock.calls).toEqual([[sent]]);
  expect(document.activeElement).toBe(button);
  expect([button.disabled, button.getAttribute("aria-busy")]).toEqual([false, "true"]);
  expect(button.getAttribute("aria-disabled")).toBe("true");
  await userEvent.keyboard("{Enter} ");
  await userEvent.click(button);
  expect(onSend).toHaveBeenCalledTimes(1);
});

it("sends no form by Enter in a field while its button is busy", async () => {
  const onSend = vi.fn<(what: string) => void>();
  render(<Controls onSend={onSend} />);
  await userEvent.type(screen.getByLabelText("Name"), "Orders{Enter}{Enter}");
  expect(onSend.mock.calls).toEqual([["form"]]);
});

it("keeps the keyboard's place on a checkbox that is busy, and what it shows", async () => {
  const onSend = vi.fn<(what: string) => void>();
  render(<Controls onSend={onSend} />);
  const box = screen.getByRole<HTMLInputElement>("checkbox", { name: "Always" });
  box.focus();
  await userEvent.keyboard(" ");
  await userEvent.keyboard(" ");
  expect(onSend.mock.calls).toEqual([["box"]]);
  expect(document.activeElement).toBe(box);
  expect([box.checked, box.disabled, box.getAttribute("aria-disabled")]).toEqual([false, false, "true"]);
});

it("disables what cannot be pressed for another reason", () => {
  render(<Controls onSend={() => {}} />);
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Off" }).disabled).toBe(true);
});
