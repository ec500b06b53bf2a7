// A plan: its text is the truth. The form, the sliders and the locks ask the server to change the text, and show what it says of the new one.
import { ask, base, byId, draw, make, put, say } from "./common.js";

const plan = byId("plan");
const text = byId("text");
const name = plan.dataset.name;

/** The hash of the text in the file, and the last answer of the server. */
let saved = plan.dataset.hash;
let shown = null;

// One request at a time; of those that wait, the operations are kept and the newest text is taken.
let busy = false;
let waiting = null;

/** Asks what the text is worth after some operations, and shows it. */
async function look(operations = []) {
  if (busy) {
    waiting = merge(waiting || [], operations);
    return;
  }
  busy = true;
  const before = text.value;
  byId("price").setAttribute("aria-busy", "true");
  try {
    const answer = await ask("/api/plan", { text: before, operations });
    // What was typed meanwhile is newer than this answer.
    if (text.value === before) {
      if (answer.text !== before) text.value = answer.text;
      show(answer);
    } else {
      waiting = merge(operations, waiting || []);
    }
    clear();
  } catch (error) {
    say(error.message, true);
    refuse(operations, error.message);
  }
  busy = false;
  if (waiting !== null) {
    const next = waiting;
    waiting = null;
    await look(next);
  } else {
    byId("price").setAttribute("aria-busy", "false");
    smallest();
  }
}

/** Says at its field why what was typed there is refused; the field keeps it. */
function refuse(operations, message) {
  const set = operations.filter((operation) => operation.do === "set");
  if (set.length !== 1) return;
  const key = JSON.stringify(set[0].path);
  const place = [...document.querySelectorAll(".mistake")].find((one) => one.dataset.of === key);
  if (!place) return;
  put(place, make("p", {}, message));
  const field = byId(place.dataset.field || "");
  if (field) field.setAttribute("aria-invalid", "true");
}

function clear() {
  if (byId("status").classList.contains("bad")) say("");
}

/** Of two changes of one place the later one counts. */
function merge(first, then) {
  const place = (operation) => operation.do === "set" ? JSON.stringify(operation.path) : operation.do === "share" ? `share ${operation.index}` : null;
  const later = new Set(then.map(place).filter((key) => key !== null));
  return first.filter((operation) => !later.has(place(operation))).concat(then);
}

let typed = null;
text.addEventListener("input", () => {
  clearTimeout(typed);
  typed = setTimeout(() => look(), 150);
});

function show(answer) {
  shown = answer;
  showMistakes(answer);
  if (answer.form !== null) showForm(answer.form);
  placeMistakes(answer);
  showPrice(answer.price);
  showSliders(answer);
  const dirty = answer.hash !== saved;
  byId("save").disabled = !dirty;
  byId("release").disabled = answer.price === null;
  byId("rehearse").disabled = answer.price === null;
  byId("inspect").disabled = answer.price === null;
  byId("lock-all").disabled = answer.price === null;
}

// Mistakes: in a list that leads to their lines, and at their fields.

function showMistakes(answer) {
  const list = answer.mistakes.map((mistake) => {
    const where = mistake.line === null ? "" : `line ${mistake.line}: `;
    const words = where + mistake.message;
    if (mistake.offset === null) return make("li", {}, words);
    return make("li", {}, make("button", { type: "button", class: "link", click: () => toText(mistake.offset) }, words));
  });
  const count = answer.mistakes.length;
  // A fresh draft is no fault of anybody.
  const draft = answer.mistakes.every((mistake) => mistake.unfilled);
  const [one, many] = draft ? ["There is one thing to fill in.", `There are ${count} things to fill in.`] : ["There is a mistake in the plan.", `There are ${count} mistakes in the plan.`];
  put(byId("mistakes"),
    ...(count === 0 ? [] : [
      make("p", { class: draft ? "notice" : "notice bad" }, count === 1 ? one : many),
      make("ul", { class: "mistakes" }, ...list),
    ]),
  );
}

function toText(offset) {
  text.focus();
  text.setSelectionRange(offset, offset);
  const lines = text.value.slice(0, offset).split("\n").length;
  text.scrollTop = Math.max(0, (lines - 5) * (text.scrollHeight / text.value.split("\n").length));
}

