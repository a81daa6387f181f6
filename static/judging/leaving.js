// The last page: go on to the redirect URL after some seconds, unless somebody stays.

import { find } from "./page.js";

const SECOND = 1000; // milliseconds

export function startLeaving() {
  const leaving = find("#leaving");
  if (!leaving) return;

  const seconds = find("#seconds");
  const timer = setInterval(() => {
    seconds.textContent -= 1;
    if (seconds.textContent > 0) return;

    clearInterval(timer);
    location.assign(leaving.dataset.to);
  }, SECOND);

  function stay() {
    clearInterval(timer);
    leaving.hidden = true;
  }

  find("#stay").addEventListener("click", stay);
  addEventListener("input", stay); // somebody writes a comment
}
