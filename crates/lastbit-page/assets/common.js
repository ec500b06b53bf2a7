// What the scripts of all pages need. Texts of others reach the page as text nodes only.

export const base = document.body.dataset.base;

export const byId = (id) => document.getElementById(id);

/** Makes an element: attributes by name, listeners as functions, children as nodes or texts. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** The same for pictures. */
export function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** Asks the server; an error has the server's words. */
export async function ask(path, body, signal) {
  let response;
  try {
    response = await fetch(
      base + path,
      body === undefined
        ? {}
        : {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(body),
            signal,
          },
    );
  } catch {
    throw new Error(
      "The server does not answer. If it was ended, start `lastbit serve` again: " +
        "the ledger has what was released.",
    );
  }
  const isJson = (response.headers.get("content-type") || "").startsWith("application/json");
  if (!isJson) throw new Error(await response.text());
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

export function say(text, bad = false) {
  const status = byId("status");
  status.textContent = text;
  status.classList.toggle("bad", bad);
}

/** Puts children in the place of others; what is null is left out. */
export function put(element, ...children) {
  element.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
}