function placeMistakes(answer) {
  for (const old of document.querySelectorAll(".mistake")) old.replaceChildren();
  for (const field of document.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
  for (const mistake of answer.mistakes) {
    // At the field, or else at what it is in.
    for (let path = mistake.path || []; ; path = path.slice(0, -1)) {
      const key = JSON.stringify(path);
      const place = [...document.querySelectorAll(".mistake")].find((one) => one.dataset.of === key);
      if (place) {
        place.append(make("p", {}, mistake.message));
        const field = document.getElementById(place.dataset.field || "");
        if (field) field.setAttribute("aria-invalid", "true");
        const fold = place.closest("details");
        if (fold) fold.open = true;
        break;
      }
      if (path.length === 0) break;
    }
  }
}

// The form. It is made anew when it has other fields than before, and else filled.

let shape = "";

function fieldId(path) {
  return "f-" + path.map((step) => String(step).replace(/[^A-Za-z0-9]/g, (c) => "_" + c.codePointAt(0))).join("-");
}

function showForm(form) {
  const next = JSON.stringify([form.sections, form.columns, form.statistics].map((list) => list.map((section) => [section.title, section.path, section.more, section.fields.map((field) => [field.fixed, field.unfilled])])));
  if (next !== shape) {
    shape = next;
    const focused = document.activeElement && document.activeElement.id;
    const open = new Set([...document.querySelectorAll("#form details[open]")].map((fold) => fold.dataset.of));
    put(byId("form"), 
      ...form.sections.map((section, index) => fold(section, open, index === 0)),
      make("h3", {}, "Columns"),
      ...form.columns.map((section) => fold(section, open, false, "Remove this column")),
      adder("column", "Add a column of numbers", (name) => ({ do: "add_column", name, numbers: true }), "Add one of categories", (name) => ({ do: "add_column", name, numbers: false })),
      make("h3", {}, "Statistics"),
      ...form.statistics.map((section) => fold(section, open, false, "Remove this statistic")),
      adder("statistic", "Add a statistic", (name) => ({ do: "add_statistic", name })),
    );
    const again = focused && byId(focused);
    if (again) again.focus();
  }
  for (const section of [...form.sections, ...form.columns, ...form.statistics]) {
    for (const field of section.fields) fill(field);
  }
}

function fold(section, open, first, remove) {
  const key = JSON.stringify(section.path);
  const name = section.path.length === 2 ? section.title : null;
  return make("details", { "data-of": key, open: first || open.has(key) },
    make("summary", {}, section.title),
    make("div", { class: "mistake", "data-of": key }),
    make("div", { class: "fields" }, ...section.fields.map((field) => input(field, name || section.title))),
    section.more.length === 0 ? null : make("p", { class: "hint" }, `In the text there is also: ${section.more.join(", ")}.`),
    remove ? make("button", { type: "button", "aria-label": `${remove}: ${section.title}`, click: () => look([{ do: "remove", path: section.path }]) }, remove) : null,
  );
}

function input(field, of) {
  const id = fieldId(field.path);
  const change = (event) => {
    const value = field.of === "flag" ? String(event.target.checked) : event.target.value;
    look([{ do: "set", path: field.path, value }]);
  };
  const attributes = { id, "aria-describedby": `${id}-help ${id}-mistake`, disabled: field.fixed, change };
  let control;
  if (field.of === "choice") {
    control = make("select", attributes, make("option", { value: "" }, "–"), ...field.choices.map((choice) => make("option", { value: choice }, choice)));
  } else if (field.of === "flag") {
    control = make("input", { ...attributes, type: "checkbox" });
  } else if (field.of === "lines") {
    control = make("textarea", { ...attributes, rows: 4, spellcheck: "false" });
  } else {
    control = make("input", { ...attributes, autocomplete: "off", spellcheck: "false" });
  }
  return make("div", { class: "field" },
    make("label", { for: id }, field.label, make("span", { class: "sr" }, ` of ${of}`)),
    control,
    field.unfilled ? make("button", { type: "button", id: `${id}-out`, class: "out", "aria-label": `Leave this out: ${field.label} of ${of}`, click: () => look([{ do: "set", path: field.path, value: "" }]) }, "Leave this out") : null,
    make("small", { id: `${id}-help` }, field.fixed ? "This is more than a field can hold: change it in the text." : field.help),
    make("div", { class: "mistake", id: `${id}-mistake`, "data-of": JSON.stringify(field.path), "data-field": id }),
  );
}

function fill(field) {
  const control = byId(fieldId(field.path));
  if (!control || control === document.activeElement) return;
  if (field.of === "flag") control.checked = field.value === "true";
  else if (field.of === "choice" && field.value !== "" && ![...control.options].some((option) => option.value === field.value)) {
    control.append(make("option", { value: field.value }, field.value));
    control.value = field.value;
  } else control.value = field.value;
}

function adder(what, label, operation, otherLabel, otherOperation) {
  const id = `add-${what}`;
  const box = make("input", { id, autocomplete: "off", spellcheck: "false" });
  const add = (make_operation) => () => {
    look([make_operation(box.value)]);
    box.value = "";
  };
  return make("p", { class: "adder" },
    make("label", { for: id }, `Name of a new ${what}`), " ", box, " ",
    make("button", { type: "button", id: `${id}-yes`, click: add(operation) }, label),
    otherLabel ? make("button", { type: "button", click: add(otherOperation) }, otherLabel) : null,
  );
}

// The price.

function showPrice(price) {
  if (price === null) {
    put(byId("price"), make("p", { class: "hint" }, "The plan has no price until everything is filled in and right."));
    return;
  }
  byId("plan-title").textContent = `${price.title} (${name})`;
  const left = price.left;
  const others = price.accountants.filter((one) => !one.used).map((one) => `${one.name}: ${one.words}`);
  const used = price.accountants.find((one) => one.used);
  const rows = price.statistics.map((one) => make("tr", {},
    make("th", { scope: "row" }, one.name),
    make("td", {}, one.error),
    make("td", {}, one.loss),
    make("td", {}, one.tenth, one.weak ? make("span", { class: "weak", title: one.weak }, " ▼ ", make("span", { class: "sr" }, one.weak)) : null),
  ));
  put(byId("price"), 
    make("p", { class: "loss" }, make("b", { id: "loss" }, price.loss), " of the whole release"),
    ...price.words.map((words) => make("p", {}, words)),
    picture(left),
    left.warning ? make("p", { class: left.refused ? "notice bad" : "notice" , id: "left-warning" }, left.warning) : null,
    left.error ? make("p", { class: "notice bad" }, left.error) : make("p", { class: "hint" }, `Left: ${left.remaining}, ${left.meaning}.`),
    make("p", { class: "hint" }, `Accountant: ${used ? used.name : ""}${others.length ? ` (${others.join("; ")})` : ""}. Errors hold with probability ${price.confidence} each.`),
    make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Prices" },
      make("table", { id: "prices" },
        make("caption", {}, "How far each number will be from the exact one"),
        make("thead", {}, make("tr", {}, ...["Statistic", "Error", "Loss", "10 % from"].map((head) => make("th", { scope: "col" }, head)))),
        make("tbody", {}, ...rows))),
    make("p", { class: "hint" }, "“10 % from”: the smallest group whose error is below a tenth of a typical value; ▼ marks statistics whose groups are expected to be smaller. Errors do not cover rows that are left out, nor cells cut to their bounds."),
    make("details", {}, make("summary", {}, "Which noise, of which rows"), make("ul", {}, ...price.statistics.map((one) =>
      make("li", {}, make("b", {}, one.name), `: ${one.noise}, grid ${one.grid}, within ${one.bound}; of ${one.rows.join("; ")}${one.weak ? `; ${one.weak}` : ""}`)))),
  );
}

