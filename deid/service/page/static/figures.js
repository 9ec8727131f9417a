// The figures of a review: how far the readers agree, and how much PHI the model can be expected to leave.

import { openDialog } from "./dialogs.js";
import { h } from "./dom.js";

// showFigures asks the server for the figures and shows them.
export async function showFigures(api) {
  const [agreement, bound] = await Promise.allSettled([api.agreement(), api.bound()]);
  return openDialog({ title: "Figures of the review", class: "wide" }, () => [
    h("h3", { text: "Agreement of the readers" }),
    agreement.status === "fulfilled" ? agreementTable(agreement.value) : h("p", { text: agreement.reason.message }),
    h("h3", { text: "PHI that the model leaves" }),
    ...(bound.status === "fulfilled" ? boundSentences(bound.value) : [h("p", { text: bound.reason.message })]),
  ]);
}

function agreementTable({ notes, both, f1, kappa, by_type: byType = {} }) {
  const line = (name, one) => h("tr", {}, h("th", { scope: "row", text: name }), h("td", { text: figure(one.f1) }), h("td", { text: figure(one.kappa) }));
  return h("div", {},
    h("p", { class: "hint", text: `Both readers are done with ${both} of ${notes} notes.` }),
    both > 0 && h("table", { class: "figures" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col", text: "Type" }), h("th", { scope: "col", text: "F1 of spans" }), h("th", { scope: "col", text: "Kappa of tokens" }))),
      h("tbody", {}, line("All", { f1, kappa }), Object.entries(byType).sort().map(([name, one]) => line(name, one)))));
}

function boundSentences({ statement, tokens, missed, upper95 }) {
  return [
    h("p", { text: statement ?? `With 95 % confidence, at most ${(100 * upper95).toFixed(2)} % of PHI tokens are left.` }),
    h("p", { class: "hint", text: `The model left ${missed} of ${tokens} PHI tokens in the notes that were read.` }),
  ];
}

const figure = (value) => (value === null || value === undefined ? "undefined" : value.toFixed(3));
