/** Brings a page that Rust rendered to life. */
import "./styles/index.css";
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
