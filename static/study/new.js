// New study: the language of the captions is guessed again for another dataset, unless somebody
// has changed the guess.

import { fetchPage } from "./updates.js";

const { dataset, language, guessed } = document.querySelector("#new-study").elements;

async function guessAgain() {
  const chosen = dataset.value;
  const fresh = await fetchPage(`?dataset=${encodeURIComponent(chosen)}`);
  const isCurrent = dataset.value === chosen && language.value === guessed.value;
  if (!fresh || !isCurrent) return;

  guessed.value = fresh.getElementById(guessed.id).value;
  language.value = guessed.value;
}

dataset.addEventListener("change", guessAgain);