function picture(left) {
  if (left.error) return null;
  const spent = 400 * left.picture.spent;
  const now = Math.min(400 - spent, 400 * left.picture.now);
  const words = left.refused
    ? `Of the budget ${left.budget}, ${left.spent} is spent. This release does not fit into the rest.`
    : `Of the budget ${left.budget}, ${left.spent} is spent, and ${left.after} is left after this release.`;
  return make("figure", { class: "budget" },
    draw("svg", { viewBox: "0 0 400 28", role: "img", "aria-label": words, preserveAspectRatio: "none" },
      draw("rect", { class: "rest", x: 0, y: 0, width: 400, height: 28 }),
      draw("rect", { class: "spent", x: 0, y: 0, width: spent.toFixed(1), height: 28 }),
      draw("rect", { class: left.refused ? "refused" : "now", x: spent.toFixed(1), y: 0, width: now.toFixed(1), height: 28 })),
    make("figcaption", {}, make("span", { class: "key spent" }), "spent ", make("span", { class: "key now" }), "this release ", make("span", { class: "key rest" }), "left. ", words));
}

let later = null;

// A little later: it takes as long as a price, and is no part of dragging.
function smallest() {
  clearTimeout(later);
  later = setTimeout(askSmallest, 200);
}

async function askSmallest() {
  const line = byId("smallest-line");
  if (!shown || shown.price === null || !shown.price.targets) {
    line.textContent = "";
    return;
  }
  const of = text.value;
  try {
    const answer = await ask("/api/smallest", { text: of });
    if (text.value === of) line.textContent = answer.smallest === null ? "" : `Smallest budget that keeps every lock: ${answer.smallest}.`;
  } catch {
    line.textContent = "";
  }
}

