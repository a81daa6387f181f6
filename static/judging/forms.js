// Forms besides the votes: each is sent once, and only where the server can be reached, so that
// nobody loses a page without getting the next.
//
//   submitted ──> checking the connection ──> reachable: sent
//       ^                 │
//       └──── cut off, and the page says so

import { reach } from "./connection.js";
import { find, offline } from "./page.js";

const checking = new WeakSet();
const reachable = new WeakSet();

export function guardForms() {
  document.addEventListener("submit", submit);
}

async function submit(event) {
  const { target, submitter } = event;
  if (event.defaultPrevented) return;
  if (reachable.has(target) || !offline) return disableButtons(target);

  event.preventDefault();
  if (checking.has(target)) return;
  checking.add(target);

  try {
    await reach(offline);
  } catch {
    checking.delete(target);
    find("#cut-off").hidden = false;
    return;
  }
  reachable.add(target);
  target.requestSubmit(submitter);
}

// Only afterwards: a button that is disabled does not send its value.
function disableButtons(form) {
  setTimeout(() => {
    for (const button of form.querySelectorAll("button")) button.disabled = true;
  });
}
