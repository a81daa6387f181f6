// Ratings. One aspect with grades: one press or click gives a grade and sends it. Several aspects:
// a digit grades the aspect in focus, or else the next one without a grade; Enter sends them.
// A slider has no value until it is touched.

import { onShortcut } from "../keys.js";
import { find } from "../page.js";

const UNSURE = "tie";

const form = find("#answers");
const aspects = [...(form?.querySelectorAll("fieldset.grades") ?? [])];
const isSingle = aspects.length === 1 && Boolean(form.querySelector(".grade"));

const isOpen = (aspect) => !aspect.querySelector(":checked") && aspect.querySelector(".grade");

function press({ key, repeat, target }) {
  if (key === "Enter") return enter(target, repeat);

  const grade = gradeOf(aspectToGrade(), key);
  if (grade && !repeat) give(grade);
  return Boolean(grade);
}

// The aspect in focus, or once that has a grade the next one without.
function aspectToGrade() {
  const own = document.activeElement.closest("fieldset.grades");
  const open = aspects.find(isOpen);
  if (!own || !isOpen(own)) return open ?? own ?? aspects[0];
  return own;
}

// 0 stands for “can't tell” on a scale that has no such grade.
function gradeOf(aspect, key) {
  const named = (value) => aspect?.querySelector(`.grade [value="${value}"]`);
  if (!/^\d$/.test(key)) return null;
  return named(key) ?? (key === "0" ? named(UNSURE) : null);
}

function give(grade) {
  grade.checked = true;
  if (isSingle) return form.requestSubmit();

  const next = aspects.find(isOpen);
  (next?.querySelector("input") ?? form.querySelector(".send")).focus();
}

// Enter on a control does what it does anyway.
function enter(target, repeat) {
  if (target.closest("a, button, summary, input, select, textarea")) return false;
  if (!repeat) form.requestSubmit();
  return true;
}

// A click sends the only grade; a key that moves the choice does not, nor does a double click.
function click(event) {
  const label = event.target.closest("label.grade");
  const isByKey = event.target.matches("input") && event.detail === 0;
  if (!label || isByKey) return;

  event.preventDefault();
  if (event.detail < 2) give(label.querySelector("input"));
}

function startSlider(slider) {
  const [range, number] = slider.children;
  const unsure = slider.parentElement.querySelector("[type=checkbox]");
  const { ariaValueText } = range;

  function touch(value) {
    range.classList.toggle("untouched", value === "");
    range.ariaValueText = value === "" ? ariaValueText : null;
    number.required = !unsure?.checked;
  }

  range.addEventListener("input", () => {
    number.value = range.value;
    if (unsure) unsure.checked = false;
    touch(number.value);
  });
  number.addEventListener("input", () => {
    if (number.value) range.value = number.value;
    touch(number.value);
  });
  unsure?.addEventListener("change", () => {
    if (unsure.checked) number.value = "";
    touch(number.value);
  });
  form.addEventListener("reset", () => setTimeout(() => touch(number.value)));
  touch(number.value);
}

if (form) {
  form.classList.toggle("single", isSingle);
  form.querySelectorAll(".slider").forEach(startSlider);
  onShortcut(press);
  form.addEventListener("click", click);
}
