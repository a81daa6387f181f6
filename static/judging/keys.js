// Keyboard shortcuts. The script of the question's kind says which keys and clicks answer it.

import { find } from "./page.js";

const SWITCHED_OFF = "tercet-no-shortcuts"; // in localStorage

const areOff = () => localStorage.getItem(SWITCHED_OFF) !== null;

// Listen for the keys that hold for every kind.
export function listen() {
  onShortcut(press);
  startSwitch(find("#shortcuts"));
}

// Call `act` for each shortcut; it returns whether the key stands for something.
export function onShortcut(act) {
  document.addEventListener("keydown", (event) => {
    if (isShortcut(event) && act(event)) event.preventDefault();
  });
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
function press({ key, repeat }) {
  const undo = key.toLowerCase() === "u" && find("#undoing:not([hidden])");
  const help = key === "?" && find("#help");

  if (undo && !repeat) undo.requestSubmit();
  else if (help) toggle(help);
  return Boolean(undo || help);
}

function toggle(help) {
  help.open = !help.open;
  if (help.open) help.scrollIntoView({ block: "nearest" });
}

function startSwitch(shortcuts) {
  if (!shortcuts) return;

  shortcuts.checked = !areOff();
  shortcuts.addEventListener("change", () => {
    if (shortcuts.checked) localStorage.removeItem(SWITCHED_OFF);
    else localStorage.setItem(SWITCHED_OFF, "yes");
  });
}