// Sliders: 0 to 1000, on a scale of powers of ten around the value at which they were made.

const STEPS = 1000;
const sliders = new Map();

/** A number of three digits, as a plan has it. */
function digits(value) {
  if (!(value > 0)) return "0";
  const short = Number(value.toPrecision(3));
  return short >= 1e-6 && short < 1e15 ? String(short) : short.toExponential();
}

function slider(id, label, change) {
  const range = make("input", { type: "range", id, min: 0, max: STEPS, step: 1 });
  const box = make("input", { id: `${id}-value`, "aria-label": `${label}, exactly`, autocomplete: "off", class: "amount" });
  const state = { range, box, low: 1, high: 10, dragging: false };
  const value = () => state.low * (state.high / state.low) ** (range.value / STEPS);
  range.addEventListener("input", () => {
    state.dragging = true;
    const now = digits(value());
    box.value = now;
    range.setAttribute("aria-valuetext", now);
    change(now);
  });
  range.addEventListener("change", () => { state.dragging = false; });
  box.addEventListener("change", () => change(box.value.trim()));
  state.set = (written, about, low, high) => {
    if (state.dragging) return;
    // A scale that moves under the hand is of no use: it stays while the value is on it.
    if (state.kept !== `${low} ${high}` && !(state.free && about >= state.low && about <= state.high)) {
      state.low = low;
      state.high = high;
      state.kept = `${low} ${high}`;
    }
    if (box !== document.activeElement) box.value = written;
    const at = about > 0 ? Math.log(about / state.low) / Math.log(state.high / state.low) : 0;
    range.value = String(Math.round(STEPS * Math.min(1, Math.max(0, at))));
    range.setAttribute("aria-valuetext", written);
  };
  return state;
}

let rows = "";

/** What the slider of the whole release moves, as the last price said it. */
let spending = null;

/** The weight that each statistic last had, for when it is unlocked. */
const weights = new Map();

function showSliders(answer) {
  if (answer.form === null) return;
  const list = answer.form.statistics;
  const next = JSON.stringify(list.map((one) => [one.title, one.share.by]));
  const price = answer.price;
  if (next !== rows) {
    rows = next;
    const focused = document.activeElement && document.activeElement.id;
    sliders.clear();
    put(byId("spend"), spendRow());
    put(byId("sliders"), ...list.map((one, index) => row(one, index)));
    const again = focused && byId(focused);
    if (again) again.focus();
  }
  if (price !== null) {
    const most = price.spend.key === "part" ? 1 : Math.max(price.left.about || price.budget.about, price.spend.about);
    sliders.get("spend").set(price.spend.main, price.spend.about, most / 1000, most);
    byId("spend-symbol").textContent = price.spend.symbol;
  }
  // Without a price nothing is known of what a statistic has now, so that it can be unlocked, and moved back, but not locked.
  if (price !== null) spending = price.spend;
  for (const control of document.querySelectorAll("#spend input")) control.disabled = spending === null;
  for (const control of document.querySelectorAll("#sliders select")) control.disabled = price === null;
  list.forEach((one, index) => { byId(`lock-${index}`).disabled = price === null && one.share.by === "weight"; });
  list.forEach((one, index) => {
    const state = sliders.get(index);
    if (one.share.by === "weight") weights.set(one.title, one.share.value);
    const about = Number(one.share.value.replaceAll("_", ""));
    const priced = price === null ? null : price.statistics[index];
    if (one.share.by === "weight") state.set(one.share.value, about, 0.05, 20);
    else {
      state.free = true;
      if (state.anchor === undefined) state.anchor = about > 0 ? about : 1;
      state.set(one.share.value, about, state.anchor / 30, state.anchor * 30);
    }
    byId(`now-${index}`).textContent = priced === null ? "" : priced.error;
    const meter = byId(`part-${index}`);
    meter.value = priced === null ? 0 : priced.part;
    byId(`part-words-${index}`).textContent = priced === null ? "" : priced.shared ? "shared" : `${Math.ceil(1000 * priced.part) / 10} %`;
  });
}

