// A choice, of two captions or on five points: one press or click chooses and sends it.

import { onShortcut } from "../keys.js";
import { find } from "../page.js";

const OPTIONS = { 1: 0, ArrowLeft: 0, 2: 1, ArrowRight: 1, 0: 2 }; // 2: “I can't tell”

const POINTS = { 1: 0, 2: 1, 3: 2, 4: 3, 5: 4 };

const form = find("#answers");

function press({ key, repeat }) {
  const options = form.querySelectorAll("input[type=radio]");
  const option = options[(options.length === 5 ? POINTS : OPTIONS)[key]];
  if (option && !repeat) choose(option);
  return Boolean(option);
}

function choose(option) {
  option.checked = true;
  form.requestSubmit();
}

// The second click of a double click chooses nothing, nor does a key on a radio button.
function click(event) {
  const label = event.target.closest("label.option");
  const isByKey = event.target.matches("input") && event.detail === 0;
  if (!label || isByKey) return;

  event.preventDefault();
  if (event.detail < 2) choose(label.querySelector("input"));
}

if (form) {
  onShortcut(press);
  form.addEventListener("click", click);
}
