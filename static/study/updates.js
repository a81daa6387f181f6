// What pages share that update themselves: pages fetched in the background, and the checkbox
// “Update as votes come in”. Without JavaScript a reload does the same.

import { showTimes } from "../times.js";

const SWITCH = "#follow";
const STORED = "update-as-votes-come-in"; // in localStorage

// The page at an address; null where the server does not answer.
export async function fetchPage(address, request) {
  const response = await fetch(address, request).catch(() => null);
  if (!response?.ok) return null;

  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  showTimes(fresh);
  return fresh;
}

// Whether the reader wants updates. The choice holds for all studies in this browser.
export function wantsUpdates() {
  return localStorage.getItem(STORED) !== "false";
}

// A closed study has no such checkbox.
export function showSwitch() {
  const shown = document.querySelector(SWITCH);
  if (shown) shown.checked = wantsUpdates();
}

document.addEventListener("change", ({ target }) => {
  if (target.matches(SWITCH)) localStorage.setItem(STORED, target.checked);
});
