// New study: how many questions and votes the study would have is counted again as the form
// changes, and the language of the captions guessed again, unless somebody has changed the guess.

import { fetchPage } from "./updates.js";

const { dataset, protocol, votes, references, language, guessed } =
  document.querySelector("#new-study").elements;
const planned = [dataset, protocol, votes, references];
const plan = document.querySelector("#plan");

function query() {
  return new URLSearchParams(planned.map(({ name, value }) => [name, value])).toString();
}

async function update() {
  const asked = query();
  const fresh = await fetchPage(`?${asked}`);
  if (!fresh || query() !== asked) return;

  plan.textContent = fresh.getElementById(plan.id).textContent;
  if (language.value !== guessed.value) return;

  guessed.value = fresh.getElementById(guessed.id).value;
  language.value = guessed.value;
}

for (const field of planned) field.addEventListener("input", update);
