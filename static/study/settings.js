// A group of settings: previews beside the texts while they are typed, buttons that begin with the
// default text or an example, and one that fills in the parameters of Prolific.

import { fetchPage } from "./updates.js";

const PAUSE = 400; // milliseconds without a key before a preview is fetched
const PROLIFIC = {
  person_parameter: "PROLIFIC_PID",
  study_parameter: "STUDY_ID",
  session_parameter: "SESSION_ID",
};

const settings = document.querySelector("#settings");
let timer = 0;

function previewSoon() {
  clearTimeout(timer);
  timer = setTimeout(preview, PAUSE);
}

async function preview() {
  const request = { method: "POST", body: new FormData(settings) };
  const fresh = await fetchPage(settings.dataset.preview, request);
  if (!fresh) return;

  for (const shown of settings.querySelectorAll(".preview")) {
    const next = fresh.getElementById(shown.id);
    if (next && next.innerHTML !== shown.innerHTML) shown.innerHTML = next.innerHTML;
    if (next?.dataset.for) showDefault(next.dataset);
  }
}

// The default texts depend on the question.
function showDefault({ for: id, placeholder, empty }) {
  const area = document.getElementById(id);
  area.placeholder = placeholder;
  area.closest("details").querySelector(".written").dataset.empty = empty;
  labelFold(area);
  area.dispatchEvent(new Event("newdefault"));
}

// The button is there while its text is empty and there is one to start from.
function startText(button) {
  const area = document.getElementById(button.dataset.default);
  const start = () => button.dataset.text ?? area.placeholder;
  const showButton = () => { button.hidden = area.value !== "" || start() === ""; };

  button.addEventListener("click", () => {
    area.value = start();
    area.focus();
    area.dispatchEvent(new Event("input", { bubbles: true }));
  });
  area.addEventListener("input", showButton);
  area.addEventListener("newdefault", showButton);
  showButton();
}

// The label of a fold says at once whether its text is written.
function labelFold(area) {
  const label = area.closest("details")?.querySelector(".written");
  if (label) label.textContent = area.value ? label.dataset.written : label.dataset.empty;
}

function fillInProlific() {
  for (const [field, name] of Object.entries(PROLIFIC)) settings.elements[field].value = name;
  showUnsaved();
}

function showUnsaved() {
  document.querySelector("#unsaved").hidden = false;
}

settings.addEventListener("input", ({ target }) => {
  showUnsaved();
  if (target.matches("textarea")) labelFold(target);
  if (settings.querySelector(".preview")) previewSoon();
});
settings.querySelectorAll("[data-default]").forEach(startText);
document.querySelector("#prolific")?.addEventListener("click", fillInProlific);
