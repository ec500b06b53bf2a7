// Saving, rehearsing and releasing what the page shows.
import { ask, base, byId, make, put, say } from "./common.js";
import { page } from "./page.js";

async function save() {
  const of = page.text.value;
  const answer = await ask("/api/save", { name: page.name, text: of, before: page.saved });
  page.saved = answer.hash;
  byId("save").disabled = page.text.value === of;
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

byId("save").addEventListener(
  "click",
  guarded(async () => {
    await save();
    say("Saved.");
  }),
);

byId("rehearse").addEventListener(
  "click",
  guarded(async () => {
    say("Rehearsing…");
    const { number } = await ask("/api/rehearse", { text: page.text.value });
    say("");
    const path = `${base}/rehearsal/${number}`;
    put(
      byId("outcome"),
      make(
        "p",
        { class: "notice" },
        "Rehearsed on invented rows; nothing was read or spent. ",
        make("a", { href: path, id: "rehearsal" }, "See the report"),
      ),
    );
  }),
);

const confirm = byId("confirm");

byId("release").addEventListener(
  "click",
  guarded(async () => {
    const price = page.shown.price;
    const left = price.left;
    const before = page.advice ? page.advice.before : null;
    const isSure = !left.refused && before === null;
    put(
      byId("confirm-words"),
      make(
        "p",
        {},
        isSure ? "This spends " : "If it is not the same release again, this spends ",
        make("b", { id: "confirm-loss" }, price.loss),
        " of the budget of these data, for ever.",
      ),
      make(
        "p",
        {},
        left.error
          ? left.error
          : left.refused
            ? (before ?? left.warning)
            : `Now ${left.remaining} is left; afterwards ${left.after}.`,
      ),
      (before ?? left.warning) && !left.refused
        ? make("p", { class: "notice" }, before ?? left.warning)
        : null,
      make(
        "p",
        { class: "hint" },
        "It costs nothing if this plan was released on these data before. The text is saved first.",
      ),
    );
    byId("confirm-yes").textContent = isSure ? `Spend ${price.loss} and publish` : "Release";
    confirm.showModal();
  }),
);

byId("confirm-no").addEventListener("click", () => confirm.close());

byId("confirm-yes").addEventListener(
  "click",
  guarded(async () => {
    confirm.close();
    const { price, hash, text: of } = page.shown;
    if (page.text.value !== of)
      throw new Error("The text changed meanwhile; look at its price again.");
    if (hash !== page.saved) await save();
    await release({
      name: page.name,
      hash,
      identity: price.identity,
      loss: price.loss,
      remaining: price.left.remaining ?? null,
    });
  }),
);

/** Releases what was confirmed, and follows it to its end. */
async function release(confirmed) {
  put(byId("outcome"));
  byId("release").disabled = true;
  const line = byId("progress-line");
  line.hidden = false;
  reached(0);
  try {
    const { job } = await ask("/api/release", confirmed);
    await watch(job, confirmed);
  } catch (error) {
    put(byId("outcome"), make("pre", { class: "notice bad", id: "refusal" }, error.message));
  } finally {
    line.hidden = true;
    byId("release").disabled = false;
    // The focus was on what could not be used meanwhile.
    if (document.activeElement === document.body) byId("release").focus();
  }
  await page.look();
}

const again = byId("again");
let confirmedAgain = null;
byId("again-no").addEventListener("click", () => again.close());
byId("again-yes").addEventListener(
  "click",
  guarded(async () => {
    again.close();
    await release(confirmedAgain);
  }),
);

/** Shows which part of the data was read; of a database that is not known before its end. */
function reached(part) {
  if (part > 0) byId("progress").value = part;
  else byId("progress").removeAttribute("value");
}

async function watch(job, confirmed) {
  for (;;) {
    const state = await ask(`/api/job/${job}`);
    reached(state.part);
    if (state.done) {
      const words =
        state.done.before === null
          ? "Released. "
          : `This plan was released on these data before, ${state.done.before}: ` +
            "the same numbers again, at no cost. ";
      put(
        byId("outcome"),
        make(
          "p",
          { class: "notice good" },
          words,
          make("a", { href: `${base}/report/${state.done.row}`, id: "report" }, "See the report"),
        ),
      );
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
