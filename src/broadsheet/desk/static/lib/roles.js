// Roles of blocks: their names, colours in the frame of a page, and which of them make up the text of the article.
export const ROLES = ["title", "subtitle", "byline", "date", "body", "heading", "list", "quote", "table", "caption", "comment", "boilerplate", "byline+date", "unsure"]; // the last two: people only
export const CONTENT_ROLES = new Set(["subtitle", "body", "heading", "list", "quote", "table"]);

// Red, green and blue on the pages, which have a light background in both themes.
const TEXT_COLOUR = "28 140 70";
export const ROLE_COLOURS = {
  title: "20 125 150",
  byline: "150 80 180",
  date: "150 80 180",
  "byline+date": "150 80 180",
  caption: "190 145 0",
  comment: "70 100 200",
  boilerplate: "120 118 112",
  unsure: "200 90 20",
};
export const colourOf = (role) => ROLE_COLOURS[role] ?? TEXT_COLOUR;
// The name of the CSS variable --role-NAME with the colour of a role in the desk itself.
export const variableOf = (role) => `--role-${CONTENT_ROLES.has(role) ? "text" : role.split("+")[0]}`;
