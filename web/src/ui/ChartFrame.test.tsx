import { createEvent, fireEvent, render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { ChartFrame } from "./ChartFrame";

it("is read with the arrow keys, and leaves those of the browser alone", () => {
  const onRead = vi.fn<(at: number | null) => void>();
  render(
    <ChartFrame at={3} count={5} label="Latency" onRead={onRead} read="At noon" summary="All of it">
      {null}
    </ChartFrame>,
  );
  const slider = screen.getByRole("slider");
  const press = (init: KeyboardEventInit) => {
    const event = createEvent.keyDown(slider, init);
    fireEvent(slider, event);
    return event.defaultPrevented;
  };
  expect(press({ key: "ArrowLeft" })).toBe(true);
  expect(press({ key: "End" })).toBe(true);
  expect(onRead.mock.calls).toEqual([[2], [4]]);
  for (const held of [{ altKey: true }, { ctrlKey: true }, { metaKey: true }]) {
    expect(press({ key: "ArrowLeft", ...held })).toBe(false);
  }
  expect(onRead).toHaveBeenCalledTimes(2);
});
