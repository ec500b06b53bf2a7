import { ask, base, byId, make, say } from "./common.js";

async function look() {
  try {
    const { read, columns } = await ask("/api/columns", { table: byId("table").value });
    const rows = columns.map((column) =>
      make("tr", {}, make("th", { scope: "row" }, column.name), make("td", {}, column.of)),
    );
    byId("columns").replaceChildren(
      make("p", { class: "hint" }, `Read: ${read}.`),
      make(
        "table",
        {},
        make(
          "thead",
          {},
          make(
            "tr",
            {},
            make("th", { scope: "col" }, "Column"),
            make("th", { scope: "col" }, "Declared as"),
          ),
        ),
        make("tbody", {}, ...rows),
      ),
    );
    say("");
  } catch (error) {
    byId("columns").replaceChildren();
    say(error.message, true);
  }
}

async function write() {
  try {
    const { name } = await ask("/api/draft", {
      table: byId("table").value,
      name: byId("name").value.trim(),
    });
    location.assign(`${base}/plan/${encodeURIComponent(name)}`);
  } catch (error) {
    say(error.message, true);
  }
}

if (byId("table")) {
  byId("look").addEventListener("click", look);
  byId("table").addEventListener("change", look);
  byId("write").addEventListener("click", write);
}
