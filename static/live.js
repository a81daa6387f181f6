// Pages that follow what happens: each element with data-live is replaced, by its id, with what
// the page's own address has for it now. Without JavaScript a reload does the same.
"use strict";

const EVERY = 4000, PATIENCE = 20; // milliseconds between looks, and times that a look took
const KEPT = "update-as-votes-come-in";
const switcher = document.querySelector("#follow");

switcher.checked = localStorage.getItem(KEPT) !== "false";
switcher.addEventListener("change", () => localStorage.setItem(KEPT, switcher.checked));

async function look() {
  const begun = performance.now();
  if (switcher.checked && !document.hidden) await refresh();
  // a page that is hard to make is asked for less often
  setTimeout(look, Math.max(EVERY, PATIENCE * (performance.now() - begun)));
}

async function refresh() {
  const answer = await fetch(location.href).catch(() => null);
  if (!answer?.ok || answer.redirected) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const shown of document.querySelectorAll("[data-live]")) {
    const next = fresh.getElementById(shown.id);
    if (next && next.innerHTML !== shown.innerHTML) replace(shown, next);
  }
}

// What is focused and how far it is scrolled stay so.
function replace(shown, next) {
  const href = shown.contains(document.activeElement) ? document.activeElement.href : null;
  const left = shown.querySelector(".scroll")?.scrollLeft;
  shown.innerHTML = next.innerHTML;
  if (left) shown.querySelector(".scroll")?.scrollTo(left, 0);
  if (href) [...shown.querySelectorAll("a")].find((link) => link.href === href)?.focus({ preventScroll: true });
}

setTimeout(look, EVERY);
