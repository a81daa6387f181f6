// Keys and pointers: one press or click chooses an option and sends it.

import { find } from "./page.js";

const OPTIONS = { 1: 0, ArrowLeft: 0, 2: 1, ArrowRight: 1, 0: 2 }; // 2: “I can't tell”
const SWITCHED_OFF = "tercet-no-shortcuts"; // in localStorage

const areOff = () => localStorage.getItem(SWITCHED_OFF) !== null;

export function listen(form) {
  document.addEventListener("keydown", (event) => {
    if (isShortcut(event) && press(event, form)) event.preventDefault();
  });
  form?.addEventListener("click", (event) => click(event, form));
  startSwitch(find("#shortcuts"));
}

function isShortcut(event) {
  const isModified = event.ctrlKey || event.metaKey || event.altKey;
  return !isModified && !isTyping(event.target) && !movesChoice(event) && !areOff();
}

// On an option, arrows move the choice and send nothing.
function movesChoice({ key, target }) {
  return key.startsWith("Arrow") && target.matches?.("input[type=radio]");
}

function isTyping(target) {
  const fields = "textarea, select, [contenteditable], input:not([type=radio]):not([type=checkbox])";
  return target.closest?.(fields) != null;
}

// Do what a key stands for; false where it stands for nothing. A key that is held does it once.
function press({ key, repeat }, form) {
  const option = form?.querySelectorAll("input[type=radio]")[OPTIONS[key]];
  const undo = key.toLowerCase() === "u" && find("#undoing:not([hidden])");
  const help = key === "?" && find("#help");

  if (option && !repeat) choose(option, form);
  else if (undo && !repeat) undo.requestSubmit();
  else if (help) toggle(help);
  return Boolean(option || undo || help);
}

function choose(option, form) {
  option.checked = true;
  form.requestSubmit();
}

function toggle(help) {
  help.open = !help.open;
  if (help.open) help.scrollIntoView({ block: "nearest" });
}

// The second click of a double click chooses nothing, nor does a key on a radio button.
function click(event, form) {
  const label = event.target.closest("label.option");
  const isByKey = event.target.matches("input") && event.detail === 0;
  if (!label || isByKey) return;

  event.preventDefault();
  if (event.detail < 2) choose(label.querySelector("input"), form);
}

function startSwitch(shortcuts) {
  if (!shortcuts) return;

  shortcuts.checked = !areOff();
  shortcuts.addEventListener("change", () => {
    if (shortcuts.checked) localStorage.removeItem(SWITCHED_OFF);
    else localStorage.setItem(SWITCHED_OFF, "yes");
  });
}
