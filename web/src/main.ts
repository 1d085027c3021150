/** Brings a page that Rust rendered to life. */
import "./styles/index.css";
import { themeButton } from "./theme";

const button = document.querySelector<HTMLButtonElement>("#theme");
if (button !== null) themeButton(button);

const studio = document.querySelector<HTMLElement>("#studio");
const data = document.querySelector("#page-data");
if (studio !== null && data !== null)
  void import("./studio/mount").then(({ mountStudio }) => mountStudio(studio, data.textContent));
