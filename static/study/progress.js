// The progress page: every element with data-live is replaced, by its id, with what the page's own
// address returns now. What has the focus, and how far a table is scrolled, stay as they are.

import { fetchPage, showSwitch, wantsUpdates } from "./updates.js";

const INTERVAL = 4000; // milliseconds between updates
const SHARE = 20; // a page that is slow to make is fetched less often: 1/20 of the time at most

async function update() {
  const begun = performance.now();
  if (wantsUpdates() && !document.hidden) await refresh();

  const taken = performance.now() - begun;
  setTimeout(update, Math.max(INTERVAL, SHARE * taken));
}

async function refresh() {
  const fresh = await fetchPage(location.href);
  if (!fresh) return;

  for (const shown of document.querySelectorAll("[data-live]")) {
    const next = fresh.getElementById(shown.id);
    if (next && next.innerHTML !== shown.innerHTML) replace(shown, next);
  }
}

function replace(shown, next) {
  const focused = shown.contains(document.activeElement) ? document.activeElement.href : null;
  const scrolled = shown.querySelector(".scroll")?.scrollLeft;

  shown.innerHTML = next.innerHTML;

  if (scrolled) shown.querySelector(".scroll")?.scrollTo(scrolled, 0);
  if (focused) linkTo(focused, shown)?.focus({ preventScroll: true });
}

function linkTo(address, place) {
  return [...place.querySelectorAll("a")].find(({ href }) => href === address);
}

showSwitch();
setTimeout(update, INTERVAL);
