// Pages of submissions that are being scored: every element with data-live is replaced with what
// the page's own address returns now, until none says data-unfinished.

import { fetchPage } from "../study/updates.js";

const INTERVAL = 1500; // milliseconds between updates

function isUnfinished() {
  return document.querySelector("[data-live] [data-unfinished]") !== null;
}

async function update() {
  const fresh = document.hidden ? null : await fetchPage(location.href);
  if (fresh) document.querySelectorAll("[data-live]").forEach((shown) => replace(shown, fresh));

  schedule();
}

function replace(shown, fresh) {
  const next = fresh.getElementById(shown.id);
  if (next && next.innerHTML !== shown.innerHTML) shown.innerHTML = next.innerHTML;
}

function schedule() {
  if (isUnfinished()) setTimeout(update, INTERVAL);
}

schedule();
