// What a plan costs, and what its numbers are worth.
import { byId, draw, make, put } from "./common.js";
import { page } from "./page.js";

/** Shows it, or says that there is none. */
export function showPrice(price) {
  if (price === null) {
    put(
      byId("price"),
      make(
        "p",
        { class: "hint" },
        "The plan has no price until everything is filled in and right.",
      ),
    );
    return;
  }
  byId("plan-title").textContent = `${price.title} (${page.name})`;
  const left = price.left;
  const others = price.accountants
    .filter((one) => !one.used)
    .map((one) => `${one.name}: ${one.words}`);
  const used = price.accountants.find((one) => one.used);
  const rows = price.statistics.map((one) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, one.name),
      make("td", {}, one.error),
      make("td", {}, one.loss),
      make(
        "td",
        {},
        one.tenth,
        one.weak
          ? make(
              "span",
              { class: "weak", title: one.weak },
              " ▼ ",
              make("span", { class: "sr" }, one.weak),
            )
          : null,
      ),
    ),
  );
  put(
    byId("price"),
    make("p", { class: "loss" }, make("b", { id: "loss" }, price.loss), " of the whole release"),
    ...price.words.map((words) => make("p", {}, words)),
    picture(left),
    left.warning
      ? make(
          "p",
          { class: left.refused ? "notice bad" : "notice", id: "left-warning" },
          left.warning,
        )
      : null,
    left.error
      ? make("p", { class: "notice bad" }, left.error)
      : make("p", { class: "hint" }, `Left: ${left.remaining}, ${left.meaning}.`),
    make(
      "p",
      { class: "hint" },
      `Accountant: ${used ? used.name : ""}${others.length ? ` (${others.join("; ")})` : ""}. ` +
        `Errors hold with probability ${price.confidence} each.`,
    ),
    make(
      "div",
      { class: "wide", tabindex: "0", role: "region", "aria-label": "Prices" },
      make(
        "table",
        { id: "prices" },
        make(
          "caption",
          {},
          "How far each number will be from the exact one of the rows that count",
        ),
        make(
          "thead",
          {},
          make(
            "tr",
            {},
            ...["Statistic", "Error", "Loss", "10 % from"].map((head) =>
              make("th", { scope: "col" }, head),
            ),
          ),
        ),
        make("tbody", {}, ...rows),
      ),
    ),
    make(
      "p",
      { class: "hint" },
      "“10 % from”: the smallest group whose error is below a tenth of a typical value; " +
        "▼ marks statistics whose groups are expected to be smaller. Errors do not cover rows " +
        "that are left out, nor cells cut to their bounds.",
    ),
    make(
      "details",
      {},
      make("summary", {}, "Which noise, of which rows"),
      make(
        "ul",
        {},
        ...price.statistics.map((one) =>
          make(
            "li",
            {},
            make("b", {}, one.name),
            `: ${one.noise}, grid ${one.grid}, within ${one.bound}; of ${one.rows.join("; ")}` +
              (one.weak ? `; ${one.weak}` : ""),
          ),
        ),
      ),
    ),
  );
}

function picture(left) {
  if (left.error) return null;
  const spent = 400 * left.picture.spent;
  const now = Math.min(400 - spent, 400 * left.picture.now);
  const spentWords = `Spent of the budget (${left.budget}): ${left.spent}.`;
  const words = left.refused
    ? `${spentWords} This release does not fit into the rest.`
    : `${spentWords} Left after this release: ${left.after}.`;
  return make(
    "figure",
    { class: "budget" },
    draw(
      "svg",
      { viewBox: "0 0 400 28", role: "img", "aria-label": words, preserveAspectRatio: "none" },
      draw("rect", { class: "rest", x: 0, y: 0, width: 400, height: 28 }),
      draw("rect", { class: "spent", x: 0, y: 0, width: spent.toFixed(1), height: 28 }),
      draw("rect", {
        class: left.refused ? "refused" : "now",
        x: spent.toFixed(1),
        y: 0,
        width: now.toFixed(1),
        height: 28,
      }),
    ),
    make(
      "figcaption",
      {},
      make("span", { class: "key spent" }),
      "spent ",
      make("span", { class: "key now" }),
      "this release ",
      make("span", { class: "key rest" }),
      "left after it. ",
      words,
    ),
  );
}
