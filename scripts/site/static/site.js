// The search, the list of headings on wide windows, and the buttons that copy blocks of code. All pages can be read without it.
"use strict";

const root = document.currentScript.dataset.root;
const input = document.getElementById("search");
const panel = document.getElementById("results");
const count = document.getElementById("count");
const list = panel.querySelector("ol");

// Words that say nothing about where the answer is, unless there are no others.
const common = new Set(("a an and are as at be by can could do does for from has have how i in is it me must my no not of on or our should that the their them they " +
  "this to any get need needed needs use using want was we what when where which who why will with without would you your lethe").split(" "));

let sections = null; // of all pages
let loading = null;

// letheIndex is called by index.js: pages that are opened from the disk may run scripts, but not read other files.
window.letheIndex = ({pages, sections: all}) => {
  sections = all.map(({p, i, h, t}) => {
    const [url, page, group] = pages[p];
    return {
      url: root + url + (i ? "#" + i : ""), page, group, heading: h, text: t, first: !i,
      title: " " + normal(page), words: " " + normal(h), body: " " + normal(t),
    };
  });
};

function load() {
  loading ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = root + "static/index.js";
    script.onload = done;
    script.onerror = failed;
    document.head.append(script);
  });
  return loading;
}

// normal returns a text as words in lower case, without accents, and with one space between them.
function normal(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("de-identif", "deidentif").replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

// stem returns what the forms of a word begin with.
function stem(word) {
  for (const end of ["ing", "ed", "es", "s"]) {
    if (word.endsWith(end) && word.length - end.length >= 3) return word.slice(0, -end.length);
  }
  return word;
}

// times returns how often words of a text begin with this, up to 4, and how many of them are equal to it.
function times(text, start) {
  let found = 0, equal = 0;
  for (let at = text.indexOf(" " + start); at >= 0 && found < 4; at = text.indexOf(" " + start, at + 1)) {
    found++;
    if (at + 1 + start.length >= text.length || text[at + 1 + start.length] === " ") equal++;
  }
  return [found, equal];
}

// weigh returns how much a section is about a word, or 0. Titles count more than headings, and these more than the text.
function weigh(section, word) {
  let weight = 0;
  for (const [start, share] of word.length > 3 && stem(word) !== word ? [[word, 1], [stem(word), 0.6]] : [[word, 1]]) {
    for (const [text, value, most] of [[section.title, section.first ? 14 : 7, 1], [section.words, 10, 1], [section.body, 1, 4]]) {
      const [found, equal] = times(text, start);
      if (found) weight = Math.max(weight, 0.01) + share * value * (Math.min(found, most) + Math.min(equal, most) * 0.5);
    }
  }
  return weight;
}

// rank says how much pages of a group count: those that explain how to do something come first.
const rank = new Map([["Decisions", 0.4], ["Results", 0.4], ["Benchmarks", 0.4], ["Go packages", 0.5], ["", 0.6]]);

// find returns the sections with all words, or all but one of three and more, the best first. If there are none, those with
// most of the words.
function find(query) {
  const all = normal(query).split(" ").filter(Boolean);
  const telling = all.filter((word) => !common.has(word));
  const words = telling.length ? telling : all;
  if (!words.length) return {words, found: [], partly: false};
  const phrase = " " + words.join(" ");
  const candidates = [];
  for (const section of sections) {
    let score = 0, matched = 0;
    for (const word of words) {
      const weight = weigh(section, word);
      if (weight) matched++;
      score += weight;
    }
    if (!matched) continue;
    if (words.length > 1) {
      if (section.words.includes(phrase) || section.first && section.title.includes(phrase)) score += 20;
      else if (section.body.includes(phrase)) score += 8;
    }
    // A long section has every word somewhere.
    score /= 1 + Math.log10(1 + section.body.length / 2000);
    score *= (matched / words.length) ** 2 * (section.page === "Changelog" ? 0.3 : rank.get(section.group) ?? 1);
    candidates.push({section, score, matched});
  }
  const most = Math.max(0, ...candidates.map((c) => c.matched));
  const least = Math.min(most, words.length > 2 ? words.length - 1 : words.length);
  const best = candidates.filter((c) => c.matched >= least).sort((a, b) => b.score - a.score);
  // At most three sections of a page, so that one page does not hide the others.
  const ofPage = new Map();
  const found = best.filter(({section}) => {
    const n = (ofPage.get(section.page) ?? 0) + 1;
    ofPage.set(section.page, n);
    return n <= 3;
  });
  return {words, found: found.slice(0, 20).map((c) => c.section), partly: most < words.length};
}

// excerpt returns the part of a text in which most of the words occur, and marks them.
function excerpt(text, words) {
  const starts = words.flatMap((w) => w.length > 3 ? [stem(w)] : [w]).map((w) => w.replace(/[^\p{L}\p{N}]/gu, ""));
  const pattern = new RegExp("(?<![\\p{L}\\p{N}])(?:" + starts.join("|") + ")[\\p{L}\\p{N}]*", "giu");
  const matches = [...text.matchAll(pattern)];
  let from = 0, most = 0;
  for (const first of matches) {
    const near = new Set(matches.filter((m) => m.index >= first.index && m.index < first.index + 160).map((m) => m[0].toLowerCase().slice(0, 4)));
    if (near.size > most) [most, from] = [near.size, first.index];
  }
  from = Math.max(0, from - 40);
  if (from > 0) from = text.indexOf(" ", from) + 1;
  const part = text.slice(from, from + 200);
  const line = document.createElement("span");
  line.className = "excerpt";
  if (from > 0) line.append("… ");
  let at = 0;
  for (const m of part.matchAll(pattern)) {
    const mark = document.createElement("mark");
    mark.textContent = m[0];
    line.append(part.slice(at, m.index), mark);
    at = m.index + m[0].length;
  }
  line.append(part.slice(at), from + 200 < text.length ? " …" : "");
  return line;
}

async function search() {
  const query = input.value;
  if (!query.trim()) return close();
  try {
    await load();
  } catch {
    count.textContent = "The index of the search (static/index.js) is missing.";
    panel.hidden = false;
    return;
  }
  if (query !== input.value) return; // typed meanwhile
  const {words, found, partly} = find(query);
  list.replaceChildren(...found.map((section) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    const title = document.createElement("strong");
    const where = document.createElement("small");
    link.href = section.url;
    title.textContent = section.heading;
    where.textContent = section.first ? section.group : [section.group, section.page].filter(Boolean).join(" › ");
    link.append(title, " ", where, excerpt(section.text, words));
    item.append(link);
    return item;
  }));
  count.textContent = !found.length ? "Nothing was found." :
    partly ? "No section has all of these words. These have some:" : found.length === 1 ? "1 section" : found.length === 20 ? "The 20 best sections" : `${found.length} sections`;
  panel.hidden = false;
  panel.scrollTop = 0;
}