function spendRow() {
  const state = slider("slider-spend", "What this release may spend", (value) => {
    const operations = [{ do: "set", path: ["spend", spending.key], value }];
    // Without a section of its own, the δ of this release is that of the budget.
    const { delta } = spending;
    if (delta !== null) operations.push({ do: "set", path: ["spend", "delta"], value: delta });
    look(operations);
  });
  sliders.set("spend", state);
  return make("div", { class: "slider" },
    make("label", { for: "slider-spend" }, "This release may spend ", make("span", { id: "spend-symbol" })), state.range, state.box);
}

function row(one, index) {
  const by = one.share.by;
  const locked = by !== "weight";
  const what = { weight: "Weight", error: "Error", loss: "Loss" }[by];
  const state = slider(`slider-${index}`, `${what} of ${one.title}`, (value) => look([{ do: "share", index, by, value }]));
  sliders.set(index, state);
  const choose = make("select", { id: `by-${index}`, "aria-label": `What is set of ${one.title}`, change: (event) => look([as(index, event.target.value)]) },
    ...["weight", "error", "loss"].map((word) => make("option", { value: word, selected: word === by }, word)));
  const lock = make("input", { type: "checkbox", id: `lock-${index}`, checked: locked, change: (event) => look([as(index, event.target.checked ? "error" : "weight")]) });
  return make("div", { class: "slider statistic" },
    make("label", { for: `slider-${index}`, class: "name" }, one.title, make("span", { class: "sr" }, `, ${what}`)),
    make("span", { class: "lock" }, lock, make("label", { for: `lock-${index}` }, "locked", make("span", { class: "sr" }, `: ${one.title}`))),
    choose, state.range, state.box,
    make("span", { class: "now", id: `now-${index}` }),
    make("span", { class: "part" }, make("meter", { id: `part-${index}`, min: 0, max: 1, value: 0, "aria-label": `Part of the loss that ${one.title} takes` }), " ", make("span", { id: `part-words-${index}` })));
}

/** The operation that says the cost of a statistic in another way, near what it is now. */
function as(index, by) {
  const price = shown.price === null ? null : shown.price.statistics[index];
  let value = weights.get(shown.form.statistics[index].title) || "1";
  // Without an error in the price, locking keeps the loss.
  if (by === "error" && (price === null || price.target === null)) by = "loss";
  if (by === "error") value = price.target;
  // The server's own figure: not above the loss that the statistic has now.
  if (by === "loss" && price !== null) value = price.loss_main;
  return { do: "share", index, by, value };
}

byId("lock-all").addEventListener("click", () => {
  const list = shown.form.statistics;
  // Those that share another's noise pay nothing, and would if they had a target of their own.
  const free = list.map((one, index) => index).filter((index) => list[index].share.by === "weight" && !shown.price.statistics[index].shared && shown.price.statistics[index].target !== null);
  look(free.map((index) => as(index, "error")));
});

// Save, rehearse, release, inspect.

async function save() {
  const of = text.value;
  const answer = await ask("/api/save", { name, text: of, before: saved });
  saved = answer.hash;
  byId("save").disabled = text.value === of;
}

function guarded(work) {
  return async () => {
    try {
      await work();
    } catch (error) {
      say(error.message, true);
    }
  };
}

byId("save").addEventListener("click", guarded(async () => {
  await save();
  say("Saved.");
}));

byId("rehearse").addEventListener("click", guarded(async () => {
  say("Rehearsing…");
  const { number } = await ask("/api/rehearse", { text: text.value });
  say("");
  const path = `${base}/rehearsal/${number}`;
  put(byId("outcome"), make("p", { class: "notice" }, "Rehearsed on invented rows; nothing was read or spent. ", make("a", { href: path, id: "rehearsal" }, "See the report")));
}));

