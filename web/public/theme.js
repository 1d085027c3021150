// Before the first paint: the theme the reader chose, if any. src/theme.ts has the button.
try {
  const theme = localStorage.getItem("keyplan.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be refused; then the system's theme holds.
}