function close() {
  panel.hidden = true;
}

input.addEventListener("focus", () => { load().catch(() => {}); if (input.value.trim()) search(); });
input.addEventListener("input", search);
document.addEventListener("keydown", (event) => {
  const links = panel.hidden ? [] : [...list.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement);
  const inside = document.activeElement === input || at >= 0;
  if (event.key === "/" && !inside && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    input.focus();
    input.select();
  } else if (event.key === "Escape" && !panel.hidden) {
    event.preventDefault();
    close();
    input.focus();
  } else if (event.key === "ArrowDown" && inside && links.length) {
    event.preventDefault();
    links[Math.min(at + 1, links.length - 1)].focus();
  } else if (event.key === "ArrowUp" && at >= 0) {
    event.preventDefault();
    (links[at - 1] ?? input).focus();
  } else if (event.key === "Enter" && document.activeElement === input && links.length) {
    links[0].click();
  }
});
document.addEventListener("click", (event) => {
  // A link within this page does not load it again.
  if (!event.target.closest(".search") || event.target.closest("#results a")) close();
});
document.addEventListener("focusin", (event) => {
  if (!event.target.closest(".search")) close();
});

// The headings are beside the text on a wide window, and above it, folded, on others.
const contents = document.querySelector("details.contents");
if (contents) {
  const wide = matchMedia("(min-width: 75rem)");
  const fold = () => { contents.open = wide.matches; };
  wide.addEventListener("change", fold);
  fold();
}
const current = document.querySelector("nav [aria-current]");
if (current) { // on a wide window, the navigation scrolls by itself
  const nav = current.closest("nav");
  nav.scrollTop += current.getBoundingClientRect().top - nav.getBoundingClientRect().top - nav.clientHeight / 2;
}
if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();

// Browsers permit copying on pages from the disk only in some cases, so the button appears where they do.
if (navigator.clipboard) {
  for (const block of document.querySelectorAll("article pre")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(block.textContent.replace(/^\$ /gm, ""));
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(block);
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    const frame = document.createElement("div");
    frame.className = "block";
    block.replaceWith(frame);
    frame.append(block, button);
  }
}
