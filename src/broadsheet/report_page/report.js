// Tabs, and the switch between light and dark. The report is readable without this script.
document.querySelectorAll(".tabs").forEach((bar) => {
  const buttons = [...bar.querySelectorAll("button")];
  const show = (chosen) => buttons.forEach((button) => {
    const isChosen = button === chosen;
    button.setAttribute("aria-pressed", isChosen);
    document.getElementById(button.dataset.tab).hidden = !isChosen;
  });
  buttons.forEach((button) => button.addEventListener("click", () => show(button)));
  show(buttons[0]);
});
const root = document.documentElement;
document.getElementById("theme").addEventListener("click", () => {
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
});
// The first page of each tab is open, so that readers see that pages unfold.
document.querySelectorAll("#pages .panel").forEach((panel) => panel.querySelector("details.page")?.setAttribute("open", ""));
