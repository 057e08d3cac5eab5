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
// Menus above the pages: only pages with the chosen values are shown.
document.querySelectorAll(".filters").forEach((bar) => {
  const menus = [...bar.querySelectorAll("select")];
  const section = bar.parentElement;
  const isChosen = (page) => menus.every(
    (menu) => !menu.value || page.dataset[menu.dataset.filter].split("|").includes(menu.value));
  const filter = () => {
    section.querySelectorAll("details.page").forEach((page) => { page.hidden = !isChosen(page); });
    const pages = [...section.querySelectorAll(".panel:not([hidden]) details.page")];
    const shown = pages.filter((page) => !page.hidden).length;
    bar.querySelector(".count").textContent = shown < pages.length ? `${shown} of ${pages.length} pages` : "";
  };
  menus.forEach((menu) => menu.addEventListener("change", filter));
  section.querySelector(".tabs")?.addEventListener("click", filter);
});
const root = document.documentElement;
document.getElementById("theme").addEventListener("click", () => {
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
});
// The first page of each tab is open, so that readers see that pages unfold.
document.querySelectorAll("#pages .panel").forEach((panel) => panel.querySelector("details.page")?.setAttribute("open", ""));
