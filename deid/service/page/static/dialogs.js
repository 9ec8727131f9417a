// Dialogs ask one thing. The browser keeps the focus in them, closes them on Escape, and gives the focus back.

import { button, h } from "./dom.js";

let numbers = 0;

// openDialog shows a dialog with a title and a form. It returns a promise of the value that finish(value) was called with, or
// null if the user closed the dialog. build(finish) returns the content.
export function openDialog({ title, class: className = "" }, build) {
  const { promise, resolve } = Promise.withResolvers();
  const id = `dialog-${++numbers}`;
  let result = null;
  const finish = (value) => { result = value; dialog.close(); };
  const dialog = h("dialog", { class: `dialog ${className}`, "aria-labelledby": id },
    h("div", { class: "dialog-head" }, h("h2", { id, text: title }), button({ icon: "close", label: "Close", class: "plain", onclick: () => dialog.close() })));
  dialog.append(...[build(finish)].flat());
  dialog.addEventListener("close", () => { dialog.remove(); resolve(result); });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); }); // the backdrop
  document.body.append(dialog);
  dialog.showModal();
  dialog.querySelector("[autofocus]")?.focus();
  return promise;
}

// confirmation asks a question and returns whether the user chose the action.
export async function confirmation({ title, text, action }) {
  const answer = await openDialog({ title, class: "narrow" }, (finish) => [
    h("p", { text }),
    h("div", { class: "dialog-foot" }, button({ text: "Cancel", onclick: () => finish(false) }),
      button({ text: action, class: "primary", autofocus: true, onclick: () => finish(true) }))]);
  return answer === true;
}

// askToken asks for the access token of the server. It is kept in memory only.
export function askToken(wrong) {
  return openDialog({ title: "Access token", class: "narrow" }, (finish) => {
    const field = h("input", { type: "password", id: "token", autocomplete: "off", spellcheck: "false", required: true, autofocus: true });
    return h("form", { method: "dialog", onsubmit: (event) => { event.preventDefault(); finish(field.value.trim()); } },
      h("p", { text: wrong ? "The server did not accept this token. Enter another one." : "This server requires an access token. Ask the person who runs it." }),
      h("label", { for: "token", text: "Token" }), field,
      h("p", { class: "hint", text: "The page forgets the token when you close it." }),
      h("div", { class: "dialog-foot" }, h("button", { type: "submit", class: "button primary", text: "Continue" })));
  });
}
