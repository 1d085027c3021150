/** Mounts a lesson over what Rust rendered. The words stay as they are; what runs comes to life among them. */
import { mount } from "svelte";
import { RequestForm } from "../console/form.svelte";
import type { LessonData } from "../contract";
import { mountHead, operationsOf, sessionOf } from "../studio/mount";
import { Attempt } from "./attempt.svelte";
import CheckColumn from "./CheckColumn.svelte";
import CostColumn from "./CostColumn.svelte";
import ExerciseTask from "./ExerciseTask.svelte";
import HelpColumn from "./HelpColumn.svelte";
import { Hints } from "./hints";
import { LESSON_SHORTCUTS } from "./keys";
import LessonBar from "./LessonBar.svelte";
import LessonKeys from "./LessonKeys.svelte";
import OwnRequest from "./OwnRequest.svelte";
import PlanColumn from "./PlanColumn.svelte";
import RunAll from "./RunAll.svelte";
import { LessonRun, OWN } from "./run.svelte";
import Solution from "./Solution.svelte";
import StepButton from "./StepButton.svelte";
import StepOutcome from "./StepOutcome.svelte";

/** Starts the engine in its worker and brings the lesson's parts to life. */
export function mountLesson(page: HTMLElement, text: string): void {
  const data = JSON.parse(text) as LessonData;
  const operations = operationsOf(page);
  const session = sessionOf(data);
  const lesson = new LessonRun(data, session);
  const own = new RequestForm(data, operations);
  const attempt = new Attempt(data.lesson.id, data.exercise, operations);

  // What says in words what the living parts show.
  for (const still of page.querySelectorAll("[data-static]")) still.remove();
  mountSteps(page, lesson);
  mount(OwnRequest, { target: part(page, "#text"), props: { lesson, form: own } });
  mount(PlanColumn, { target: emptied(part(page, "#plan")), props: { session } });
  const receipt = part(page, "#receipt > [data-live-place]");
  mount(CostColumn, { target: emptied(receipt), props: { session } });

  const exercise = part(page, "#exercise");
  const hintPlace = part(exercise, "#hints");
  const hints = new Hints(hintPlace, attempt.hints, (opened) => (attempt.hints = opened));
  const startOver = (): void => {
    attempt.startOver();
    hints.show(0);
  };
  const task = mount(ExerciseTask, {
    target: emptied(part(exercise, ".work")),
    props: { lesson, attempt, startOver },
  });
  mount(CheckColumn, { target: exercise, anchor: hintPlace, props: { data, attempt } });
  mount(HelpColumn, {
    target: hintPlace,
    anchor: part(hintPlace, "header"),
    props: { data, attempt },
  });
  mount(Solution, { target: exercise, props: { attempt } });
  const bar = document.querySelector<HTMLElement>(".phonebar");
  if (bar !== null) mount(LessonBar, { target: emptied(bar), props: { data, session, attempt } });

  mount(LessonKeys, {
    target: document.body,
    props: {
      lesson,
      runExercise: () => task.run(),
      runOwn: () => void lesson.send(OWN, own.request),
      check: () => task.check(),
      hint: () => hints.next(),
    },
  });
  mountHead(session, LESSON_SHORTCUTS);
  void session.start();
}

function mountSteps(page: HTMLElement, lesson: LessonRun): void {
  mount(RunAll, { target: part(page, ".run-all"), props: { lesson } });
  for (const step of lesson.data.steps) {
    const place = part(page, `#${step.id}`);
    const request = part(place, ".req");
    request.querySelector("button")?.remove();
    mount(StepButton, { target: request, props: { lesson, step } });
    const outcome = document.createElement("div");
    outcome.dataset["live"] = "";
    part(place, ".notice-text").before(outcome);
    mount(StepOutcome, { target: outcome, props: { lesson, step, place } });
  }
}

function part(within: ParentNode, selector: string): HTMLElement {
  const found = within.querySelector<HTMLElement>(selector);
  if (found === null) throw new Error(`the lesson's page has no ${selector}`);
  return found;
}

function emptied(place: HTMLElement): HTMLElement {
  place.replaceChildren();
  return place;
}
