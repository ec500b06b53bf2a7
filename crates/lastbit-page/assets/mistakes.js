// Mistakes of a plan: in a list that leads to their lines, and at their fields.
import { byId, make, put } from "./common.js";
import { page } from "./page.js";

let listed = "";

/** Lists them, anew only if they are others: what changes in the list is read out. */
export function showMistakes(answer) {
  const next = JSON.stringify(answer.mistakes);
  if (next === listed) return;
  listed = next;
  const list = answer.mistakes.map((mistake) => {
    const where = mistake.line === null ? "" : `line ${mistake.line}: `;
    const words = where + mistake.message;
    if (mistake.offset === null) return make("li", {}, words);
    return make(
      "li",
      {},
      make("button", { type: "button", class: "link", click: () => toText(mistake.offset) }, words),
    );
  });
  const count = answer.mistakes.length;
  // A fresh draft is no fault of anybody.
  const draft = answer.mistakes.every((mistake) => mistake.unfilled);
  const [one, many] = draft
    ? ["There is one thing to fill in.", `There are ${count} things to fill in.`]
    : ["There is a mistake in the plan.", `There are ${count} mistakes in the plan.`];
  put(
    byId("mistakes"),
    ...(count === 0
      ? []
      : [
          make("p", { class: draft ? "notice" : "notice bad" }, count === 1 ? one : many),
          make("ul", { class: "mistakes" }, ...list),
        ]),
  );
}

function toText(offset) {
  page.text.focus();
  page.text.setSelectionRange(offset, offset);
  const lines = page.text.value.slice(0, offset).split("\n").length;
  page.text.scrollTop = Math.max(
    0,
    (lines - 5) * (page.text.scrollHeight / page.text.value.split("\n").length),
  );
}

/** Shows each at its field. */
export function placeMistakes(answer) {
  for (const old of document.querySelectorAll(".mistake")) old.replaceChildren();
  for (const field of document.querySelectorAll("[aria-invalid]"))
    field.removeAttribute("aria-invalid");
  for (const mistake of answer.mistakes) {
    // At the field, or else at what it is in.
    for (let path = mistake.path || []; ; path = path.slice(0, -1)) {
      const key = JSON.stringify(path);
      const place = [...document.querySelectorAll(".mistake")].find(
        (one) => one.dataset.of === key,
      );
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

/** Says at its field why what was typed there is refused; the field keeps it. */
export function refuse(operations, message) {
  const set = operations.filter((operation) => operation.do === "set");
  if (set.length !== 1) return;
  const key = JSON.stringify(set[0].path);
  const place = [...document.querySelectorAll(".mistake")].find((one) => one.dataset.of === key);
  if (!place) return;
  put(place, make("p", {}, message));
  const field = byId(place.dataset.field || "");
  if (field) field.setAttribute("aria-invalid", "true");
}
