// The form of a plan. It is made anew when it has other fields than before, and else filled. What
// is changed in it goes to `page.look`.
import { byId, make, put } from "./common.js";
import { page } from "./page.js";

let shape = "";
// The sections of the last form, and whether one was asked for since.
let known = new Set();
let isAdded = false;

function fieldId(path) {
  return (
    "f-" +
    path
      .map((step) => String(step).replace(/[^A-Za-z0-9]/g, (c) => "_" + c.codePointAt(0)))
      .join("-")
  );
}

/** Shows it. */
export function showForm(form) {
  const next = JSON.stringify(
    [form.sections, form.columns, form.statistics].map((list) =>
      list.map((section) => [
        section.title,
        section.path,
        section.more,
        section.fields.map((field) => [field.fixed, field.unfilled]),
      ]),
    ),
  );
  if (next !== shape) {
    shape = next;
    const focused = document.activeElement && document.activeElement.id;
    const open = new Set(
      [...document.querySelectorAll("#form details[open]")].map((fold) => fold.dataset.of),
    );
    const sections = [...form.sections, ...form.columns, ...form.statistics];
    const keys = sections.map((section) => JSON.stringify(section.path));
    const fresh = isAdded ? keys.find((key) => !known.has(key)) : undefined;
    if (fresh !== undefined) open.add(fresh);
    known = new Set(keys);
    isAdded = false;
    put(
      byId("form"),
      ...form.sections.map((section, index) => fold(section, open, index === 0)),
      make("h3", {}, "Columns"),
      ...form.columns.map((section) => fold(section, open, false, "Remove this column")),
      adder(
        "column",
        "Add a column of numbers",
        (name) => ({ do: "add_column", name, numbers: true }),
        "Add one of categories",
        (name) => ({ do: "add_column", name, numbers: false }),
      ),
      make("h3", {}, "Statistics"),
      ...form.statistics.map((section) => fold(section, open, false, "Remove this statistic")),
      adder("statistic", "Add a statistic", (name) => ({ do: "add_statistic", name })),
    );
    const summaries = [...document.querySelectorAll("#form details")];
    const added = summaries.find((fold) => fold.dataset.of === fresh);
    const again = added ? added.querySelector("summary") : focused && byId(focused);
    if (again) again.focus();
  }
  for (const section of [...form.sections, ...form.columns, ...form.statistics]) {
    for (const field of section.fields) fill(field);
  }
}

function fold(section, open, first, remove) {
  const key = JSON.stringify(section.path);
  const name = section.path.length === 2 ? section.title : null;
  return make(
    "details",
    { "data-of": key, open: first || open.has(key) },
    make("summary", {}, section.title),
    make("div", { class: "mistake", "data-of": key }),
    make(
      "div",
      { class: "fields" },
      ...section.fields.map((field) => input(field, name || section.title)),
    ),
    section.more.length === 0
      ? null
      : make("p", { class: "hint" }, `In the text there is also: ${section.more.join(", ")}.`),
    remove
      ? make(
          "button",
          {
            type: "button",
            "aria-label": `${remove}: ${section.title}`,
            click: () => page.look([{ do: "remove", path: section.path }]),
          },
          remove,
        )
      : null,
  );
}

function input(field, of) {
  const id = fieldId(field.path);
  const change = (event) => {
    const value = field.of === "flag" ? String(event.target.checked) : event.target.value;
    page.look([{ do: "set", path: field.path, value }]);
  };
  const attributes = {
    id,
    "aria-describedby": `${id}-help ${id}-note ${id}-mistake`,
    disabled: field.fixed,
    change,
  };
  let control;
  if (field.of === "choice") {
    control = make(
      "select",
      attributes,
      make("option", { value: "" }, "–"),
      ...field.choices.map((choice) => make("option", { value: choice }, choice)),
    );
  } else if (field.of === "flag") {
    control = make("input", { ...attributes, type: "checkbox" });
  } else if (field.of === "lines") {
    control = make("textarea", { ...attributes, rows: 4, spellcheck: "false" });
  } else {
    control = make("input", { ...attributes, autocomplete: "off", spellcheck: "false" });
  }
  return make(
    "div",
    { class: "field" },
    make("label", { for: id }, field.label, make("span", { class: "sr" }, ` of ${of}`)),
    control,
    field.unfilled
      ? make(
          "button",
          {
            type: "button",
            id: `${id}-out`,
            class: "out",
            "aria-label": `Leave this out: ${field.label} of ${of}`,
            click: () => page.look([{ do: "set", path: field.path, value: "" }]),
          },
          "Leave this out",
        )
      : null,
    make(
      "small",
      { id: `${id}-help` },
      field.fixed ? "This is more than a field can hold: change it in the text." : field.help,
    ),
    make("small", { id: `${id}-note`, class: "note" }),
    make("div", {
      class: "mistake",
      id: `${id}-mistake`,
      "data-of": JSON.stringify(field.path),
      "data-field": id,
    }),
  );
}

function fill(field) {
  const id = fieldId(field.path);
  const control = byId(id);
  const isOne = field.of === "lines" && /^[^\n]*,[^\n]*$/.test(field.value.trim());
  if (control)
    byId(`${id}-note`).textContent = isOne
      ? "This is one category with commas in it. Write each category on a line of its own."
      : "";
  if (!control || control === document.activeElement) return;
  if (field.of === "flag") control.checked = field.value === "true";
  else if (
    field.of === "choice" &&
    field.value !== "" &&
    ![...control.options].some((option) => option.value === field.value)
  ) {
    control.append(make("option", { value: field.value }, field.value));
    control.value = field.value;
  } else control.value = field.value;
}

function adder(what, label, operation, otherLabel, otherOperation) {
  const id = `add-${what}`;
  const box = make("input", { id, autocomplete: "off", spellcheck: "false" });
  const add = (make_operation) => () => {
    isAdded = true;
    page.look([make_operation(box.value)]);
    box.value = "";
  };
  if (!otherLabel)
    box.addEventListener("keydown", (event) => {
      if (event.key === "Enter") add(operation)();
    });
  return make(
    "p",
    { class: "adder" },
    make("label", { for: id }, `Name of a new ${what}`),
    " ",
    box,
    " ",
    make("button", { type: "button", id: `${id}-yes`, click: add(operation) }, label),
    otherLabel ? make("button", { type: "button", click: add(otherOperation) }, otherLabel) : null,
  );
}
