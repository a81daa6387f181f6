// All pages of an annotator: keys and pointers, and what holds without a connection. Without
// JavaScript the same forms are sent by their buttons.
"use strict";

const KEYS = { 1: "left", ArrowLeft: "left", 2: "right", ArrowRight: "right", 0: "tie" };
const NO_SHORTCUTS = "tercet-no-shortcuts";
const judge = find("#judge"), form = find("#answers"), shortcuts = find("#shortcuts");
const start = judge ? startJudging : startElsewhere; // fails where a script has not arrived: a plain form remains

// Keys and pointers

function isTyping({ target }) {
  return target.closest?.("textarea, select, [contenteditable], input:not([type=radio]):not([type=checkbox])") != null;
}

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event) || localStorage.getItem(NO_SHORTCUTS)) return;
  const option = form && [...form.querySelectorAll("input[type=radio]")][["left", "right", "tie"].indexOf(KEYS[event.key])];
  if (option) event.repeat || choose(option);
  else if (event.key.toLowerCase() === "u" && find("#undoing:not([hidden])")) event.repeat || find("#undoing").requestSubmit();
  else if (event.key === "?" && find("#help")) toggleHelp();
  else return;
  event.preventDefault();
}

function toggleHelp() {
  const help = find("#help");
  help.open = !help.open;
  if (help.open) help.scrollIntoView({ block: "nearest" });
}

function choose(option) {
  option.checked = true;
  form.requestSubmit();
}

// A pointer chooses and sends at once; the second click of a double click is none.
function click(event) {
  const label = event.target.closest("label.option");
  if (!label || event.target.matches("input") && event.detail === 0) return;
  event.preventDefault();
  if (event.detail < 2) choose(label.querySelector("input"));
}

function switchShortcuts() {
  if (shortcuts.checked) localStorage.removeItem(NO_SHORTCUTS);
  else localStorage.setItem(NO_SHORTCUTS, "yes");
}

// Without a connection
//
// Forms besides the votes are sent once, and only where there is a server: nobody leaves a page for nothing.
const asked = new WeakSet(), sure = new WeakSet();
function submit(event) {
  const { target, submitter } = event;
  if (event.defaultPrevented) return;
  if (sure.has(target) || !offline) {
    for (const button of target.querySelectorAll("button")) setTimeout(() => { button.disabled = true; });
    return;
  }
  event.preventDefault();
  if (asked.has(target)) return;
  asked.add(target);
  reach(offline).then(() => { sure.add(target); target.requestSubmit(submitter); }, () => { asked.delete(target); find("#cut-off").hidden = false; });
}

// Pages around the judging: send what still waits from an earlier visit. What such a page says holds
// only once it is there, so it is not shown before.
function startElsewhere() {
  if (box && entries().length) saveFirst(0);
}

function saveFirst(failures) {
  find(".flow").hidden = true;
  find("#saving").hidden = false;
  const again = () => setTimeout(saveFirst, BACKOFF[Math.min(failures, BACKOFF.length - 1)], failures + 1);
  alone(() => deliver(entries().slice(0, MOST))).then(() => location.reload(), again);
}

// A worker of the browser shows this page when it is loaded again without a connection. The first
// page comes too early for the worker to see it pass by, so it is kept here.
async function startWorker() {
  if (navigator.serviceWorker.controller) return;
  await navigator.serviceWorker.register(offline);
  await navigator.serviceWorker.ready;
  const parts = performance.getEntriesByType("resource").filter(({ initiatorType }) => ["css", "link", "script"].includes(initiatorType));
  await (await caches.open("tercet-judging")).addAll([location.pathname, ...new Set(parts.map(({ name }) => name))]);
}

document.addEventListener("keydown", press);
document.addEventListener("submit", submit);
form?.addEventListener("click", click);
if (shortcuts) {
  shortcuts.checked = !localStorage.getItem(NO_SHORTCUTS);
  shortcuts.addEventListener("change", switchShortcuts);
}
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
if (offline && navigator.serviceWorker) startWorker().catch(() => {}); // no room, or not allowed: a convenience
start(judge, form);
