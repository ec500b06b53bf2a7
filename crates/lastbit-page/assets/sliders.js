// What each statistic may cost, by sliders with locks. A slider goes from 0 to 1000, on a scale of
// powers of ten around the value at which it was made. What is moved goes to `page.look`;
// `page.shown` is the last answer.
import { byId, make, put } from "./common.js";
import { page } from "./page.js";

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
  const box = make("input", {
    id: `${id}-value`,
    "aria-label": `${label}, exactly`,
    autocomplete: "off",
    class: "amount",
  });
  const state = { range, box, low: 1, high: 10, dragging: false };
  const value = () => state.low * (state.high / state.low) ** (range.value / STEPS);
  range.addEventListener("input", () => {
    state.dragging = true;
    const now = digits(value());
    box.value = now;
    range.setAttribute("aria-valuetext", now);
    change(now);
  });
  range.addEventListener("change", () => {
    state.dragging = false;
  });
  box.addEventListener("change", () => change(box.value.trim()));
  state.set = (written, about, low, high) => {
    if (state.dragging) return;
    // A scale that moves under the hand is of no use: it stays while the value is on it.
    if (
      state.kept !== `${low} ${high}` &&
      !(state.free && about >= state.low && about <= state.high)
    ) {
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

/** Shows the answer. */
export function showSliders() {
  const answer = page.shown;
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
    const most =
      price.spend.key === "part"
        ? 1
        : Math.max(price.left.about || price.budget.about, price.spend.about);
    sliders.get("spend").set(price.spend.main, price.spend.about, most / 1000, most);
    byId("spend-symbol").textContent = price.spend.symbol;
  }
  // Without a price nothing is known of what a statistic has now, so that it can be unlocked, and
  // moved back, but not locked.
  if (price !== null) spending = price.spend;
  for (const control of document.querySelectorAll("#spend input"))
    control.disabled = spending === null;
  for (const control of document.querySelectorAll("#sliders select"))
    control.disabled = price === null;
  list.forEach((one, index) => {
    byId(`lock-${index}`).disabled = price === null && one.share.by === "weight";
  });
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
    byId(`part-words-${index}`).textContent =
      priced === null ? "" : priced.shared ? "shared" : `${Math.ceil(1000 * priced.part) / 10} %`;
  });
}

function spendRow() {
  const state = slider("slider-spend", "What this release may spend", (value) => {
    const operations = [{ do: "set", path: ["spend", spending.key], value }];
    // Without a section of its own, the δ of this release is that of the budget.
    const { delta } = spending;
    if (delta !== null) operations.push({ do: "set", path: ["spend", "delta"], value: delta });
    page.look(operations);
  });
  sliders.set("spend", state);
  return make(
    "div",
    { class: "slider" },
    make(
      "label",
      { for: "slider-spend" },
      "This release may spend ",
      make("span", { id: "spend-symbol" }),
    ),
    state.range,
    state.box,
  );
}

function row(one, index) {
  const by = one.share.by;
  const locked = by !== "weight";
  const what = { weight: "Weight", error: "Error", loss: "Loss" }[by];
  const state = slider(`slider-${index}`, `${what} of ${one.title}`, (value) =>
    page.look([{ do: "share", index, by, value }]),
  );
  sliders.set(index, state);
  const choose = make(
    "select",
    {
      id: `by-${index}`,
      "aria-label": `What is set of ${one.title}`,
      change: (event) => page.look([as(index, event.target.value)]),
    },
    ...["weight", "error", "loss"].map((word) =>
      make("option", { value: word, selected: word === by }, word),
    ),
  );
  const lock = make("input", {
    type: "checkbox",
    id: `lock-${index}`,
    checked: locked,
    change: (event) => page.look([as(index, event.target.checked ? "error" : "weight")]),
  });
  return make(
    "div",
    { class: "slider statistic" },
    make(
      "label",
      { for: `slider-${index}`, class: "name" },
      one.title,
      make("span", { class: "sr" }, `, ${what}`),
    ),
    make(
      "span",
      { class: "lock" },
      lock,
      make(
        "label",
        { for: `lock-${index}` },
        "locked",
        make("span", { class: "sr" }, `: ${one.title}`),
      ),
    ),
    choose,
    state.range,
    state.box,
    make("span", { class: "now", id: `now-${index}` }),
    make(
      "span",
      { class: "part" },
      make("meter", {
        id: `part-${index}`,
        min: 0,
        max: 1,
        value: 0,
        "aria-label": `Part of the loss that ${one.title} takes`,
      }),
      " ",
      make("span", { id: `part-words-${index}` }),
    ),
  );
}

/** The operation that says the cost of a statistic in another way, near what it is now. */
function as(index, by) {
  const { shown } = page;
  const price = shown.price === null ? null : shown.price.statistics[index];
  let value = weights.get(shown.form.statistics[index].title) || "1";
  // Without an error in the price, locking keeps the loss.
  if (by === "error" && (price === null || price.target === null)) by = "loss";
  if (by === "error") value = price.target;
  // The server's own figure: not above the loss that the statistic has now.
  if (by === "loss" && price !== null) value = price.loss_main;
  return { do: "share", index, by, value };
}

/** Locks every statistic at the error that it has now. */
export function lockAll() {
  const { form, price } = page.shown;
  // Those that share another's noise pay nothing, and would if they had a target of their own.
  const free = form.statistics
    .map((one, index) => index)
    .filter(
      (index) =>
        form.statistics[index].share.by === "weight" &&
        !price.statistics[index].shared &&
        price.statistics[index].target !== null,
    );
  page.look(free.map((index) => as(index, "error")));
}
