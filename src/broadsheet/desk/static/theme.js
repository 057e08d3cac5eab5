// Runs before the page is drawn, so that it does not flash in the wrong theme.
(() => {
  const theme = localStorage.getItem("broadsheet.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
})();
