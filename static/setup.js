// The settings page: texts read beside what is typed, usual texts to begin with, Prolific's names.
"use strict";

const TYPED = 400; // milliseconds of rest before a text is shown anew
const settings = document.querySelector("#settings");
let rest = 0;

async function preview() {
  const request = { method: "POST", body: new FormData(settings) };
  const answer = await fetch(settings.dataset.preview, request).catch(() => null);
  if (!answer?.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const shown of settings.querySelectorAll(".preview")) {
    const next = fresh.getElementById(shown.id);
    if (shown.innerHTML !== next.innerHTML) shown.innerHTML = next.innerHTML;
  }
}

function previewSoon() {
  clearTimeout(rest);
  rest = setTimeout(preview, TYPED);
}

settings.addEventListener("input", (event) => {
  if (event.target.matches("textarea")) previewSoon();
});

for (const button of settings.querySelectorAll("[data-usual]")) {
  const area = document.getElementById(button.dataset.usual);
  const show = () => { button.hidden = area.value !== ""; };
  button.addEventListener("click", () => {
    area.value = area.placeholder;
    area.focus();
    show();
    previewSoon();
  });
  area.addEventListener("input", show);
  show();
}

document.querySelector("#prolific")?.addEventListener("click", () => {
  for (const [part, name] of [["person", "PROLIFIC_PID"], ["study", "STUDY_ID"], ["session", "SESSION_ID"]]) {
    settings.elements[`${part}_parameter`].value = name;
  }
});
