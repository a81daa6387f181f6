// The results page: follow votes and computations, and show new results.
"use strict";

const BUSY = 1000, IDLE = 4000, PAUSE = 60_000; // milliseconds between looks, and between requests
const PARTS = ["results", "findings", "downloads"];
const KEPT = "update-as-votes-come-in";

document.addEventListener("change", (event) => {
  if (event.target.id === "follow") localStorage.setItem(KEPT, event.target.checked);
});

const follows = () => localStorage.getItem(KEPT) !== "false";
const byId = (place, id) => place.querySelector(`#${CSS.escape(id)}`);
const standing = () => document.querySelector("#evaluation");
const isBusy = () => ["waiting", "running"].includes(standing().dataset.state);
const topOf = (element) => element.getBoundingClientRect().top;
const every = (selector) => [...document.querySelectorAll(PARTS.map((id) => `#${id} ${selector}`))];
let asked = -PAUSE;

async function pageAt(url) {
  const answer = await fetch(url).catch(() => null);
  if (!answer?.ok) return null;
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

// Look at the votes and the computation, unless nobody sees it; a page without them ends this.
async function look() {
  const fresh = document.hidden ? null : await pageAt(standing().dataset.url);
  const next = fresh?.querySelector("#evaluation");
  if (fresh && !next) return;
  if (next) await follow(fresh, next.dataset);
  setTimeout(look, isBusy() ? BUSY : IDLE);
}

async function follow(fresh, next) {
  const { state, done } = standing().dataset;
  replace("collection", fresh);
  if (next.done !== done || (next.state === "failed" && state !== "failed")) return renew();
  replace("evaluation", fresh);
  if ("due" in next && follows()) await ask();
}

function replace(id, fresh) {
  const shown = byId(document, id), next = byId(fresh, id);
  if (shown.innerHTML !== next.innerHTML) shown.innerHTML = next.innerHTML;
  Object.assign(shown.dataset, next.dataset);
}

async function ask() {
  if (performance.now() - asked < PAUSE) return;
  asked = performance.now();
  const form = document.querySelector("#ask");
  const request = { method: "POST", body: new FormData(form), redirect: "manual" };
  const answer = await fetch(form.action, request).catch(() => null);
  if (answer?.type === "opaqueredirect") standing().dataset.state = "waiting";
}

// Put the new results where the old ones are; what is open, focused and in view stays so.
async function renew() {
  const fresh = await pageAt(location.pathname);
  if (!fresh?.querySelector("#results")) return;
  await Promise.all(plotsInView().map((plot) => load(fresh, plot)));
  const before = remember();
  for (const id of PARTS) byId(document, id).replaceWith(document.adoptNode(byId(fresh, id)));
  prepare();
  restore(before);
  const said = document.querySelector("#said"), failed = standing().dataset.state === "failed";
  said.textContent = failed ? said.dataset.failed : said.dataset.new;
}

const isInView = (each) => topOf(each) < innerHeight && topOf(each) + each.offsetHeight > 0;
const plotsInView = () => every(".plot [role=region]").filter(isInView);

// So that a plot does not blink when the new one takes its place.
async function load(fresh, { ariaLabel }) {
  const plot = fresh.querySelector(`[aria-label="${CSS.escape(ariaLabel)}"]`);
  if (!plot) return;
  const { matches: isDark } = matchMedia("(prefers-color-scheme: dark)");
  const image = new Image();
  image.src = isDark ? plot.querySelector("source").srcset : plot.querySelector("img").src;
  await image.decode().catch(() => null);
}

const FOCUSABLE = "a, button, input, summary, [tabindex]";
const nameOf = ({ id, href, ariaLabel, parentElement }) => id || href || ariaLabel || parentElement?.id;
const named = (selector, name) => every(selector).find((each) => nameOf(each) === name);

function remember() {
  const places = every("[id]");
  const seen = places.findLast((each) => each.contains(document.activeElement) && isInView(each))
    ?? places.find((each) => topOf(each) >= 0 && isInView(each))
    ?? places.findLast((each) => topOf(each) < 0);
  return {
    open: every("details").map((each) => [each.id, each.open]),
    left: every(".scroll").map((each) => [nameOf(each), each.scrollLeft]),
    focused: every(":focus").map(nameOf)[0],
    seen: seen && [seen.id, topOf(seen)],
  };
}

function restore({ open, left, focused, seen }) {
  for (const [id, isOpen] of open) byId(document, id)?.toggleAttribute("open", isOpen);
  for (const [name, place] of left) named(".scroll", name)?.scrollTo(place, 0);
  if (focused) named(FOCUSABLE, focused)?.focus({ preventScroll: true });
  const now = seen && byId(document, seen[0]);
  if (now) scrollBy({ top: topOf(now) - seen[1], behavior: "instant" });
}

function prepare() {
  document.querySelector("#follow").checked = follows();
}

prepare();
setTimeout(look, isBusy() ? BUSY : IDLE);
