// The results page: follows votes and computations, asks for new results, and shows them.
//
//   idle ── new votes, and updates are wanted ──> waiting ──> running ──> done: show the results
//                                                                    └──> failed: say so
//
// The state is the server's; the page looks at it every few seconds while somebody sees it.

import { fetchPage, showSwitch, wantsUpdates } from "./updates.js";

const BUSY_INTERVAL = 1000; // milliseconds between looks while results are computed
const IDLE_INTERVAL = 4000; // and otherwise
const REQUEST_INTERVAL = 60_000; // milliseconds between requests for new results
// Ids of what new results replace.
const PARTS = ["answer", "before", "results", "findings", "after", "downloads"];
const OF_CHOICE = ["answer", "downloads"]; // what another choice of metrics replaces
const FOCUSABLE = "a, button, input, summary, [tabindex]";

let requestedAt = -REQUEST_INTERVAL;

const byId = (id, page = document) => page.querySelector(`#${CSS.escape(id)}`);
const evaluation = () => byId("evaluation");

// Following

function scheduleLook() {
  const isBusy = ["waiting", "running"].includes(evaluation().dataset.state);
  setTimeout(look, isBusy ? BUSY_INTERVAL : IDLE_INTERVAL);
}

async function look() {
  const fresh = document.hidden ? null : await fetchPage(evaluation().dataset.url);
  if (fresh && !byId("evaluation", fresh)) return; // signed out, for instance: stop looking

  if (fresh) await follow(fresh);
  scheduleLook();
}

async function follow(fresh) {
  const before = { ...evaluation().dataset };
  const now = byId("evaluation", fresh).dataset;
  replaceContents("collection", fresh);
  replaceContents("completeness", fresh);

  const isDone = now.done !== before.done;
  const hasFailed = now.state === "failed" && before.state !== "failed";
  if (isDone || hasFailed) return showResults();

  replaceContents("evaluation", fresh);
  if ("due" in now && wantsUpdates()) await requestResults();
}

function replaceContents(id, fresh) {
  const shown = byId(id);
  const next = byId(id, fresh);
  if (shown.innerHTML !== next.innerHTML) shown.innerHTML = next.innerHTML;
  Object.assign(shown.dataset, next.dataset);
}

async function requestResults() {
  if (performance.now() - requestedAt < REQUEST_INTERVAL) return;
  requestedAt = performance.now();

  const form = byId("ask");
  const body = new FormData(form);
  body.delete("counts"); // as last time: somebody may be typing others
  const request = { method: "POST", body, redirect: "manual" };
  const response = await fetch(form.action, request).catch(() => null);
  if (response?.type === "opaqueredirect") evaluation().dataset.state = "waiting";
}

// Showing new results in the place of the old. What is open, focused and in view stays so; the
// first results are shown from their top, unless somebody is typing.

async function showResults() {
  const areFirst = !byId("answer").firstElementChild;
  const before = await replaceParts(PARTS);
  if (!before) return;

  if (areFirst && !before.focused) scrollTo({ top: 0, behavior: "instant" });
  const announcement = byId("said");
  const hasFailed = evaluation().dataset.state === "failed";
  announcement.textContent = hasFailed ? announcement.dataset.failed : announcement.dataset.new;
}

async function replaceParts(parts) {
  let address;
  let fresh;
  while (address !== location.href) { // another choice meanwhile
    address = location.href;
    fresh = await fetchPage(address);
  }
  if (!fresh || !byId("results", fresh)) return null;

  const before = readPosition();
  for (const id of parts) byId(id).replaceWith(document.adoptNode(byId(id, fresh)));
  showSwitch();
  restorePosition(before);
  document.dispatchEvent(new Event("results"));
  return before;
}

function readPosition() {
  const inView = elementInView();
  return {
    open: inParts("details[id]").map(({ id, open }) => [id, open]),
    scrolled: inParts(".scroll").map((each) => [nameOf(each), each.scrollLeft]),
    focused: inParts(":focus").map(nameOf)[0],
    inView: inView && { id: inView.id, top: topOf(inView) },
  };
}

function restorePosition({ open, scrolled, focused, inView }) {
  for (const [id, isOpen] of open) byId(id)?.toggleAttribute("open", isOpen);
  for (const [name, left] of scrolled) named(".scroll", name)?.scrollTo(left, 0);
  if (focused) named(FOCUSABLE, focused)?.focus({ preventScroll: true });

  const element = inView && byId(inView.id);
  if (element) scrollBy({ top: topOf(element) - inView.top, behavior: "instant" });
}

// The element whose place on the screen is kept: around the focus, else the first that begins in
// the window, else the last above it.
function elementInView() {
  const elements = inParts("[id]");
  const focused = (each) => each.contains(document.activeElement) && isInView(each);
  const begins = (each) => topOf(each) >= 0 && isInView(each);
  return elements.findLast(focused) ?? elements.find(begins)
    ?? elements.findLast((each) => topOf(each) < 0);
}

// Elements

function inParts(selector) {
  return [...document.querySelectorAll(PARTS.map((id) => `#${id} ${selector}`))];
}

function topOf(element) {
  return element.getBoundingClientRect().top;
}

function isInView(element) {
  return topOf(element) < innerHeight && topOf(element) + element.offsetHeight > 0;
}

// By what an element is found again in new results.
function nameOf({ id, href, ariaLabel, parentElement }) {
  return id || href || ariaLabel || parentElement?.id;
}

function named(selector, name) {
  return inParts(selector).find((each) => nameOf(each) === name);
}

document.addEventListener("choice", () => replaceParts(OF_CHOICE));
showSwitch();
scheduleLook();
