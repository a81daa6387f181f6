// Keys for judging. Without JavaScript the same buttons work with Tab and Enter.
"use strict";

const form = document.querySelector("form.options");
const KEYS = { 1: "left", ArrowLeft: "left", 2: "right", ArrowRight: "right" };

function typing(target) {
  return target.closest("input, textarea, select, [contenteditable]") !== null;
}

function press(event) {
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  const button = document.querySelector(`button[name=side][value="${KEYS[event.key]}"]`);
  if (button) button.click();
  else if (event.key === "u" || event.key === "U") document.querySelector("#undo")?.click();
  else if (event.key === "?") document.querySelector("#help").toggleAttribute("open");
  else return;
  event.preventDefault();
}

// One vote a page: a second click or key while the first is on its way does nothing.
function sendOnce(event) {
  if (form.dataset.sent) return event.preventDefault();
  form.dataset.sent = "yes";
  event.submitter?.classList.add("chosen");
}

document.addEventListener("keydown", press);
form?.addEventListener("submit", sendOnce);
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
