// The inspection, behind its warning. What it shows is not private, and does not stay.
import { ask, byId } from "./common.js";
import { page } from "./page.js";

const warning = byId("warning");
let inspecting = null;
byId("inspect").addEventListener("click", () => {
  byId("not-private").checked = false;
  byId("inspect-yes").disabled = true;
  byId("inspection").hidden = true;
  warning.showModal();
});
byId("not-private").addEventListener("change", (event) => {
  byId("inspect-yes").disabled = !event.target.checked;
});
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
    const { lines } = await ask(
      "/api/inspect",
      { text: page.text.value, not_private: byId("not-private").checked },
      mine.signal,
    );
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
