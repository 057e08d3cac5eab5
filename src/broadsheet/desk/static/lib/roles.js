// Roles of blocks: the table of blocks/roles.py, and the shades of their colours in the frame of a page.
const response = await fetch(new URL("../roles.json", import.meta.url));
const TABLE = new Map((await response.json()).map((row) => [row.name, row]));

export const ROLES = [...TABLE.keys()];
export const CONTENT_ROLES = new Set(ROLES.filter((role) => TABLE.get(role).is_content));
export const BOILERPLATE = "boilerplate"; // blocks without a role have this one
// The roles that people give, in the order of their digits: {name, meaning, keys}.
export const LABELS = [...TABLE.values()].filter(({ keys }) => keys).sort((one, other) => one.keys.localeCompare(other.keys));

// Red, green and blue on the pages, which have a light background in both themes.
const SHADES = {
  cyan: "20 125 150",
  magenta: "150 80 180",
  green: "28 140 70",
  yellow: "190 145 0",
  blue: "70 100 200",
  grey: "120 118 112",
  orange: "200 90 20",
};
export const shadeOf = (role) => SHADES[TABLE.get(role)?.colour ?? "grey"];
// The colour of a role in the desk itself, which depends on the theme: a variable of style.css.
export const colourOf = (role) => `var(--${TABLE.get(role)?.colour ?? "grey"})`;
