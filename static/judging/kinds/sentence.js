// A sentence: counted while it is written, kept in this browser until the server has it, and checked
// when it is saved. The server checks it again, and compares it with other sentences.
//
//   written ──save──> breaks a rule: the hints are shown and nothing is sent; where rules only mark,
//      ^               │              saving the same text again sends it
//      │               └─> breaks none: sent ──> saved: the draft is removed
//      └────── not taken by the server: draft and hints are shown again

import { find } from "../page.js";

const DRAFT = "tercet-draft:"; // begins the names of drafts in localStorage, before a lease's key
const KEPT = 7 * 24 * 3600 * 1000; // milliseconds after which a draft is forgotten

// The hints for a text, by the rules of the study.
class Checks {
  #rules;
  #counted;
  #token;

  constructor(rules) {
    const alone = rules.unspaced;
    this.#rules = rules;
    this.#counted = new RegExp(`[${alone}]|[^\\s${alone}]*[\\p{L}\\p{N}][^\\s${alone}]*`, "gu");
    this.#token = new RegExp(`[${alone}]|(?:(?![${alone}])[\\p{L}\\p{M}\\p{N}])+`, "gu");
  }

  count(text) {
    return text.match(this.#counted)?.length ?? 0;
  }

  hints(written) {
    const text = written.trim().normalize("NFC");
    const tokens = this.#tokens(text).filter((each) => each !== "US");
    const words = ` ${tokens.join(" ").toLowerCase()} `;
    const { least, quotes, address } = this.#rules;
    const isBroken = {
      short: this.count(text) < least,
      opening: this.#phrases("opening").some((each) => words.startsWith(each)),
      speech: [...quotes].some((each) => text.includes(each)) || this.#has(words, "speech"),
      tense: this.#has(words, "tense"),
      name: this.#hasName(text),
      address: new RegExp(address, "iu").test(text),
    };

    const { hints } = this.#rules;
    return Object.keys(hints).filter((rule) => isBroken[rule]).map((rule) => hints[rule]);
  }

  #tokens(text) {
    return text.match(this.#token) ?? [];
  }

  #phrases(rule) {
    return this.#rules.phrases[rule].map((each) => ` ${each} `);
  }

  #has(words, rule) {
    return this.#phrases(rule).some((each) => words.includes(each));
  }

  #hasName(text) {
    const { names } = this.#rules;
    const inner = text.split(/[.!?…]\s/u).flatMap((part) => this.#tokens(part).slice(1));
    const isName = (word) => /^\p{Lu}\p{Ll}+$/u.test(word) && !names.includes(word.toLowerCase());
    return names !== null && inner.some(isName);
  }
}

function startWriting(form, area, rules) {
  const checks = new Checks(rules);
  const refused = new Map(); // the server's hints, by the keys of leases
  let warned = ""; // the text whose hints are shown

  const nameOfDraft = () => DRAFT + find("#key").value;

  function keep() {
    try {
      if (area.value) localStorage.setItem(nameOfDraft(), JSON.stringify({ text: area.value, at: Date.now() }));
      else localStorage.removeItem(nameOfDraft());
    } catch {} // the storage is full
  }

  const draft = () => JSON.parse(localStorage.getItem(nameOfDraft()))?.text;

  function restore() {
    area.value = draft() ?? find("#draft").textContent;
    showHints(refused.get(find("#key").value) ?? []);
    count();
    if (document.activeElement === find("#image")) area.focus({ preventScroll: true });
  }

  function count() {
    find("#written").textContent = rules.counted.replace("%s", checks.count(area.value));
    find("#kept").textContent = draft() ? rules.kept : "";
  }

  function showHints(hints) {
    warned = hints.length ? area.value : "";
    const lines = hints.length && !rules.blocks ? [...hints, rules.again] : hints;
    const items = lines.map((textContent) => Object.assign(document.createElement("li"), { textContent }));
    find("#hints").replaceChildren(...items);
    area.setAttribute("aria-invalid", hints.length > 0);
  }

  function check(event) {
    const hints = checks.hints(area.value);
    const isConfirmed = !rules.blocks && warned === area.value;
    if (!hints.length || isConfirmed) return;

    event.preventDefault();
    event.stopImmediatePropagation();
    showHints(hints);
    area.focus();
  }

  function input() {
    keep();
    count();
    if (warned && !checks.hints(area.value).length) showHints([]);
  }

  function press(event) {
    const isSave = event.key === "Enter" && (event.ctrlKey || event.metaKey);
    if (isSave && !event.repeat) form.requestSubmit();
  }

  function readReply({ detail }) {
    for (const { entry, taken } of detail) {
      if (taken.hints) refused.set(entry.key, taken.hints);
      if (taken === "saved" || taken === "gone") localStorage.removeItem(DRAFT + entry.key);
    }
  }

  area.addEventListener("input", input);
  area.addEventListener("keydown", press);
  form.addEventListener("submit", check, { capture: true });
  form.addEventListener("reset", () => setTimeout(restore)); // the field is emptied after the event
  form.addEventListener("reply", readReply);

  if (find("#hints").children.length) count(); // the server has just said what to change
  else restore();
}

function forgetOldDrafts() {
  for (const name of Object.keys(localStorage)) {
    const isOld = () => Date.now() - JSON.parse(localStorage.getItem(name)).at > KEPT;
    if (name.startsWith(DRAFT) && isOld()) localStorage.removeItem(name);
  }
}

const area = find("#sentence");
forgetOldDrafts();
if (area) startWriting(find("#answers"), area, JSON.parse(find("#words").textContent).rules);
