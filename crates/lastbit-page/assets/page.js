// What the parts of a plan's page share.
import { byId } from "./common.js";

export const page = {
  name: byId("plan").dataset.name,
  /** The field of the text. */
  text: byId("text"),
  /** The hash of the text in the file. */
  saved: byId("plan").dataset.hash,
  /** The last answer of the server. */
  shown: null,
  /** What is worth knowing beside it, once the server has said it. */
  advice: null,
  /** Asks what the text is worth after some operations, and shows it. */
  look: null,
};
