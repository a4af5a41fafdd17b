import type { Locator, Page } from "playwright-core";
import { scriptedModel } from "../clients/gate";

/** The chat as a person uses it. */
export class Chat {
  readonly page: Page;
  readonly composer: Locator;
  readonly questions: Locator;
  readonly answers: Locator;
  readonly cards: Locator;
  readonly stop: Locator;

  constructor(page: Page) {
    this.page = page;
    this.composer = page.getByTestId("composer");
    this.questions = page.getByTestId("user-message");
    this.answers = page.getByTestId("assistant-message");
    this.cards = page.getByTestId("proposal-card");
    this.stop = page.getByTestId("stop");
  }

  /** Opens a new chat. */
  static async open(page: Page): Promise<Chat> {
    await page.goto("/chat");
    const chat = new Chat(page);
    await chat.composer.waitFor();
    return chat;
  }

  async ask(text: string): Promise<void> {
    await this.composer.fill(text);
    await this.composer.press("Enter");
  }

  /** Has the scripted model answer, which takes as long as the script says. */
  async perform(directives: string): Promise<void> {
    await this.page.getByTestId("model-picker").selectOption(scriptedModel);
    await this.ask(`script: ${directives}`);
  }

  async choose(mode: "approve" | "auto"): Promise<void> {
    const label = mode === "auto" ? "Auto" : "Approve";
    await this.page.getByTestId("mode-picker").getByText(label, { exact: true }).click();
  }

  /** Waits until an answer says this. */
  async says(text: string): Promise<void> {
    await this.answers.last().getByText(text).first().waitFor();
  }

  /** Waits until an answer says this that is still being written. */
  async writing(text: string): Promise<void> {
    await this.says(text);
    await this.stop.waitFor();
  }

  /** Waits until nothing is being written any more. */
  async idle(): Promise<void> {
    await this.page.getByTestId("send").waitFor();
  }

  /** Waits for a card that can be applied. */
  async card(): Promise<Card> {
    const card = new Card(this.cards.last());
    await card.pending();
    return card;
  }
}

/** A card with a proposed change. */
export class Card {
  readonly element: Locator;
  readonly apply: Locator;
  readonly decline: Locator;
  readonly outcome: Locator;

  constructor(element: Locator) {
    this.element = element;
    this.apply = element.getByTestId("proposal-apply");
    this.decline = element.getByTestId("proposal-decline");
    this.outcome = element.getByTestId("proposal-outcome");
  }

  /** Waits until a decision can be made. */
  async pending(): Promise<void> {
    await this.element.and(this.element.page().locator('[data-status="proposed"]')).waitFor();
    await this.element
      .page()
      .waitForFunction((button) => button && !(button as HTMLButtonElement).disabled, await this.apply.elementHandle());
  }
}

/** A card with several changes. */
export class PlanCard {
  readonly element: Locator;
  readonly apply: Locator;
  readonly members: Locator;

  constructor(element: Locator) {
    this.element = element;
    this.apply = element.getByTestId("plan-apply");
    this.members = element.getByTestId("plan-member");
  }

  /** Waits until the plan as a whole has come to this. */
  async is(status: "proposed" | "applied" | "failed" | "declined"): Promise<void> {
    await this.element.and(this.element.page().locator(`[data-status="${status}"]`)).waitFor();
  }

  /** Outcome of each change. */
  statuses(): Promise<(string | null)[]> {
    return this.members.evaluateAll((members) => members.map((member) => member.getAttribute("data-status")));
  }
}
