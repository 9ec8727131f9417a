// Messages appear at the edge of the page and are read out by screen readers.

import { button, byId, h } from "./dom.js";

const SHOWN = 6000; // milliseconds that a message stays

// say reads a sentence out without showing it, because the page shows it in another way.
export function say(sentence) {
  byId("said").textContent = sentence;
}

// tell shows a message for some seconds.
export function tell(sentence) {
  const message = h("p", { class: "message", text: sentence });
  byId("messages").append(message);
  setTimeout(() => message.remove(), SHOWN);
}

// warn shows a message until the user closes it. Actions that the user can choose are {text, run}.
export function warn(sentence, ...actions) {
  for (const old of [...byId("warnings").children]) if (old.dataset.sentence === sentence) old.remove();
  const close = () => message.remove();
  const message = h("div", { class: "message warning", data: { sentence } }, h("p", { text: sentence }),
    actions.map(({ text, run }) => button({ text, class: "small", onclick: () => { close(); run(); } })),
    button({ icon: "close", label: "Close the message", class: "plain small", onclick: close }));
  byId("warnings").append(message);
  return close;
}