const confirm = byId("confirm");

byId("release").addEventListener("click", guarded(async () => {
  const price = shown.price;
  const left = price.left;
  put(byId("confirm-words"), 
    make("p", {}, "This spends ", make("b", { id: "confirm-loss" }, price.loss), " of the budget of these data, for ever."),
    make("p", {}, left.error ? left.error : left.refused ? left.warning : `Now ${left.remaining} is left; afterwards ${left.after}.`),
    left.warning && !left.refused ? make("p", { class: "notice" }, left.warning) : null,
    make("p", { class: "hint" }, "It costs nothing if this plan was released on these data before. The text is saved first."),
  );
  byId("confirm-yes").textContent = `Spend ${price.loss} and publish`;
  confirm.showModal();
}));

byId("confirm-no").addEventListener("click", () => confirm.close());

byId("confirm-yes").addEventListener("click", guarded(async () => {
  confirm.close();
  const { price, hash, text: of } = shown;
  if (text.value !== of) throw new Error("The text changed meanwhile; look at its price again.");
  if (hash !== saved) await save();
  await release({ name, hash, identity: price.identity, loss: price.loss, remaining: price.left.remaining ?? null });
}));

/** Releases what was confirmed, and follows it to its end. */
async function release(confirmed) {
  put(byId("outcome"));
  byId("release").disabled = true;
  const line = byId("progress-line");
  line.hidden = false;
  try {
    const { job } = await ask("/api/release", confirmed);
    await watch(job, confirmed);
  } catch (error) {
    put(byId("outcome"), make("pre", { class: "notice bad", id: "refusal" }, error.message));
  } finally {
    line.hidden = true;
    byId("release").disabled = false;
  }
  await look();
}

const again = byId("again");
let confirmedAgain = null;
byId("again-no").addEventListener("click", () => again.close());
byId("again-yes").addEventListener("click", guarded(async () => {
  again.close();
  await release(confirmedAgain);
}));

async function watch(job, confirmed) {
  for (;;) {
    const state = await ask(`/api/job/${job}`);
    byId("progress").value = state.part;
    if (state.done) {
      const words = state.done.before === null ? "Released. " : `This plan was released on these data before, ${state.done.before}: the same numbers again, at no cost. `;
      put(byId("outcome"), make("p", { class: "notice good" }, words, make("a", { href: `${base}/report/${state.done.row}`, id: "report" }, "See the report")));
      return;
    }
    if (state.error) {
      put(byId("outcome"), make("pre", { class: "notice bad", id: "refusal" }, state.error));
      return;
    }
    if (state.question) {
      confirmedAgain = { ...confirmed, again: state.question.row };
      byId("again-words").textContent = state.question.words;
      byId("again-yes").textContent = `Spend ${confirmed.loss} again`;
      again.showModal();
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const warning = byId("warning");
let inspecting = null;
byId("inspect").addEventListener("click", () => {
  byId("not-private").checked = false;
  byId("inspect-yes").disabled = true;
  byId("inspection").hidden = true;
  warning.showModal();
});
byId("not-private").addEventListener("change", (event) => { byId("inspect-yes").disabled = !event.target.checked; });
byId("inspect-no").addEventListener("click", () => warning.close());
byId("inspect-yes").addEventListener("click", async () => {
  const place = byId("inspection");
  const mine = new AbortController();
  inspecting = mine;
  place.hidden = false;
  place.textContent = "Reading the data…";
  byId("inspect-yes").disabled = true;
  let words;
  try {
    const { lines } = await ask("/api/inspect", { text: text.value, not_private: byId("not-private").checked }, mine.signal);
    words = lines.join("\n");
  } catch (error) {
    words = error.message;
  }
  // Nothing comes into a window that was closed meanwhile, nor into the next one.
  if (inspecting !== mine || !warning.open) return;
  place.textContent = words;
  byId("inspect-yes").disabled = !byId("not-private").checked;
});
// What was shown does not stay on the page, and what is on its way does not come.
warning.addEventListener("close", () => {
  if (inspecting) inspecting.abort();
  inspecting = null;
  byId("inspection").textContent = "";
});

window.addEventListener("beforeunload", (event) => {
  if (shown && shown.hash !== saved) event.preventDefault();
});

look();
