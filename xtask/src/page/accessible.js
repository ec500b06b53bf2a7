// What a page lacks for those who hear it, use keys alone, or need contrast: a list of findings,
// empty if there are none. It looks at what is rendered, so it is run in every colour scheme and
// width.
const findings = [];
const find = (what, element) =>
  findings.push(`${what}: ${element ? element.outerHTML.slice(0, 160) : ""}`);
const seen = (element) =>
  element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
const all = (css) => [...document.querySelectorAll(css)].filter(seen);

if (!document.documentElement.lang) find("no language");
if (!document.title.trim()) find("no title");
if (document.querySelectorAll("main").length !== 1) find("not one main");
if (document.querySelectorAll("h1").length !== 1) find("not one h1");
let level = 0;
for (const heading of all("h1, h2, h3, h4, h5, h6")) {
  const own = Number(heading.tagName[1]);
  if (own > level + 1) find("a heading skips a level", heading);
  level = own;
}
const ids = new Map();
for (const element of document.querySelectorAll("[id]"))
  ids.set(element.id, (ids.get(element.id) || 0) + 1);
for (const [id, count] of ids) if (count > 1) find(`the id ${id} is there ${count} times`);
for (const name of ["aria-labelledby", "aria-describedby", "aria-controls", "for"]) {
  for (const element of document.querySelectorAll(`[${name}]`)) {
    for (const id of element.getAttribute(name).split(/\s+/))
      if (!document.getElementById(id)) find(`${name} leads nowhere`, element);
  }
}
for (const element of document.querySelectorAll("[tabindex]"))
  if (element.tabIndex > 0) find("a tabindex above 0", element);
const named = (element) =>
  (element.getAttribute("aria-label") || "").trim() ||
  (element.getAttribute("aria-labelledby") || "")
    .split(/\s+/)
    .map((id) => document.getElementById(id)?.textContent || "")
    .join("")
    .trim() ||
  [...(element.labels || [])]
    .map((label) => label.textContent)
    .join("")
    .trim();
for (const control of all("input, select, textarea, meter, progress"))
  if (!named(control)) find("a control without a label", control);
for (const control of all("a[href], button, summary"))
  if (!(control.textContent.trim() || named(control))) find("no text", control);
for (const picture of all("svg"))
  if (picture.getAttribute("role") !== "img" || !(named(picture) || picture.querySelector("title")))
    find("a picture without words", picture);
for (const head of all("th")) if (!head.scope) find("a heading of a table without a scope", head);
for (const control of all("button, input, select, summary")) {
  const box = control.getBoundingClientRect();
  if (box.height < 20 || box.width < 20) find(`a target of ${box.width} × ${box.height}`, control);
}
for (const element of all("*")) {
  const scrolls =
    ["auto", "scroll"].includes(getComputedStyle(element).overflowX) &&
    element.scrollWidth > element.clientWidth + 1;
  if (scrolls && element.tabIndex < 0 && element.tagName !== "HTML")
    find("scrolls, and keys do not reach it", element);
}
const { scrollWidth, clientWidth } = document.documentElement;
if (scrollWidth > clientWidth + 1)
  find(`the page is ${scrollWidth} wide in a window of ${clientWidth}`);

// Contrast, by WCAG 2: 4.5, or 3 for large texts.
const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
const parsed = (colour) => {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = colour;
  canvas.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
};
const over = (top, below) =>
  top
    .slice(0, 3)
    .map((part, at) => part * top[3] + below[at] * (1 - top[3]))
    .concat([1]);
const light = ([r, g, b]) => {
  const [x, y, z] = [r, g, b]
    .map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
};
const background = (element) => {
  const layers = [];
  for (let at = element; at; at = at.parentElement)
    layers.push(parsed(getComputedStyle(at).backgroundColor));
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  return layers
    .reverse()
    .reduce((below, layer) => over(layer, below), dark ? [18, 18, 18, 1] : [255, 255, 255, 1]);
};
for (const element of all("body *")) {
  const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  const field = ["INPUT", "SELECT", "TEXTAREA"].includes(element.tagName);
  if (
    !(own || field) ||
    element.matches(":disabled, .sr, option, title, desc, script, noscript") ||
    element.closest(":disabled")
  )
    continue;
  const style = getComputedStyle(element);
  const inSvg = element instanceof SVGElement;
  const below = background(element);
  const ink = over(parsed(inSvg ? style.fill : style.color), below);
  const [high, low] = [light(ink), light(below)].sort((a, b) => b - a);
  const size = parseFloat(style.fontSize);
  const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
  const ratio = (high + 0.05) / (low + 0.05);
  if (ratio < (large ? 3 : 4.5)) find(`a contrast of ${ratio.toFixed(2)}`, element);
}
return findings.slice(0, 20);
