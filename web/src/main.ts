/** Brings a page that Rust rendered to life. */
import "./styles/index.css";
import { showProgress } from "./course/map";
import { workOffline } from "./offline/register";
import { themeButton } from "./theme";

const button = document.querySelector<HTMLButtonElement>("#theme");
if (button !== null) themeButton(button);

const studio = document.querySelector<HTMLElement>("#studio");
const home = document.querySelector<HTMLElement>("#home");
const data = document.querySelector("#page-data");
if (home !== null && data !== null)
  void import("./home/mount").then(({ mountOn }) => mountOn(home, data.textContent));
if (studio !== null && data !== null)
  void import("./studio/mount").then(({ mountStudio }) => mountStudio(studio, data.textContent));

const lesson = document.querySelector<HTMLElement>("#lesson");
const lessonData = document.querySelector("#lesson-data");
if (lesson !== null && lessonData !== null)
  void import("./lesson/mount").then(({ mountLesson }) => mountLesson(lesson, lessonData.textContent));

showProgress();
workOffline();
