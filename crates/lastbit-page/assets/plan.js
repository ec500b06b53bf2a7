// A plan: its text is the truth. The form, the sliders and the locks ask the server to change the
// text, and show what it says of the new one.
import { ask, byId, make, put, say } from "./common.js";
import { showForm } from "./form.js";
import "./inspect.js";
import { placeMistakes, refuse, showMistakes } from "./mistakes.js";
import { page } from "./page.js";
import { showPrice } from "./price.js";
import "./release.js";
import { lockAll, showSliders } from "./sliders.js";

const { text } = page;
page.look = look;

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
    advice();
  }
}

function clear() {
  if (byId("status").classList.contains("bad")) say("");
}

/** Of two changes of one place the later one counts. */
function merge(first, then) {
  const place = (operation) =>
    operation.do === "set"
      ? JSON.stringify(operation.path)
      : operation.do === "share"
        ? `share ${operation.index}`
        : null;
  const later = new Set(then.map(place).filter((key) => key !== null));
  return first.filter((operation) => !later.has(place(operation))).concat(then);
}

let typed = null;
text.addEventListener("input", () => {
  clearTimeout(typed);
  typed = setTimeout(() => look(), 150);
});

function show(answer) {
  page.shown = answer;
  showMistakes(answer);
  if (answer.form !== null) showForm(answer.form);
  placeMistakes(answer);
  showPrice(answer.price);
  showSliders();
  const dirty = answer.hash !== page.saved;
  byId("save").disabled = !dirty;
  byId("release").disabled = answer.price === null;
  byId("rehearse").disabled = answer.price === null;
  byId("inspect").disabled = answer.price === null;
  byId("lock-all").disabled = answer.price === null;
}

let later = null;

// A little later: it takes longer than a price, and is no part of dragging.
function advice() {
  page.advice = null;
  byId("advice").setAttribute("aria-busy", "true");
  clearTimeout(later);
  later = setTimeout(askAdvice, 200);
}

async function askAdvice() {
  const { shown } = page;
  const of = text.value;
  let answer = { smallest: null, before: null, names: null };
  if (shown && shown.price !== null) {
    try {
      answer = await ask("/api/advice", { text: of });
    } catch {
      // The next look says what is wrong.
    }
  }
  if (text.value !== of) return;
  page.advice = answer;
  byId("smallest-line").textContent =
    answer.smallest === null ? "" : `Smallest budget that keeps every lock: ${answer.smallest}.`;
  // The sentence from the ledger holds what the release takes, too.
  if (answer.before !== null) byId("left-warning")?.remove();
  put(
    byId("advice"),
    answer.names === null ? null : make("p", { class: "notice bad" }, answer.names),
    answer.before === null ? null : make("p", { class: "notice" }, answer.before),
  );
  byId("advice").setAttribute("aria-busy", "false");
}

byId("lock-all").addEventListener("click", lockAll);

window.addEventListener("beforeunload", (event) => {
  if (page.shown && page.shown.hash !== page.saved) event.preventDefault();
});

look();
