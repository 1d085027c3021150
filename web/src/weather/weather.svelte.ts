/** The weather of the tab's stores and the clock they share, as the reader has set them. */
import { EngineRefused, type EngineClient } from "../engine/client";
import type { ClockMove, ClockState, WeatherReport } from "../engine/protocol";
import { fieldOf, fineForm, formOf, namesOf, settingsOf, type Settings, type WeatherForm } from "./settings";
import { keepSettings } from "./travelling";

/** How far a clock may be from the machine's and still be taken for it: an answer takes a moment. */
const SAME_TIME_MILLISECONDS = 2_000;

/** A refusal, and the field that it is about. */
export interface Refusal {
  readonly field: string | null;
  readonly text: string;
}

/** One page's weather. */
export class Weather {
  /** What stands in the panel, set or not. */
  form = $state<WeatherForm>(fineForm());
  /** What is set, and what came of it in the store that was asked last. */
  report = $state.raw<WeatherReport>({ weather: {}, happened: {} });
  /** What the clock showed last, and the machine's time then. */
  clock = $state.raw<(ClockState & { readonly askedAt: number }) | null>(null);
  refusal = $state.raw<Refusal | null>(null);
  said = $state("");
  /** Whether the panel is open. */
  open = $state(false);

  /** The settings as they were asked for. */
  #set = $state.raw<Settings>({});

  /** The names of what is on. */
  readonly on = $derived(namesOf(this.report.weather));
  /** In a few words what of weather and clock isn't as on a fine day; nothing where all is. */
  readonly sign = $derived.by(() => {
    const words = this.on.length === 0 ? [] : [`Weather: ${this.on.join(", ")}`];
    if (this.clock !== null) words.push(...clockWords(this.clock, this.on.length > 0));
    return words.join("; ");
  });
  /** Whether the fields ask for something else than what is set. */
  readonly changed = $derived(
    JSON.stringify(settingsOf(formOf(this.#set))) !== JSON.stringify(settingsOf(this.form)),
  );

  readonly #client: EngineClient;
  /** The stores that are open. */
  readonly #stores: () => readonly string[];

  constructor(client: EngineClient, stores: () => readonly string[]) {
    this.#client = client;
    this.#stores = stores;
  }

  /** Sets what the fields ask for, in all stores that are open. */
  async apply(): Promise<void> {
    const settings = settingsOf(this.form);
    if (!(await this.#give(settings))) return;
    keepSettings(settings);
    this.said = this.on.length === 0 ? "Fine weather." : `Set: ${this.on.join(", ")}. Counts begin at 0.`;
  }

  /** Takes everything off, and lets the clock run as the machine's does. */
  async fine(): Promise<void> {
    this.form = fineForm();
    await this.apply();
    if (this.clock !== null && this.clock.rate !== 1) await this.move({ rate: 1 });
    this.said = "Fine weather. Everything is off.";
  }

  /** Begins with settings that the reader brings from another page. */
  async begin(settings: Settings): Promise<void> {
    if (await this.#give(settings)) this.form = formOf(settings);
    else this.refusal = null;
  }

  /** Gives a store that was opened just now the weather of the others. */
  async opened(store: string): Promise<void> {
    if (this.on.length > 0) this.report = await this.#client.weather(store, this.#set);
  }

  /** Asks what has come of the weather in a store; on a fine day nothing has. */
  async look(store: string): Promise<void> {
    if (this.on.length > 0) this.report = await this.#client.weather(store);
  }

  /** Moves the clock, or tells what it shows. */
  async move(move: ClockMove = {}): Promise<boolean> {
    this.refusal = null;
    try {
      this.clock = { ...(await this.#client.clock(move)), askedAt: Date.now() };
    } catch (error) {
      this.refusal = { field: "clock", text: wordsOf(error) };
      return false;
    }
    return true;
  }

  /** What the clock shows now, in milliseconds since 1970. */
  nowAt(machine: number): number | null {
    return this.clock === null
      ? null
      : this.clock.now + Math.max(0, machine - this.clock.askedAt) * this.clock.rate;
  }

  /** Where the first store refuses, none takes the settings: what one refuses they all would. */
  async #give(settings: Settings): Promise<boolean> {
    this.refusal = null;
    this.said = "";
    try {
      for (const store of this.#stores()) this.report = await this.#client.weather(store, settings);
    } catch (error) {
      const text = wordsOf(error);
      this.refusal = { field: error instanceof EngineRefused ? fieldOf(text) : null, text };
      return false;
    }
    this.#set = settings;
    return true;
  }
}

function clockWords({ now, rate, askedAt }: ClockState & { askedAt: number }, after: boolean): string[] {
  const clock = after ? "clock" : "Clock";
  if (rate === 0) return [`${clock} stands`];
  if (rate !== 1) return [`${clock} runs ${rate} times as fast`];
  return Math.abs(now - askedAt) > SAME_TIME_MILLISECONDS ? [`${clock} is ahead`] : [];
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
