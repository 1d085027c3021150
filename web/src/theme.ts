/** The theme: the system's unless the reader chose one. public/theme.js sets it before the first paint. */
const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

const KEY = "keyplan.theme";

/** Brings the theme's button to life. */
export function themeButton(button: HTMLButtonElement): void {
  const chosen = document.documentElement.dataset["theme"];
  let theme: Theme = chosen === "light" || chosen === "dark" ? chosen : "system";
  const show = (): void => {
    button.textContent = `Theme: ${theme}`;
    if (theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
  };
  button.addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system";
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // A browser that keeps nothing has the theme on this page.
    }
    show();
  });
  show();
  button.hidden = false;
}
